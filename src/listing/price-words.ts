import {
  ALPHABETS,
  type CurrencyMark,
  foldMark,
  isMarketWord,
  type MarketWords,
  patternOfAny,
  SHIPPED_MARKETS as MARKETS,
} from '../naming/markets.js';
import { memoize } from '../text/memoize.js';
import { isCurrency } from './currency.js';

const PHRASES = new Set(MARKETS.phrases);
/** In lower case: without the flag `i`, patterns take less time to compile and to match. */
const LOWER_PHRASES = [...new Set(MARKETS.phrases.map((one) => one.toLowerCase()))];
/** The phrases of a list, in lower case, the longest ones first. */
export const phrasesIn = (list: MarketWords) => LOWER_PHRASES.filter((one) => isMarketWord(list, one));

const PHRASE = new RegExp(patternOfAny(LOWER_PHRASES), 'uy');
/** Patterns for the words of a list, in lower case. */
export const PER = patternOfAny(phrasesIn('per'));
export const PIECE = patternOfAny(phrasesIn('piece'));
/** As in `/Stück`, `per piece`, and in Thai, with the unit first, `ชิ้นละ`. */
const PER_PIECE = new RegExp(`(?:/|${PER}|(?<=\\()(?=[^()]+\\)))\\s*${PIECE}|${PIECE}\\s*${PER}`, 'uy');
/** A pattern for a percentage. */
export const SHARE = String.raw`\d{1,2}(?:[.,]\d{1,2})?\s?%`;
export const OFF = patternOfAny(phrasesIn('off'));
const REDUCTION = new RegExp(`[-–−]\\s?${SHARE}|${OFF}\\s*${SHARE}|${SHARE}\\s*${OFF}`, 'uy');
/** A reduction before an amount, from which "20% off £64" may still have to be subtracted. */
const REDUCTION_BEFORE = new RegExp(`(?:${OFF}\\s*|[-–−]\\s?)?${SHARE}`, 'uy');
/** A rate after words of tax, as in `inc. VAT 20%`. */
const TAX_RATE = new RegExp(`\\(?${SHARE}`, 'uy');
const TAX = new RegExp(patternOfAny(phrasesIn('tax')), 'u');
/** Whether a text has words of included tax or added shipping. */
export const isTaxed = (text: string) => TAX.test(text.toLowerCase());
const CODE = new RegExp(`[A-Z]{3}(?![${ALPHABETS}])`, 'uy');
const FILLER = /[\s:;,.!・。、()[\]【】|]{1,20}/uy;
/** What a reason quotes of a text that is not known: a word, a sign, or a rate such as `/kg`. */
const UNKNOWN = /[/-]?\s?(?:[\p{L}\p{M}]{1,30}\.?|[^\s\p{L}]{1,4})|./uy;

/** The number of texts beside amounts whose reading is kept; the prices of a feed have few. */
const MAX_SIDES = 200;

/** What is said beside an amount. */
export interface Words {
  marks: (CurrencyMark & { text: string })[];
  isFrom: boolean;
  /** Whether they call the amount after them an earlier price. */
  isEarlier: boolean;
  isNet: boolean;
  /** Why they are not those of a price: the first part that is neither a mark nor a known word. */
  unknown?: string;
}

export const NO_WORDS: Words = { marks: [], isFrom: false, isEarlier: false, isNet: false };

/**
 * The marks and words beside amounts.
 * @param lists the lists of words, besides those of labels and tax, that are known on this side: of "from" and earlier prices.
 * @param reduction a pattern for the reductions that are known on this side.
 */
function wordsIn(side: string, lists: readonly MarketWords[], reduction?: RegExp): Words {
  const words: Words = { ...NO_WORDS, marks: [] };
  let at = 0;
  let share = reduction;
  const folded = side.toLowerCase();
  const lower = folded.length === side.length ? folded : side;
  const next = (pattern: RegExp | undefined, text = side): string | undefined => {
    if (pattern === undefined) return undefined;
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length ?? 0;
    return length === 0 ? undefined : side.slice(at, at + length);
  };
  while (at < side.length) {
    let part = next(FILLER) ?? next(PER_PIECE, lower) ?? next(share, lower);
    if (part === undefined) {
      part = next(PHRASE, lower) ?? next(CODE) ?? '';
      const mark = markOf(part);
      const list = lists.find((one) => isMarketWord(one, part ?? ''));
      const isTax = isMarketWord('tax', part);
      if (mark !== undefined) words.marks.push({ ...mark, text: part.trim().replace(/\.$/, '') });
      else if (list === 'was') words.isEarlier = true;
      else if (list === 'net') words.isNet = true;
      else if (list === 'from' || list === 'from_after') words.isFrom = true;
      else if (!isMarketWord('label', part) && !isTax) {
        const unknown = JSON.stringify((next(UNKNOWN) ?? side).trim());
        return {
          ...words,
          unknown: `${unknown} is neither a currency nor a known word of prices; a map can select the amount with match`,
        };
      }
      if (isTax || list === 'net') share = TAX_RATE;
    }
    at += part.length;
  }
  return words;
}

/** The marks and words before and after one amount, and around two. */
export const wordsBefore = memoize(MAX_SIDES, (side) => wordsIn(side, ['from'], REDUCTION_BEFORE));
export const wordsOfTwo = memoize(MAX_SIDES, (side) => wordsIn(side, ['was', 'from', 'net']));
export const wordsAfter = memoize(MAX_SIDES, (side) => wordsIn(side, ['from_after'], REDUCTION));
export const wordsAfterTwo = memoize(MAX_SIDES, (side) => wordsIn(side, ['from_after', 'net'], REDUCTION));

/** The currencies of a mark or code; undefined if it is none. Short marks are known only as shops write them: `P` is not pence. */
function markOf(part: string): CurrencyMark | undefined {
  const text = part.trim().replace(/\.$/, '');
  const isWritten = PHRASES.has(text) || !/^\p{L}{1,2}$/u.test(text) || /^\p{Lu}{2}$/u.test(text);
  const mark = isWritten ? MARKETS.marks.get(foldMark(text)) : undefined;
  return mark ?? (isCurrency(text) ? { meant: text, possible: new Set([text]) } : undefined);
}
