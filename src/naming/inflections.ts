import { parse } from 'yaml';
import { shippedText } from '../platform/shipped-files.js';
import { foldWords } from '../text/fold.js';

/**
 * A file of `inflections/`: the forms of words of one language that the engine's English stemmer does not reduce to one stem.
 * Commas separate entries.
 */
interface Words {
  /** The forms of each word, separated by blanks. */
  families?: readonly string[];
  /** The German nouns of each plural ending. In an ending, "¨" means that the last vowel of the noun becomes an umlaut. */
  plurals?: Readonly<Record<string, string>>;
  adjectives?: string;
  /** Nouns by which no compound is found, because other words end like them. */
  whole?: string;
  /** Nouns by which a compound is found only after a known first part, because other words end like them. */
  guarded?: string;
  /** Words for several things together: a compound that ends with one is also found by what comes before. */
  sets?: string;
  /** Words with which compounds begin, besides the nouns and adjectives. */
  first?: string;
  /** Traditional Chinese characters, each followed by its simplified form, which are separated by blanks. */
  simplified?: readonly string[];
}

const [english, german, malay, chinese, thai] = ['en', 'de', 'ms', 'zh', 'th'].map(
  (language) => parse(shippedText(`src/naming/inflections/${language}.yaml`)) as Words,
) as [Words, Words, Words, Words, Words];

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

/** A word with its umlauts as single letters and as two letters, without diacritical marks. */
export const spellingsOf = (word: string): string[] => [
  ...new Set([
    foldWords(word),
    foldWords(word.toLowerCase().replace(/[äöü]/g, (letter) => DIGRAPHS[letter] ?? letter)),
  ]),
];

const spelt = (families: readonly (readonly string[])[]): string[][] =>
  families.map((forms) => [...new Set(forms.flatMap(spellingsOf))]);

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
export type Forms = ReadonlyMap<string, readonly string[]>;

function byForm(families: readonly (readonly string[])[]): Forms {
  const forms = new Map<string, readonly string[]>();
  for (const family of spelt(families))
    if (family.length > 1)
      for (const form of family) forms.set(form, [...new Set([...(forms.get(form) ?? []), ...family])]);
  return forms;
}

/** The forms of all words of the files. */
export const FORMS = byForm([
  ...[english, german, malay, chinese, thai].flatMap(familiesOf),
  ...INFLECTED,
  ...ADJECTIVES,
]);

/** The forms of the German words with which compounds may end. */
export const FORMS_IN_COMPOUNDS = byForm(
  [...familiesOf(german), ...INFLECTED, ...ADJECTIVES].filter(
    (forms) => (forms[0] ?? '').length > SHORT || !isWhole(forms),
  ),
);

/** The minimum length of the first part of a compound. */
const MIN_FIRST = 3;

const PARTS = new Set(
  NOUNS.flatMap(({ forms }) => forms).flatMap((forms) =>
    forms.flatMap((form) => spellingsOf(form).slice(isWhole(forms) ? 1 : 0)),
  ),
);

/**
 * The German nouns, in all forms, by which compounds that end with them are found. Other words end like the nouns of `whole`, but
 * not like these nouns with an umlaut that is written as two letters. A compound of another part
 * is none; "Decke" is no compound of "Ecke".
 */
export const LAST_PARTS: ReadonlySet<string> = new Set(
  [...PARTS].filter((part) => ![...part].some((_, at) => at >= MIN_FIRST && PARTS.has(part.slice(at)))),
);

/** The nouns of `guarded` in all forms. */
export const GUARDED_LAST_PARTS: ReadonlySet<string> = new Set(
  [...NOUNS.flatMap(({ forms }) => forms), ...familiesOf(german)]
    .filter(([noun = '']) => spellingsOf(noun).some((spelling) => GUARDED_NOUNS.has(spelling)))
    .flatMap((forms) => forms.flatMap(spellingsOf)),
);

/** The words with which compounds are known to begin. */
export const FIRST_PARTS: ReadonlySet<string> = new Set([
  ...PARTS,
  ...[...entriesOf(german.adjectives), ...entriesOf(german.first)].flatMap(spellingsOf),
]);

/** The words of `sets`. */
export const SETS: readonly string[] = entriesOf(german.sets);

/** Pairs of a traditional Chinese character and its simplified form. */
export const SIMPLIFIED: readonly string[] = (chinese.simplified ?? []).flatMap((line) => line.split(' '));
