import { readsMarket } from '../platform/config/markets.js';
import { shippedJson } from '../platform/shipped-files.js';

/** The words of one language, without brands: lists, and concepts with their further spellings. Blanks separate words. */
type LanguageFile = Record<string, readonly string[] | Readonly<Record<string, string>> | undefined>;

const LANGUAGE_FILES = ['en', 'ms', 'zh', 'fr', 'de', 'th']
  .filter(readsMarket)
  .map((language) => shippedJson(`src/text/vocabularies/${language}.json`) as LanguageFile);

const split = (words: string): string[] => words.split(' ').filter((word) => word !== '');

/** The values of one list or set of concepts in the languages of the markets that this process reads. */
const valuesOf = <Value>(key: string): Value[] =>
  LANGUAGE_FILES.flatMap((file) => (file[key] === undefined ? [] : [file[key] as Value]));

const wordList = (key: string): string[] => valuesOf<readonly string[]>(key).flat().flatMap(split);

const wordSet = (key: string): ReadonlySet<string> => new Set(wordList(key));

/** The concept for each spelling of a word, such as "grey" for "charcoal". */
export type Vocabulary = ReadonlyMap<string, string>;

/** A map from the entries of a set of concepts in all languages. */
const mapOf = <Value>(key: string, read: (entry: [string, string]) => [string, Value][]) =>
  new Map(
    valuesOf<Record<string, string>>(key)
      .flatMap(Object.entries<string>)
      .flatMap(read),
  );

const vocabulary = (key: string): Vocabulary =>
  mapOf(key, ([concept, spellings]) => [concept, ...split(spellings)].map((word) => [word, concept]));

/** The concepts of a vocabulary that the words of a text name. */
export function conceptsOf(vocabulary: Vocabulary, words: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const word of words) {
    const concept = vocabulary.get(word);
    if (concept !== undefined) found.add(concept);
  }
  return found;
}

/** Words for the kind of sale: an upgrade is not the full product. */
export const EDITIONS = vocabulary('editions');
/** Names of operating systems and game consoles. One listing may name several. */
export const PLATFORMS = vocabulary('platforms');
/** Names of languages that an edition is made for. One listing may name several. */
export const LANGUAGES = vocabulary('languages');
/** Words that tell the members of a product line apart: a Pro is not a Lite. */
export const VARIANTS = vocabulary('variants');

/** The option that a word states, out of the mutually exclusive options of a property. */
export interface Alternative {
  property: string;
  /** The index of the option in the list of options: 1 for "cordless" in `corded | cordless`. */
  option: number;
}

/** The words that state one of several mutually exclusive options, such as "corded" and "cordless". */
export const ALTERNATIVES = mapOf<Alternative>('alternatives', ([property, options]) =>
  options
    .split('|')
    .flatMap((words, option): [string, Alternative][] =>
      split(words).map((word) => [word, { property, option }]),
    ),
);

/** Variant words that can follow a number, as in "iPhone 13 Pro". */
export const TIER_WORDS = wordSet('tiers');
/** The next words that a tier word belongs to, as in "air purifier", "mini LED", "ultra wide" and "GTX 1060". */
const TIER_OF_NEXT_WORD: ReadonlyMap<string, RegExp> = new Map([
  ['air', /^\p{L}/u],
  // FE before a focal length names a lens mount, and after a number the tier of a phone.
  ['fe', /^(?:\d{1,3}|f\d.*|pz)$/],
  ['mini', /^(?:led|itx|atx|displayport|dp|hdmi|usb)$/],
  ['ultra', /^(?:hd|wide|light|slim)$/],
  ['gt', /^\d/],
  ['gtx', /^\d/],
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
/** Words after the noun of a name that are not nouns of products: colours, tiers, units and marketing words. */
export const NOT_NOUNS = wordSet('notNouns');
/** Words that describe a product, such as "gaming", and never name its kind, although shops and shoppers may put them last. */
export const DESCRIBING = wordSet('describing');
/** Words that describe many products, such as "wall" and "wireless", before which the words of a product line end. */
export const DESCRIPTIONS = wordSet('descriptions');
/** Matches codes that name a network, standard or connector, which many products have, and not a model. */
export const PROPERTY_CODE = new RegExp(`^(?:${wordList('propertyCodes').join('|')})$`);

/** Matches the chipsets of mainboards, which many products have, with the letter of a board format or a variant: "b650m". */
export const CHIPSET = new RegExp(`^(?:${wordList('chipsets').join('|')})[eims]?$`);

/** Words for products that go with another product. */
export const ACCESSORIES = vocabulary('accessories');
/** Accessory words that never occur in the name of the product that the accessory goes with. */
export const ONLY_ACCESSORIES = wordSet('onlyAccessories');
/** Words with which the noun phrase of an accessory ends. */
export const ACCESSORY_LAST_WORDS: ReadonlySet<string> = new Set([
  ...ACCESSORIES.keys(),
  ...wordList('accessoryLastWords'),
]);

/** Phrases that end like an accessory and name a product of its own, such as `teabags`, without blanks. */
export const NO_ACCESSORIES = wordSet('noAccessories');
/** Words with which an accessory's name begins, in languages that put the noun first. */
export const ACCESSORY_FIRST_WORDS = wordSet('accessoryFirstWords');
/** Nouns of products that are for the product named before them: a projector lamp is not a projector. */
export const GOES_WITH = wordSet('goesWith');
/** Words that introduce what comes with a product. */
export const INCLUDING = wordList('including');
/** The end of a run of ideographs that names an accessory, longer ones first. */
export const ACCESSORY_ENDINGS =
  wordList('accessoryEndings')
    .toSorted((a, b) => b.length - a.length)
    .join('|') || '(?!)';
export const ACCESSORY_ENDING = new RegExp(`(?:${ACCESSORY_ENDINGS})$`, 'u');

/** The beginning of a Thai text that names an accessory. */
export const ACCESSORY_BEGINNINGS = wordList('accessoryBeginnings');
/** All words for the same accessory, such as "bag" and "cover" for "case". */
export function accessorySynonyms(word: string): string[] {
  const text = word.toLowerCase();
  const concept = ACCESSORIES.get(text) ?? ACCESSORIES.get(text.replace(/s$/, ''));
  return concept === undefined
    ? []
    : [...ACCESSORIES].flatMap(([spelling, of]) => (of === concept ? [spelling] : []));
}
