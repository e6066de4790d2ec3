import { CURRENCY_CODES, MARKET_WORDS, type MarketWords as Lists } from '../text/market-words.js';

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
/** Lists of the codes of currencies by the decimal separator that shops write. */
const SEPARATORS = { comma: ',', point: '.' } as const;

/** A mark or name of a currency beside an amount. */
export interface CurrencyMark {
  /** The ISO 4217 code that the mark denotes if nothing else states a currency; null if this is not clear. */
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
}

/** Folds a phrase or mark: without case, blanks, points, and percentages as in `inkl. 19 % MwSt.`. */
export const foldMark = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\d{1,2}(?:[.,]\d{1,2})?\s?%/g, '')
    .replace(/[\s.]/g, '');

/** Reads the words of prices in the files of markets. */
export function readMarkets(lists: Lists): Markets {
  const words = new Map<string, Set<MarketWords>>();
  const meant = new Map<string, Set<string>>();
  const decimals = new Map<string, Set<'.' | ','>>();
  const add = <Value>(map: Map<string, Set<Value>>, key: string, value: Value) =>
    map.set(key, (map.get(key) ?? new Set()).add(value));
  const phrasesOf = (list: string) => (lists.get(list) ?? []).map(({ phrase }) => phrase);
  for (const [list, separator] of Object.entries(SEPARATORS))
    for (const code of phrasesOf(list)) add(decimals, code, separator);
  for (const list of WORD_LISTS) for (const phrase of phrasesOf(list)) add(words, foldMark(phrase), list);
  for (const code of CURRENCY_CODES) for (const phrase of phrasesOf(code)) add(meant, foldMark(phrase), code);
  const phrases = new Set([...WORD_LISTS, ...CURRENCY_CODES].flatMap(phrasesOf));
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
  return { words, marks: new Map(marks), decimals, phrases: longest };
}

/** The currencies that each symbol of CLDR may denote, such as `$` all dollars and pesos. */
const SYMBOLS = new Map<string, string[]>();
for (const code of CURRENCY_CODES) {
  const format = { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' } as const;
  const parts = new Intl.NumberFormat('en', format).formatToParts(1);
  const symbol = parts.find(({ type }) => type === 'currency')?.value ?? code;
  if (symbol !== code) SYMBOLS.set(symbol, [...(SYMBOLS.get(symbol) ?? []), code]);
}

/** The markets that ship with the service. */
export const SHIPPED_MARKETS: Markets = readMarkets(MARKET_WORDS);

/** Whether a phrase is in one of the lists of words. */
export const isMarketWord = (list: MarketWords, phrase: string): boolean =>
  SHIPPED_MARKETS.words.get(foldMark(phrase))?.has(list) ?? false;

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
