import { compactKey, readTokens } from './tokens.js';
import { readWordFiles, shippedWordFiles } from '../text/word-files.js';

/** The lists of words that a lexicon may have; docs/naming.md says what belongs in each. */
export const LISTS = [
  ...(['kind', 'accessory', 'service', 'variant', 'standard', 'colour', 'shade', 'material'] as const),
  'tier',
  ...(['edition', 'generation', 'condition', 'platform', 'language', 'unit', 'sizeword', 'paper'] as const),
  ...(['count', 'multiple', 'shoptalk', 'target', 'with', 'and', 'article', 'preposition'] as const),
  ...(['makerword', 'series', 'chip', 'program', 'optics', 'portion'] as const),
] as const;
export type List = (typeof LISTS)[number];
const NUMBER_OF = new Map(LISTS.map((list, number) => [list, number]));

const LANGUAGES = ['en', 'de', 'fr', 'es', 'ms', 'zh', 'th'];
/** The maximum size of all lexicons together, in bytes. */
export const MAX_BYTES = 150_000;
/** The characters of a phrase: letters, digits, blanks, and marks that join words. Patterns are refused. */
const PHRASE = /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N} .'’+/&@²-]*$/u;
/** The maximum number of tokens of a phrase. */
export const MAX_PHRASE = 6;
/** The minimum length of a phrase that is also found if a name divides it differently, as in `free standing`. */
const MIN_JOINED = 5;

/** A phrase of the lexicons. Its key is the letters and digits of its tokens, without the characters between them. */
export interface Entry {
  /** The numbers of the lists (`LISTS`) that contain the phrase. */
  lists: number[];
  /** The numbers of the lists that contain the phrase, by the file of the language. */
  byFile: Map<string, number[]>;
  /** The number of tokens of the phrase. */
  tokens: number;
}

type Lexicon = ReadonlyMap<string, Entry>;

/** Lists of words that are also in a broader list, for readers that need the certain words only. */
const BROADER: Readonly<Record<string, List>> = { for: 'target', colours: 'colour', leading: 'kind' };

type Files = Parameters<typeof readWordFiles>[0];

/** Reads lexicons. @throws ShippedFileError if a file is not one, or all are too large. */
export const readLexicons = (files: Files): Lexicon => lexiconOf(wordsIn(files));

const wordsIn = (files: Files) =>
  readWordFiles(files, {
    isList: (name) => NUMBER_OF.has(name as List) || name in BROADER,
    lists: [...LISTS, ...Object.keys(BROADER)].join(', '),
    phrase: PHRASE,
    maxBytes: MAX_BYTES,
  });

/** A phrase, and the form in which some feeds lose its letters with diacritical marks. */
const spellingsOf = (phrase: string): string[] => {
  const cut = /^[\p{Script=Latin}\p{P} ]*$/u.test(phrase) ? phrase.replace(/[^\x20-\x7e]/g, '') : phrase;
  return cut === phrase || cut.length < MIN_JOINED ? [phrase] : [phrase, cut];
};

function lexiconOf(words: ReturnType<typeof wordsIn>): Lexicon {
  const lexicon = new Map<string, Entry>();
  for (const { list, phrase, file } of words) {
    const number = NUMBER_OF.get(BROADER[list] ?? (list as List)) ?? 0;
    for (const tokens of spellingsOf(phrase).map(readTokens)) {
      const key = compactKey(tokens);
      const entry = lexicon.get(key) ?? { lists: [], byFile: new Map<string, number[]>(), tokens: 0 };
      if (!entry.lists.includes(number)) entry.lists.push(number);
      const ofFile = entry.byFile.get(file) ?? [];
      if (!ofFile.includes(number)) entry.byFile.set(file, [...ofFile, number]);
      entry.tokens = Math.max(entry.tokens, tokens.text.length);
      lexicon.set(key, entry);
    }
  }
  return lexicon;
}

const WORDS = wordsIn(shippedWordFiles('lexicon', LANGUAGES));
/** The lexicons that ship with the service. */
export const LEXICON: Lexicon = lexiconOf(WORDS);

/** The phrases of a list in all languages. */
export const phrasesOf = (name: 'for' | 'leading' | 'kind'): string[] =>
  WORDS.flatMap(({ list, phrase }) => (list === name ? phrase : []));

/** The name of the colour that each of its spellings stands for, such as `grey` for `charcoal`. */
export const COLOURS: ReadonlyMap<string, string> = new Map(
  WORDS.flatMap(({ list, phrase, first }) => (list === 'colours' ? [[phrase, first] as const] : [])),
);

/** Whether an entry matches a run of `length` tokens. A short phrase must be divided into tokens as in the lexicon. */
export const fits = ({ tokens }: Entry, key: string, length: number): boolean =>
  length === tokens || (key.length >= MIN_JOINED && length < tokens) || key.length > MIN_JOINED;

const ENGLISH = 'src/naming/lexicon/en.yaml';
/** Lists with words of grammar. Many of these are short, and mean something else in names of other languages. */
const GRAMMAR = new Set(
  (['target', 'with', 'and', 'article', 'preposition'] as const).map((list) => NUMBER_OF.get(list)),
);

/** The files of other languages than English that a name is probably in: with a word that is neither English nor grammar. */
export const signsIn = (entries: readonly Entry[]): ReadonlySet<string> =>
  new Set(
    entries.flatMap(({ byFile, lists }) =>
      byFile.has(ENGLISH) || lists.every((list) => GRAMMAR.has(list)) ? [] : [...byFile.keys()],
    ),
  );

/** The lists of an entry that count in a name: those of English, and of the languages that other words of the name show. */
export const listsIn = ({ byFile, lists }: Entry, signs: ReadonlySet<string>): readonly number[] =>
  byFile.size === 1 && byFile.has(ENGLISH)
    ? lists
    : [...new Set([...byFile].flatMap(([file, some]) => (file === ENGLISH || signs.has(file) ? some : [])))];

/** Whether a list contains a phrase. @param key from `compactKey`. @param signs from `signsIn`: only these languages and English. */
export function isIn(list: List, key: string, signs?: ReadonlySet<string>, lexicon = LEXICON): boolean {
  const entry = lexicon.get(key);
  if (entry === undefined) return false;
  return (signs === undefined ? entry.lists : listsIn(entry, signs)).includes(NUMBER_OF.get(list) ?? -1);
}

/** Whether any list contains a word in a name. @param signs from `signsIn`. */
export function isListed(key: string, signs: ReadonlySet<string>): boolean {
  const entry = LEXICON.get(key);
  return entry !== undefined && listsIn(entry, signs).length > 0;
}
