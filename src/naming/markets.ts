import { MARKETS } from '../platform/config/markets.js';
import { type ListedPhrase, readWordFiles, shippedWordFiles } from './word-files.js';

/** The lists of words of a market beside those of its currencies, which have the name of a code; docs/markets.md. */
const WORD_LISTS = [
  'from',
  'from_after',
  'was',
  'off',
  'tax',
  'net',
  'aside',
  'or',
  'installments',
  'label',
  'per',
  'piece',
  'free',
  'feed_only',
  'hundredths',
] as const;
export type MarketWords = (typeof WORD_LISTS)[number];
/**
 * The lists of words about goods.
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
 */
const GOODS_LISTS = [
  ...([
    'refurbished',
    'refurbished_placed',
    'refurbished_stated',
    'used',
    'used_placed',
    'used_stated',
  ] as const),
  ...(['new_stated', 'not_before', 'not_after', 'not_after_any', 'garments', 'graded', 'ungraded'] as const),
  ...(['beside_condition', 'condition_attributes', 'goes_with', 'goes_with_inside'] as const),
  ...(['stock', 'stock_in_feeds', 'worn_size', 'worn_size_after'] as const),
];
export type GoodsWords = (typeof GOODS_LISTS)[number];
/** Lists of the codes of currencies by the decimal separator that shops write. */
const SEPARATORS = { comma: ',', point: '.' } as const;

const MAX_BYTES = 150_000;
const PHRASE = /^[\p{L}\p{M}\p{N}\p{Sc}+&~～〜-][\p{L}\p{M}\p{N}\p{Sc} .'’"/+&-]*$/u;
const CODES = new Set(Intl.supportedValuesOf('currency'));

/** A mark or name of a currency beside an amount. */
export interface CurrencyMark {
  /** The ISO 4217 code of the currency that it denotes if nothing else is stated; null if several are meant. */
  meant: string | null;
  /** The codes of all currencies that it may denote. */
  possible: ReadonlySet<string>;
}

/** What the files of the markets say. */
export interface Markets {
  /** The lists of words (`from`, `tax` …) by folded phrase (`foldMark`). */
  words: ReadonlyMap<string, ReadonlySet<MarketWords>>;
  marks: ReadonlyMap<string, CurrencyMark>;
  /** The separators of decimals with which shops write amounts of a currency. */
  decimals: ReadonlyMap<string, ReadonlySet<'.' | ','>>;
  /** Every phrase and mark beside a price as it is written, the longest ones first. */
  phrases: readonly string[];
  goods: ReadonlyMap<GoodsWords, readonly Pick<ListedPhrase, 'phrase' | 'first'>[]>;
}

/** Folds a phrase or mark: without case, blanks, points, and percentages as in `inkl. 19 % MwSt.`. */
export const foldMark = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\d{1,2}(?:[.,]\d{1,2})?\s?%/g, '')
    .replace(/[\s.]/g, '');

const isOfGoods = (list: string): list is GoodsWords => (GOODS_LISTS as readonly string[]).includes(list);

