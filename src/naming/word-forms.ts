import { parse } from 'yaml';
import { foldWords } from '../text/fold.js';
import { memoize } from '../text/memoize.js';
import { shippedWordFiles } from '../text/word-files.js';

/** A file of `inflections/`: forms of words of one language, separated by commas, that the English stemmer does not unite. */
interface Words {
  /** The forms of each word, separated by blanks. */
  families?: readonly string[];
  /** Malay root words. Affixes are added to each of them, as in "menulis" from "tulis". */
  roots?: string;
  /** The German nouns of each plural ending. In an ending, "¨" means that the last vowel of the noun becomes an umlaut. */
  plurals?: Readonly<Record<string, string>>;
  adjectives?: string;
  /** Nouns by which compounds are not found, because words that are not compounds have the same ending. */
  whole?: string;
  /** Nouns by which compounds are found only after a known first part, because other words have the same ending. */
  guarded?: string;
  /** Words for several things together: a compound that ends with one is also found by what comes before. */
  sets?: string;
  /** Words with which compounds begin, besides the nouns and adjectives. */
  first?: string;
  /** Traditional Chinese characters, each followed by its simplified form, which are separated by blanks. */
  simplified?: readonly string[];
  /** Rules of the engine's synonym filter. */
  synonyms?: readonly string[];
}

const LANGUAGES = ['en', 'de', 'ms', 'zh', 'th'] as const;
const FILES = LANGUAGES.map((language) => {
  const [file] = shippedWordFiles('inflections', [language]);
  return file === undefined ? {} : (parse(file.text) as Words);
});
const [, german = {}, malay = {}, chinese = {}] = FILES;

/** The rules of the engine's synonym filter, in the languages of the markets that this process reads. Those of English come last. */
export const SYNONYM_RULES: readonly string[] = FILES.toReversed().flatMap(({ synonyms = [] }) => synonyms);

const entriesOf = (line = ''): string[] => line.split(/,\s*/).filter((entry) => entry !== '');

const familiesOf = ({ families = [] }: Words): string[][] =>
  families.flatMap(entriesOf).map((forms) => forms.split(' '));

const ADJECTIVE_ENDINGS = ['', 'e', 'er', 'es', 'en', 'em'];
const LAST_VOWEL = /(?:au|[aou])(?=[^aeiouäöü]*(?:e[lnr])?$)/;
const UMLAUTS: Readonly<Record<string, string>> = { a: 'ä', o: 'ö', u: 'ü', au: 'äu' };
const DIGRAPHS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

const plural = (noun: string, ending: string): string =>
  (ending.startsWith('¨') ? noun.replace(LAST_VOWEL, (vowel) => UMLAUTS[vowel] ?? vowel) : noun) +
  ending.replace('¨', '');

/** The spellings of a word: with umlauts as single letters and as two letters, each without diacritical marks. */
const spellingsOf = (word: string): string[] => [
  ...new Set([
    foldWords(word),
    foldWords(word.toLowerCase().replace(/[äöü]/g, (letter) => DIGRAPHS[letter] ?? letter)),
  ]),
];

const NOUNS = Object.entries(german.plurals ?? {}).map(([ending, nouns]) => ({
  ending,
  forms: entriesOf(nouns).map((noun) => [noun, plural(noun, ending)]),
}));
const ADJECTIVES = entriesOf(german.adjectives).map((word) =>
  ADJECTIVE_ENDINGS.map((ending) => word + ending),
);
// The English stemmer removes an "s".
const INFLECTED = NOUNS.filter(({ ending }) => ending !== 's').flatMap(({ forms }) => forms);

const GUARDED_NOUNS = new Set(entriesOf(german.guarded).flatMap(spellingsOf));
const WHOLE = new Set([...entriesOf(german.whole).flatMap(spellingsOf), ...GUARDED_NOUNS]);
const isWhole = ([noun = '']: readonly string[]): boolean =>
  spellingsOf(noun).some((spelling) => WHOLE.has(spelling));
/** Many English words end like a German noun of up to this length. */
const SHORT = 4;

/** The forms of words as the index folds them, by each form. */
type Forms = ReadonlyMap<string, readonly string[]>;

function byForm(families: readonly (readonly string[])[]): Forms {
  const forms = new Map<string, readonly string[]>();
  for (const written of families) {
    const family = new Set(written.flatMap(spellingsOf));
    if (family.size > 1)
      for (const form of family) forms.set(form, [...new Set([...(forms.get(form) ?? []), ...family])]);
  }
  return forms;
}

