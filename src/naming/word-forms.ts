import { foldWords } from '../text/fold.js';
import { memoize } from '../text/memoize.js';
import {
  FIRST_PARTS,
  FORMS,
  FORMS_IN_COMPOUNDS,
  GUARDED_LAST_PARTS,
  LAST_PARTS,
  SETS,
  SIMPLIFIED,
  spellingsOf,
} from './inflections.js';

/** The minimum length of the first part of a compound, and of a last part by which compounds are found. */
const MIN_PART = 3;
/** The minimum length of a last part that follows a known first part, such as "ol" for "Öl". */
const MIN_GUARDED = 2;
const LONGEST_PART = Math.max(
  ...[...FORMS_IN_COMPOUNDS.keys(), ...LAST_PARTS, ...GUARDED_LAST_PARTS].map(({ length }) => length),
);

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
  const typed = foldWords(word);
  if (!LATIN.test(word)) return othersThan(typed, [typed, ...inOtherScript(word)]);
  const spellings = spellingsOf(word);
  if (typed.length >= MIN_CONTRACTED && !NO_UMLAUT.test(typed))
    spellings.push(typed.replace(AS_UMLAUT, '$1'));
  const root = POSSESSIVE.exec(typed)?.[1];
  if (root !== undefined) spellings.push(root);
  return othersThan(typed, spellings);
}

/** The spellings of a word with the other forms of each, except the typed one. */
function othersThan(typed: string, spellings: readonly string[]): string[] {
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

/**
 * The words by which a German compound is found: its last part, which names a kind of thing, and the compound of the part before
 * it and the last part if both are known: "schuhe" and "laufschuhe" for "Herrenlaufschuhe". Empty if the word is no such compound.
 */
export function partsOf(word: string): readonly string[] {
  const found = spellingsOf(word).map(partsOfSpelling);
  return found.find((parts) => parts.length > 0) ?? [];
}

function partsOfSpelling(word: string): string[] {
  const has = (part: string, before: string) => LAST_PARTS.has(part) || isGuarded(part, before);
  const at = lastPart(word, { has }, MIN_GUARDED);
  if (at === null) return [];
  const last = word.slice(at);
  const before = firstPartAtEnd(word.slice(0, at), MIN_PART);
  return [last, ...(before === null ? [] : [before + last]), ...partsOfSpelling(last)];
}

const isGuarded = (part: string, before: string): boolean =>
  GUARDED_LAST_PARTS.has(part) && firstPartAtEnd(before, 0) !== null;

/** The longest known first part with which the beginning of a compound ends; it starts at or after a position. */
function firstPartAtEnd(text: string, from: number): string | null {
  for (let at = from; at <= text.length - MIN_PART; at += 1)
    if (FIRST_PARTS.has(text.slice(at))) return text.slice(at);
  return null;
}

const LONG_WORDS = /[\p{L}\p{M}]{6,}/gu;
const MEMOIZED_WORDS = 8_192;
const memoizedParts = memoize(MEMOIZED_WORDS, partsOf);
const MIN_CONTENT = 5;
const memoizedContents = memoize(MEMOIZED_WORDS, (word) => {
  const typed = foldWords(word);
  const content = SETS.find((set) => typed.endsWith(set)) ?? '';
  const rest = typed.slice(0, typed.length - content.length);
  return content !== '' && rest.length >= MIN_CONTENT && FIRST_PARTS.has(rest) ? [rest] : [];
});

/** The words by which the German compounds in texts are found, each once: also "messer" for "Messerset". */
export const partsIn = (texts: readonly string[]): string[] => [
  ...new Set(
    texts
      .flatMap((text) => text.match(LONG_WORDS) ?? [])
      .flatMap((word) => [...memoizedParts(word), ...memoizedContents(word)]),
  ),
];

/** Whether a word is a German compound with a known last part. */
export const isCompound = (word: string): boolean => memoizedParts(word).length > 0;

/** Whether a word is a German compound that another word, in any form, names as well: "Laserdrucker" for "Drucker". */
export function isCompoundOf(compound: string, word: string): boolean {
  const parts = memoizedParts(compound);
  return parts.length > 0 && [word, ...inflectionsOf(word)].some((form) => parts.includes(form));
}

/** Where the longest last part of a word begins that is one of these; null if there is none. */
function lastPart(
  word: string,
  parts: { has(part: string, before: string): boolean },
  minimum = MIN_PART,
): number | null {
  for (let at = Math.max(MIN_PART, word.length - LONGEST_PART); at <= word.length - minimum; at += 1)
    if (parts.has(word.slice(at), word.slice(0, at))) return at;
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