/** Reads the files of markets. @throws ShippedFileError if a file is not one, or all are too large. */
export function readMarkets(files: Parameters<typeof readWordFiles>[0]): Markets {
  const names = [...WORD_LISTS, ...Object.keys(SEPARATORS), ...GOODS_LISTS];
  const goods = new Map<GoodsWords, ListedPhrase[]>();
  const words = new Map<string, Set<MarketWords>>();
  const meant = new Map<string, Set<string>>();
  const decimals = new Map<string, Set<'.' | ','>>();
  const phrases = new Set<string>();
  const add = <Value>(map: Map<string, Set<Value>>, key: string, value: Value) =>
    map.set(key, (map.get(key) ?? new Set()).add(value));
  for (const listed of readWordFiles(files, {
    isList: (name) => names.includes(name) || CODES.has(name),
    lists: `${names.join(', ')}, or the code of a currency`,
    phrase: PHRASE,
    maxBytes: MAX_BYTES,
  })) {
    const { list, phrase } = listed;
    if (isOfGoods(list)) goods.set(list, [...(goods.get(list) ?? []), listed]);
    else if (list in SEPARATORS) add(decimals, phrase, SEPARATORS[list as keyof typeof SEPARATORS]);
    else {
      phrases.add(phrase);
      if (CODES.has(list)) add(meant, foldMark(phrase), list);
      else add(words, foldMark(phrase), list as MarketWords);
    }
  }
  const possible = new Map([...meant].map(([mark, codes]) => [mark, new Set(codes)]));
  for (const [symbol, codes] of SYMBOLS) {
    const mark = foldMark(symbol);
    // `P` denotes pula, but `p` pence.
    const isKnown = possible.has(mark) && words.get(mark)?.has('hundredths') !== true;
    if (/\p{Sc}/u.test(symbol) || isKnown) {
      phrases.add(symbol);
      for (const code of codes) add(possible, mark, code);
    }
  }
  const marks = [...possible].map(([mark, codes]): [string, CurrencyMark] => {
    const own = [...(meant.get(mark) ?? [])];
    return [mark, { meant: own.length === 1 ? (own[0] ?? null) : null, possible: codes }];
  });
  const longest = [...phrases].sort((a, b) => b.length - a.length);
  return { words, marks: new Map(marks), decimals, phrases: longest, goods };
}

/** The currencies that each symbol of CLDR may denote, such as `$` all dollars and pesos. */
const SYMBOLS = new Map<string, string[]>();
for (const code of CODES) {
  const format = { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' } as const;
  const parts = new Intl.NumberFormat('en', format).formatToParts(1);
  const symbol = parts.find(({ type }) => type === 'currency')?.value ?? code;
  if (symbol !== code) SYMBOLS.set(symbol, [...(SYMBOLS.get(symbol) ?? []), code]);
}

/** The markets that ship with the service. */
export const SHIPPED_MARKETS: Markets = readMarkets(shippedWordFiles('markets', MARKETS));

/** Whether a phrase is in one of the lists of words. */
export const isMarketWord = (list: MarketWords, phrase: string): boolean =>
  SHIPPED_MARKETS.words.get(foldMark(phrase))?.has(list) ?? false;

/** The phrases of a list about goods, each with the first one of its line, in the languages of all markets. */
export const goodsPhrases = (list: GoodsWords): readonly Pick<ListedPhrase, 'phrase' | 'first'>[] =>
  SHIPPED_MARKETS.goods.get(list) ?? [];

/** The alphabetic scripts of the phrases, as the members of a character class. */
export const ALPHABETS = ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew']
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/** A pattern for a phrase of a market. Points after words, blanks before `$`, and a percentage within words of VAT are optional. */
function patternOf(phrase: string): string {
  const words = phrase.split(' ').map((word) =>
    escaped(word)
      .replaceAll(String.raw`\.`, String.raw`\.?`)
      .replace(/(?<=.)\\\$/, String.raw`\s?\$`),
  );
  const share =
    isMarketWord('tax', phrase) || isMarketWord('net', phrase)
      ? String.raw`(?:\d{1,2}(?:[.,]\d{1,2})?\s?%\s*)?`
      : '';
  return words.join(String.raw`\.?\s*${share}`);
}

const IS_WORD = new RegExp(`[${ALPHABETS}]$`, 'u');

/** Returns a pattern that matches any of several phrases, the longest ones first. A phrase in an alphabetic script must end where a word ends. */
export function patternOfAny(phrases: readonly string[]): string {
  // Neighbours share one look-ahead: with one for each phrase, compiling the patterns of searches takes ten times as long.
  const runs: { isWord: boolean; patterns: string[] }[] = [];
  for (const phrase of phrases) {
    const isWord = IS_WORD.test(phrase);
    if (runs.at(-1)?.isWord === isWord) runs.at(-1)?.patterns.push(patternOf(phrase));
    else runs.push({ isWord, patterns: [patternOf(phrase)] });
  }
  const joined = runs.map(({ isWord, patterns }) =>
    isWord ? String.raw`(?:${patterns.join('|')})(?![${ALPHABETS}])\.?` : patterns.join('|'),
  );
  // Without phrases, `(?!)`, which matches nothing.
  return `(?:${joined.join('|') || '(?!)'})`;
}