/**
 * The nasal that ends the Malay prefixes "me-" and "pe-", by the first letter of the root. The letters k, p, t and s are replaced
 * by it: "menulis" from "tulis". Before the other letters, it is inserted: "membaca" from "baca".
 */
const NASALS: readonly (readonly [RegExp, string])[] = [
  [/^k/, 'ng'],
  [/^p/, 'm'],
  [/^t/, 'n'],
  [/^s/, 'ny'],
  [/^(?=[aeioughq])/, 'ng'],
  [/^(?=[bfv])/, 'm'],
  [/^(?=[cdjz])/, 'n'],
];

/** Returns a Malay root and the words that affixes form from it: "menulis", "penulis", "tulisan" and "bertulis" from "tulis". */
function affixed(root: string): string[] {
  const [letter, nasal] = NASALS.find(([first]) => first.test(root)) ?? [/^/, ''];
  const stem = root.replace(letter, nasal);
  const afterR = (prefix: string) => (root.startsWith('r') ? prefix.slice(0, -1) : prefix) + root;
  return [
    root,
    ...[`me${stem}`, `me${stem}kan`, `me${stem}i`, `pe${stem}`, `pe${stem}an`],
    ...[`di${root}`, `di${root}kan`, `${root}an`, `ke${root}an`],
    ...[afterR('ber'), afterR('ter'), `${afterR('per')}an`],
  ];
}

const AFFIXED = entriesOf(malay.roots).map(affixed);

/** The forms of all words of the files. */
const FORMS = byForm([...FILES.flatMap(familiesOf), ...AFFIXED, ...INFLECTED, ...ADJECTIVES]);

/** The forms of the German words with which compounds may end. */
const FORMS_IN_COMPOUNDS = byForm(
  [...familiesOf(german), ...INFLECTED, ...ADJECTIVES].filter(
    (forms) => (forms[0] ?? '').length > SHORT || !isWhole(forms),
  ),
);

/** The minimum length of the first part of a compound, and of a last part by which compounds are found. */
const MIN_PART = 3;

const PARTS = new Set(
  NOUNS.flatMap(({ forms }) => forms).flatMap((forms) =>
    forms.flatMap((form) => spellingsOf(form).slice(isWhole(forms) ? 1 : 0)),
  ),
);

/**
 * The German nouns by which compounds are found, in all their forms. A noun of the list `whole` is included only in the spelling
 * with two letters for its umlaut. A noun that ends with another one is left out, because the other one finds its compounds, too.
 */
const LAST_PARTS: ReadonlySet<string> = new Set(
  [...PARTS].filter((part) => ![...part].some((_, at) => at >= MIN_PART && PARTS.has(part.slice(at)))),
);

/** The nouns of `guarded` in all forms. */
const GUARDED_LAST_PARTS: ReadonlySet<string> = new Set(
  [...NOUNS.flatMap(({ forms }) => forms), ...familiesOf(german)]
    .filter(([noun = '']) => spellingsOf(noun).some((spelling) => GUARDED_NOUNS.has(spelling)))
    .flatMap((forms) => forms.flatMap(spellingsOf)),
);

/** The words with which compounds are known to begin. */
const FIRST_PARTS: ReadonlySet<string> = new Set([
  ...PARTS,
  ...[...entriesOf(german.adjectives), ...entriesOf(german.first)].flatMap(spellingsOf),
]);

/** The minimum length of a last part that follows a known first part, such as "ol" for "Öl". */
const MIN_GUARDED = 2;
const LONGEST_PART = Math.max(
  ...[...FORMS_IN_COMPOUNDS.keys(), ...LAST_PARTS, ...GUARDED_LAST_PARTS].map(({ length }) => length),
);

const MEMOIZED_WORDS = 8_192;

const LATIN = /^[\p{Script=Latin}\p{M}]{2,}$/u;
/** Matches two letters that may stand for an umlaut, unless a vowel before them or the end of the word makes it unlikely. */
const AS_UMLAUT = /(?<=.)(?<![aeiouq])([aou])e(?=[^aeiouy].)/g;
/** English words in which these two letters do not stand for an umlaut. */
const NO_UMLAUT = /^(?:poe|fuel|due[lt]|coe[dx]|aero)/;
const MIN_CONTRACTED = 5;
/** A Malay word with the possessive ending, as in "casnya". */
const POSSESSIVE = /^(\p{L}{3,})nya$/u;
/** The Malay words for which the form with this ending is searched for as well. */
const MALAY_WORDS: ReadonlySet<string> = new Set(AFFIXED.flat());

