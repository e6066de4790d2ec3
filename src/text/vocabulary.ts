import { shippedJson } from '../platform/shipped-files.js';

/**
 * The keys of lists of concepts with their spellings, such as colours. The name of a concept is also one
 * of its spellings.
 */
type ConceptKey = 'colours' | 'editions' | 'platforms' | 'languages' | 'variants' | 'accessories';

/** Lists of words. */
type ListKey =
  | 'onlyAccessories'
  | 'accessoryFirstWords'
  | 'accessoryLastWords'
  | 'accessoryEndings'
  | 'tiers'
  | 'marketingWords'
  | 'nameStopWords'
  | 'prepositions'
  | 'fillers'
  | 'shoppingWords'
  | 'dimensionNames'
  | 'notNouns';

/**
 * The words of shop listings and of shoppers in one language, from a file in `vocabularies/`. They are general words: none
 * names one brand or product. Blanks separate the words within a text.
 */
type LanguageFile = Partial<
  Record<ConceptKey, Readonly<Record<string, string>>> & Record<ListKey, readonly string[]>
>;

const LANGUAGE_FILES = ['en', 'ms', 'zh', 'fr', 'de'].map(
  (language) => shippedJson(`src/text/vocabularies/${language}.json`) as LanguageFile,
);

const split = (words: string): string[] => words.split(' ').filter((word) => word !== '');

/** The words of one list, such as the stop words, in all languages. */
const wordList = (key: ListKey): string[] =>
  LANGUAGE_FILES.flatMap((file) => (file[key] ?? []).flatMap(split));

const wordSet = (key: ListKey): ReadonlySet<string> => new Set(wordList(key));

/** For each spelling of a word, the concept that it stands for, such as "grey" for "charcoal". */
export type Vocabulary = ReadonlyMap<string, string>;

const vocabulary = (key: ConceptKey): Vocabulary =>
  new Map(
    LANGUAGE_FILES.flatMap((file) => Object.entries(file[key] ?? {})).flatMap(([concept, spellings]) =>
      [concept, ...split(spellings)].map((spelling): [string, string] => [spelling, concept]),
    ),
  );

/** Returns the concepts of a vocabulary that the words of a text name. */
export function conceptsOf(vocabulary: Vocabulary, words: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const word of words) {
    const concept = vocabulary.get(word);
    if (concept !== undefined) found.add(concept);
  }
  return found;
}

export const COLOURS = vocabulary('colours');

/**
 * Words for the kind of sale: an upgrade is not the full product, and a used product is not a new one.
 */
export const EDITIONS = vocabulary('editions');

/** Names of operating systems and game consoles. One listing may name several. */
export const PLATFORMS = vocabulary('platforms');

/** Names of languages that an edition of a product is made for. One listing may name several. */
export const LANGUAGES = vocabulary('languages');

/** Words that tell the members of a product line apart: a Pro is not a Lite. */
export const VARIANTS = vocabulary('variants');

/** The variant words that can follow a number as part of a device's name, as in "iPhone 13 Pro". */
export const TIER_WORDS = wordSet('tiers');

/**
 * For some tier words, the words before which they are not a tier: they belong to the next word in "air
 * purifier", "mini LED" and "ultra wide".
 */
const TIER_OF_NEXT_WORD: ReadonlyMap<string, RegExp> = new Map([
  ['air', /^\p{L}/u],
  ['mini', /^led$/],
  ['ultra', /^(?:hd|wide|light|slim)$/],
]);

/**
 * Whether a word is a tier word such as "pro" or "max".
 * @param next the word that follows it in the text.
 */
export const isTier = (word = '', next = ''): boolean =>
  TIER_WORDS.has(word) && !(TIER_OF_NEXT_WORD.get(word)?.test(next) ?? false);

/** Words that shops add to any name in order to sell. They say nothing about the product. */
export const MARKETING_WORDS = wordSet('marketingWords');

/**
 * Words of grammar that count for little when names are compared. The matching model is fitted with this list, so it
 * is not the list of `stop-words.ts`, which is for the text of a search.
 */
export const NAME_STOP_WORDS = wordSet('nameStopWords');

/** Words that end the noun phrase of a name, because they introduce what the product is for or comes with. */
export const PREPOSITIONS = wordSet('prepositions');

/**
 * Words of grammar other than prepositions. Words that also name products or properties (`no` frost,
 * trash `can`) are not among them.
 */
export const FILLERS = wordSet('fillers');

/** Words with which shoppers ask for a product and that do not describe it, such as "buy". */
export const SHOPPING_WORDS = wordSet('shoppingWords');

/** Names of the dimension to which a size or colour belongs, such as "length". */
export const DIMENSION_NAMES = wordSet('dimensionNames');

/**
 * Words that stand behind the noun of a product name without being nouns of products: colours, tiers,
 * units and sales talk.
 */
export const NOT_NOUNS = wordSet('notNouns');

/** Words for accessories, that is, for products that go with another product. */
export const ACCESSORIES = vocabulary('accessories');

/** The accessory words that never occur in the name of the product that the accessory goes with. */
export const ONLY_ACCESSORIES = wordSet('onlyAccessories');

/** The words that make a name the name of an accessory if its noun phrase ends with one of them. */
export const ACCESSORY_LAST_WORDS: ReadonlySet<string> = new Set([
  ...ACCESSORIES.keys(),
  ...wordList('accessoryLastWords'),
]);

/**
 * The words that make a name the name of an accessory if it begins with one of them, in languages that
 * put the noun first.
 */
export const ACCESSORY_FIRST_WORDS = wordSet('accessoryFirstWords');

/** Matches the end of a run of ideographs that names an accessory. */
export const ACCESSORY_ENDING = new RegExp(`(?:${wordList('accessoryEndings').join('|')})$`, 'u');

/**
 * Returns all words for the same accessory, such as "bag" and "cover" for "case". Empty if the word is
 * no accessory.
 */
export function accessorySynonyms(word: string): string[] {
  const text = word.toLowerCase();
  const concept = ACCESSORIES.get(text) ?? ACCESSORIES.get(text.replace(/s$/, ''));
  return concept === undefined
    ? []
    : [...ACCESSORIES].flatMap(([spelling, of]) => (of === concept ? [spelling] : []));
}
