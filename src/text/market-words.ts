import { MARKETS } from '../platform/config/markets.js';
import { shippedText } from '../platform/shipped-files.js';
import { type ListedPhrase, readWordFiles, shippedWordFiles } from './word-files.js';

const ENGLISH = 'en';
/** The lists that a file may have, besides those of currencies: those of English, some of which are empty. */
const LISTS: readonly string[] =
  shippedText(`src/naming/markets/${ENGLISH}.yaml`).match(/^[a-z_]+(?=:)/gm) ?? [];
export const CURRENCY_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

const MAX_BYTES = 150_000;
const PHRASE = /^[\p{L}\p{M}\p{N}\p{Sc}+&~～〜'"″”/-][\p{L}\p{M}\p{N}\p{Sc} .'’"/+&_-]*$/u;

/** The phrases of files of markets by list. */
export type MarketWords = ReadonlyMap<string, readonly ListedPhrase[]>;

/** Reads the files of markets. @throws ShippedFileError if a file is not one, or all are too large. */
export function readMarketWords(files: Parameters<typeof readWordFiles>[0]): MarketWords {
  const words = new Map<string, ListedPhrase[]>(LISTS.map((list) => [list, []]));
  for (const listed of readWordFiles(files, {
    isList: (name) => LISTS.includes(name) || CURRENCY_CODES.has(name),
    lists: `${LISTS.join(', ')}, or the code of a currency`,
    phrase: PHRASE,
    maxBytes: MAX_BYTES,
  }))
    words.set(listed.list, [...(words.get(listed.list) ?? []), listed]);
  return words;
}

/** The words of all markets that this process reads, those of English first. docs/markets.md describes the lists. */
export const MARKET_WORDS: MarketWords = readMarketWords(
  shippedWordFiles('markets', [ENGLISH, ...MARKETS.filter((name) => name !== ENGLISH)]),
);

/**
 * The phrases of a list. @throws if there is no such list. Those of prices are in docs/markets.md; those about goods are
 *
 * - `refurbished`, `used`: state the condition wherever they are in a name. `_placed`: only as the whole of a bracket or
 *   segment, or at the beginning or end of the name of something that is often sold used (`graded`). `_stated`: further values
 *   of an attribute (`condition_attributes`) that states nothing else.
 * - `not_before`, `not_after`: the first phrase of a line states nothing before or after the others; 0 is any number.
 *   `not_after_any`: no condition is stated after them. `beside_condition`: may stand beside it in a bracket or segment.
 * - `goes_with`: stand before what an accessory is for; `goes_with_inside`: not at the beginning of a name.
 * - `garments`: of which "used" is a colour. `ungraded`: goods whose "grade A" is a quality.
 * - `worn_size`, `worn_size_after`: stand before or after the size of clothes or shoes; the first of a line is the system.
 * - `stock`: for goods in stock, and on the same line for goods that are not; `stock_in_feeds`: not in searches.
 * - `unit`: names of units, after their symbol; `unit_in_searches`: those that are converted; `unit_in_listings`: those
 *   that are searched for as well, because the analyzers do not know them. The others of quantities are named after what they tell
 *   of goods; a hyphen stands for a blank or none, as letters are compared without marks.
 * - `percent`: words for the sign.
 * - `field_*`: names of columns of feeds for a field, the likeliest first; `*_columns`: others; `contents_words`: words in one
 *   that states what a product contains or weighs, and no stock.
 */
export function phrasesOfMarkets(list: string): readonly ListedPhrase[] {
  const phrases = MARKET_WORDS.get(list);
  if (phrases === undefined) throw new Error(`no ${list} in the words of markets`);
  return phrases;
}
