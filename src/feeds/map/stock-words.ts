import { phrasesOfMarkets } from '../../text/market-words.js';
import { bareTerm } from './schemaorg.js';

/** Pairs of words for "in stock" and "not in stock". A feed may use both even if its first rows contain only one of them. */
export const STOCK_PAIRS: readonly (readonly [yes: string, no: string])[] = (
  ['stock_in_feeds', 'stock'] as const
).flatMap((list) =>
  phrasesOfMarkets(list).flatMap(({ first, phrase }) => (phrase === first ? [] : [[first, phrase] as const])),
);

/** Folds a word: `In Stock`, `in_stock` and `https://schema.org/InStock` are equal; `-1` and `1` are not. */
export const foldWord = (text: string): string => bareTerm(text).replace(/(?<=[\p{L}\d])[\s_-]+/gu, '');

const IN_STOCK: ReadonlyMap<string, boolean> = new Map(
  STOCK_PAIRS.flatMap(([yes, no]) => [
    [foldWord(yes), true],
    [foldWord(no), false],
  ]),
);

/** Reads a stock word of any market, such as `sold out` or `auf Lager`. @returns whether it means in stock; undefined if unknown. */
export const readStockWord = (text: string): boolean | undefined => IN_STOCK.get(foldWord(text));
