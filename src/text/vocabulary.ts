import { shippedJson } from '../platform/shipped-files.js';

/** Lists of concepts with their spellings, such as colours. The name of a concept is one of its spellings. */
type ConceptKey = 'colours' | 'editions' | 'platforms' | 'languages' | 'variants' | 'accessories';

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
 * The words of shop listings and of shoppers in one language, none of which names one brand or product.
 * Blanks separate the words within a text.
 */
type LanguageFile = Partial<
  Record<ConceptKey, Readonly<Record<string, string>>> & Record<ListKey, readonly string[]>
>;

const LANGUAGE_FILES = ['en', 'ms', 'zh', 'fr', 'de'].map(
  (language) => shippedJson(`src/text/vocabularies/${language}.json`) as LanguageFile,
);

const split = (words: string): string[] => words.split(' ').filter((word) => word !== '');

const wordList = (key: ListKey): string[] =>
  LANGUAGE_FILES.flatMap((file) => (file[key] ?? []).flatMap(split));

const wordSet = (key: ListKey): ReadonlySet<string> => new Set(wordList(key));

/** The concept for each spelling of a word, such as "grey" for "charcoal". */
export type Vocabulary = ReadonlyMap<string, string>;

const vocabulary = (key: ConceptKey): Vocabulary =>
  new Map(
    LANGUAGE_FILES.flatMap((file) => Object.entries(file[key] ?? {})).flatMap(([concept, spellings]) =>
      [concept, ...split(spellings)].map((spelling): [string, string] => [spelling, concept]),
    ),
  );

/** The concepts of a vocabulary that the words of a text name. */
export function conceptsOf(vocabulary: Vocabulary, words: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const word of words) {
    const concept = vocabulary.get(word);
    if (concept !== undefined) found.add(concept);
  }
  return found;
}

export const COLOURS = vocabulary('colours');

/** Words for the kind of sale: an upgrade is not the full product. */
export const EDITIONS = vocabulary('editions');

/** Names of operating systems and game consoles. One listing may name several. */
export const PLATFORMS = vocabulary('platforms');

/** Names of languages that an edition is made for. One listing may name several. */
export const LANGUAGES = vocabulary('languages');

/** Words that tell the members of a product line apart: a Pro is not a Lite. */
export const VARIANTS = vocabulary('variants');

/** Variant words that can follow a number, as in "iPhone 13 Pro". */
export const TIER_WORDS = wordSet('tiers');

/** The next words that a tier word belongs to, as in "air purifier", "mini LED" and "ultra wide". */
const TIER_OF_NEXT_WORD: ReadonlyMap<string, RegExp> = new Map([
  ['air', /^\p{L}/u],
  ['mini', /^led$/],
  ['ultra', /^(?:hd|wide|light|slim)$/],
]);

/** Whether a word is a tier such as "pro" or "max". @param next the word that follows it. */
export const isTier = (word = '', next = ''): boolean =>
  TIER_WORDS.has(word) && !(TIER_OF_NEXT_WORD.get(word)?.test(next) ?? false);

/** Words that shops add to any name. They say nothing about the product. */
export const MARKETING_WORDS = wordSet('marketingWords');

/** Words that count for little when names are compared. The matching model is fitted with this list. */
export const NAME_STOP_WORDS = wordSet('nameStopWords');

/** Prepositions, which introduce what a product is for or comes with. */
export const PREPOSITIONS = wordSet('prepositions');

/** Words of grammar that do not also name products or properties, unlike `no` frost and trash `can`. */
export const FILLERS = wordSet('fillers');

/** Words with which shoppers ask for a product, such as "buy". */
export const SHOPPING_WORDS = wordSet('shoppingWords');

/** Dimensions to which a size or colour belongs, such as "length". */
export const DIMENSION_NAMES = wordSet('dimensionNames');

/** Words behind the noun of a name that are no nouns of products: colours, tiers, units and sales talk. */
export const NOT_NOUNS = wordSet('notNouns');

/** Words for products that go with another product. */
export const ACCESSORIES = vocabulary('accessories');

/** Accessory words that never occur in the name of the product that the accessory goes with. */
export const ONLY_ACCESSORIES = wordSet('onlyAccessories');

/** Words with which the noun phrase of an accessory ends. */
export const ACCESSORY_LAST_WORDS: ReadonlySet<string> = new Set([
  ...ACCESSORIES.keys(),
  ...wordList('accessoryLastWords'),
]);

/** Words with which an accessory's name begins, in languages that put the noun first. */
export const ACCESSORY_FIRST_WORDS = wordSet('accessoryFirstWords');

/** The end of a run of ideographs that names an accessory. */
export const ACCESSORY_ENDING = new RegExp(`(?:${wordList('accessoryEndings').join('|')})$`, 'u');

/** All words for the same accessory, such as "bag" and "cover" for "case". */
export function accessorySynonyms(word: string): string[] {
  const text = word.toLowerCase();
  const concept = ACCESSORIES.get(text) ?? ACCESSORIES.get(text.replace(/s$/, ''));
  return concept === undefined
    ? []
    : [...ACCESSORIES].flatMap(([spelling, of]) => (of === concept ? [spelling] : []));
}
