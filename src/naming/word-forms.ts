import { foldWords } from '../text/fold.js';
import { memoize } from '../text/memoize.js';
import { FORMS, FORMS_IN_COMPOUNDS, LAST_PARTS, SIMPLIFIED, spellingsOf } from './inflections.js';

/** The minimum length of the first part of a compound, and of a last part by which compounds are found. */
const MIN_PART = 3;
const LONGEST_PART = Math.max(...[...FORMS_IN_COMPOUNDS.keys(), ...LAST_PARTS].map(({ length }) => length));

const LATIN = /^[\p{Script=Latin}\p{M}]{2,}$/u;
/** Matches two letters that may stand for an umlaut, unless a vowel before them or the end of the word makes it unlikely. */
const AS_UMLAUT = /(?<=.)(?<![aeiouq])([aou])e(?=[^aeiouy].)/g;
/** English words that would become another word without the "e". */
const NO_UMLAUT = /^(?:poe|fuel|due[lt]|coe[dx]|aero)/;
const MIN_CONTRACTED = 5;
/** A Malay word with the possessive ending, as in "casnya". */
const POSSESSIVE = /^(\p{L}{3,})nya$/u;

/**
 * Returns the ways in which listings may write a word besides the typed one, folded as the index folds words: in another
 * number or with another affix, as a compound with another form of its last part ("weinglas" for "Weingläser"), with umlauts
 * as one letter or as two, and in the other Chinese script.
 */
export function wordForms(word: string): string[] {
  if (!LATIN.test(word)) return inOtherScript(word);
  const typed = foldWords(word);
  const spellings = spellingsOf(word);
  if (typed.length >= MIN_CONTRACTED && !NO_UMLAUT.test(typed))
    spellings.push(typed.replace(AS_UMLAUT, '$1'));
  const root = POSSESSIVE.exec(typed)?.[1];
  if (root !== undefined) spellings.push(root);
  const others = new Set(spellings.flatMap((spelling) => [spelling, ...inflectionsOf(spelling)]));
  others.delete(typed);
  return [...others];
}

/** The forms of a folded word; those of a compound follow from its last part. */
export function inflectionsOf(word: string): readonly string[] {
  const forms = FORMS.get(word);
  if (forms !== undefined) return forms;
  const at = lastPart(word, FORMS_IN_COMPOUNDS);
  return at === null
    ? []
    : (FORMS_IN_COMPOUNDS.get(word.slice(at)) ?? []).map((form) => word.slice(0, at) + form);
}

/** The last part of a German compound, which names a kind of thing, such as "kocher"; null if the word is no such compound. */
export function lastPartOf(word: string): string | null {
  const typed = foldWords(word);
  const at = LAST_PARTS.has(typed) ? null : lastPart(typed, LAST_PARTS);
  return at === null ? null : typed.slice(at);
}

const LONG_WORDS = /[\p{L}\p{M}]{7,}/gu;
const MEMOIZED_WORDS = 8_192;
const memoizedPart = memoize(MEMOIZED_WORDS, lastPartOf);

/** The last parts of the German compounds in texts, each once. */
export const lastPartsIn = (texts: readonly string[]): string[] => [
  ...new Set(
    texts.flatMap((text) => (text.match(LONG_WORDS) ?? []).flatMap((word) => memoizedPart(word) ?? [])),
  ),
];

/** Where the longest last part of a word begins that is one of these; null if there is none. */
function lastPart(word: string, parts: { has(part: string): boolean }): number | null {
  for (let at = Math.max(MIN_PART, word.length - LONGEST_PART); at <= word.length - MIN_PART; at += 1)
    if (parts.has(word.slice(at))) return at;
  return null;
}

/** The simplified form of each traditional character, and the traditional forms of each simplified one. */
const TO_SIMPLIFIED = new Map(SIMPLIFIED.map((pair) => [pair.charAt(0), pair.charAt(1)]));
const TO_TRADITIONAL = new Map<string, string[]>();
for (const [traditional, simplified] of TO_SIMPLIFIED)
  TO_TRADITIONAL.set(simplified, [...(TO_TRADITIONAL.get(simplified) ?? []), traditional]);

/** A text in simplified characters, and in traditional ones: with the first, and with the second form of those that have several. */
function inOtherScript(text: string): string[] {
  if (!/\p{Script=Han}/u.test(text)) return [];
  const simplified = text.replace(
    /\p{Script=Han}/gu,
    (character) => TO_SIMPLIFIED.get(character) ?? character,
  );
  const traditional = [0, 1].map((at) =>
    simplified.replace(/\p{Script=Han}/gu, (character) => {
      const forms = TO_TRADITIONAL.get(character);
      return forms?.[at] ?? forms?.[0] ?? character;
    }),
  );
  const others = new Set([simplified, ...traditional]);
  others.delete(text);
  return [...others];
}