/**
 * Returns the other ways to write a word, folded as the index folds words: in another number or with another affix, also of the
 * last part of a compound ("weinglas" for "Weingläser"), with umlauts as one or two letters, and in the other Chinese script.
 */
export const wordForms = memoize(MEMOIZED_WORDS, (word): readonly string[] => {
  const typed = foldWords(word);
  if (!LATIN.test(word)) return othersThan(typed, [typed, ...inOtherScript(word)]);
  const spellings = spellingsOf(word);
  if (typed.length >= MIN_CONTRACTED && !NO_UMLAUT.test(typed))
    spellings.push(typed.replace(AS_UMLAUT, '$1'));
  const root = POSSESSIVE.exec(typed)?.[1];
  if (root !== undefined) spellings.push(root);
  if (MALAY_WORDS.has(typed)) spellings.push(`${typed}nya`);
  return othersThan(typed, spellings);
});

/** The spellings of a word, and all forms of each spelling, without the typed one. */
function othersThan(typed: string, spellings: readonly string[]): string[] {
  const others = new Set(spellings.flatMap((spelling) => [spelling, ...inflectionsOf(spelling)]));
  others.delete(typed);
  return [...others];
}

/** The forms of a folded word. A compound has those of its last part. */
export function inflectionsOf(word: string): readonly string[] {
  const forms = FORMS.get(word);
  if (forms !== undefined) return forms;
  const at = lastPart(word, FORMS_IN_COMPOUNDS);
  return at === null
    ? []
    : (FORMS_IN_COMPOUNDS.get(word.slice(at)) ?? []).map((form) => word.slice(0, at) + form);
}

/** The words by which a German compound is found, if it is one: "schuhe" and "laufschuhe" for "Herrenlaufschuhe". */
export const partsOf = memoize(MEMOIZED_WORDS, (word): readonly string[] => {
  const found = spellingsOf(word).map(partsOfSpelling);
  return found.find((parts) => parts.length > 0) ?? [];
});

function partsOfSpelling(word: string): string[] {
  const has = (part: string, before: string) =>
    LAST_PARTS.has(part) || (GUARDED_LAST_PARTS.has(part) && firstPartAtEnd(before, 0) !== null);
  const at = lastPart(word, { has }, MIN_GUARDED);
  if (at === null) return [];
  const last = word.slice(at);
  const before = firstPartAtEnd(word.slice(0, at), MIN_PART);
  return [last, ...(before === null ? [] : [before + last]), ...partsOfSpelling(last)];
}

/** The longest end of a text that is a known first part of compounds and begins at `from` or later; null if there is none. */
function firstPartAtEnd(text: string, from: number): string | null {
  for (let at = from; at <= text.length - MIN_PART; at += 1)
    if (FIRST_PARTS.has(text.slice(at))) return text.slice(at);
  return null;
}

const LONG_WORDS = /[\p{L}\p{M}]{6,}/gu;
const SETS = entriesOf(german.sets);
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
      .flatMap((word) => [...partsOf(word), ...memoizedContents(word)]),
  ),
];

/** Whether a word is a German compound with a known last part. */
export const isCompound = (word: string): boolean => partsOf(word).length > 0;

/** Whether a word is a German compound that another word, in any form, names as well: "Laserdrucker" for "Drucker". */
export function isCompoundOf(compound: string, word: string): boolean {
  const parts = partsOf(compound);
  return parts.length > 0 && [word, ...inflectionsOf(word)].some((form) => parts.includes(form));
}

/** The index at which the longest of these last parts begins in a word; null if the word ends with none of them. */
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
const TO_SIMPLIFIED = new Map(
  (chinese.simplified ?? [])
    .flatMap((line) => line.split(' '))
    .map((pair) => [pair.charAt(0), pair.charAt(1)]),
);
const TO_TRADITIONAL = new Map<string, string[]>();
for (const [traditional, simplified] of TO_SIMPLIFIED)
  TO_TRADITIONAL.set(simplified, [...(TO_TRADITIONAL.get(simplified) ?? []), traditional]);

/** A text in simplified characters, and in traditional ones. Characters with two traditional forms give two texts. */
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
