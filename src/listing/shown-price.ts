import {
  ALPHABETS,
  type CurrencyMark,
  foldMark,
  isMarketWord,
  patternOfAny,
  SHIPPED_MARKETS as MARKETS,
} from '../naming/markets.js';
import { memoize } from '../text/memoize.js';
import { AMBIGUOUS, type PriceContext, readDigits, type UnreadPrice } from './amount-digits.js';
import { isCurrency } from './currency.js';

/** An amount as a shop shows it, with what its text says about it. */
export interface ShownPrice {
  /** The amount as a decimal string. */
  amount: string;
  /** The ISO 4217 code of the currency that the text states; null if there is none or several are meant. */
  currency: string | null;
  /** The codes that the mark beside the amount may mean; null if there is no mark. */
  possible: ReadonlySet<string> | null;
  /** The mark as it is written; empty if there is none. */
  mark: string;
  /** Whether it is a "from" price, the lowest price of several variants. */
  isFrom: boolean;
}

const phrasesIn = (list: Parameters<typeof isMarketWord>[0]) =>
  MARKETS.phrases.filter((one) => isMarketWord(list, one));

const PHRASES = new Set(MARKETS.phrases);
const PHRASE = new RegExp(patternOfAny(MARKETS.phrases), 'iuy');
const PER_PIECE = new RegExp(
  `(?:/|${patternOfAny(phrasesIn('per'))})\\s*${patternOfAny(phrasesIn('piece'))}`,
  'iuy',
);
const CODE = new RegExp(`[A-Z]{3}(?![${ALPHABETS}])`, 'uy');
const FILLER = /[\s:;,.!()[\]|]{1,20}/uy;
/** What a reason quotes of a text that is not known: a word, a sign, or a rate such as `/kg`. */
const UNKNOWN = /[/-]?\s?(?:[\p{L}\p{M}]{1,30}\.?|[^\s\p{L}]{1,4})|./uy;

/** An amount: digits with separators, decimals alone as in `,89`, and dashes in place of decimals as in `49,-`. */
const AMOUNT =
  /(?<=^[^\p{L}\d]{0,9})[.,]\d\d(?![\d.,])|(?<!\d|(?:^|\s)[.,])\d(?:[\d.,'\s]{0,30}\d)?(?:(?:[.,:]\s?(?:[-–—−]{1,2}|=)|\s?\/[-–])(?!\d))?/u;
/** The longest text that is read as a price. */
const MAX_TEXT = 120;
/** The number of texts beside amounts whose reading is kept; the prices of a feed have few. */
const MAX_SIDES = 200;
/** The digit 0 of scripts with digits of their own. */
const ZEROS = [...'٠۰०০๐'].map((zero) => zero.charCodeAt(0));

/** A text with common digits and separators, without invisible characters and the signs of footnotes. */
export const plainPrice = (text: string): string => {
  const start = text.slice(0, MAX_TEXT + 1).trim();
  return /^[\w.,$€£ ]*$/.test(start) ? start : withoutSigns(start);
};

const withoutSigns = (text: string): string =>
  text
    .replace(/\p{Cf}/gu, '')
    .replace(/[\uff01-\uff5d]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replace(/\p{Nd}/gu, (digit) => {
      const zero = ZEROS.find((one) => digit.charCodeAt(0) >= one && digit.charCodeAt(0) < one + 10);
      return zero === undefined ? digit : String(digit.charCodeAt(0) - zero);
    })
    .replaceAll('٫', ',')
    .replace(/[٬’‘´`]/g, "'")
    .replace(/(?<!\d)[*†‡¹²³]|[*†‡](?!\d)/gu, ' ')
    .trim();

/**
 * Reads an amount as shops show it in any market, such as `49,-`, `ab 12,90 €*`, `₹1,29,999` or `S$1,299.00 each`. All other
 * words of the text must be known ones. If the only separator of an amount may be that of thousands or of decimals,
 * the amount is read only if the context, or the market of the mark beside it, decides which.
 */
export function readShownPrice(given: string, context: PriceContext): ShownPrice | UnreadPrice {
  const text = plainPrice(given);
  const found = AMOUNT.exec(text);
  if (found === null || text.length > MAX_TEXT) return { reason: 'is not an amount of money' };
  const before = wordsBefore(text.slice(0, found.index).trim());
  const after = wordsAfter(text.slice(found.index + found[0].length).trim());
  const unknown = before.unknown ?? after.unknown;
  if (unknown !== undefined) return { reason: `is not an amount of money: ${unknown}` };
  const marks = [...before.marks, ...after.marks];
  const mark = marks.map((one) => one.text).join(' and ');
  const possible = marks.reduce<ReadonlySet<string> | null>(
    (all, one) => new Set([...one.possible].filter((code) => all?.has(code) ?? true)),
    null,
  );
  if (possible?.size === 0) return { reason: `states two currencies, ${mark}` };
  const meant = new Set(marks.flatMap((one) => one.meant ?? []).filter((code) => possible?.has(code)));
  const [currency = null] = possible?.size === 1 ? possible : meant.size === 1 ? meant : [];
  const isShown = marks.some((one) => !isCurrency(one.text));
  const markets = currency === null ? [...(possible ?? [])] : [currency];
  const amount = readDigits(found[0], {
    ...context,
    usual: currency ?? context.usual?.toUpperCase() ?? null,
    markets: isShown ? markets : [],
  });
  if (typeof amount === 'string')
    return { amount, currency, possible, mark, isFrom: before.isFrom || after.isFrom };
  if (amount.reason !== AMBIGUOUS || marks.length > 0) return amount;
  return { reason: `of ${context.usual?.slice(0, 10) ?? 'an unknown currency'} ${AMBIGUOUS}` };
}

interface Words {
  marks: (CurrencyMark & { text: string })[];
  isFrom: boolean;
  /** Why they are not those of a price: the first part that is neither a mark nor a known word. */
  unknown?: string;
}

/** The marks and words before or after an amount. @param from the list of the words of "from" prices on this side. */
function wordsIn(side: string, from: 'from' | 'from_after'): Words {
  const words: Words = { marks: [], isFrom: false };
  let at = 0;
  const next = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(side)?.[0];
    return found === '' ? undefined : found;
  };
  while (at < side.length) {
    let part = next(FILLER) ?? next(PER_PIECE);
    if (part === undefined) {
      part = next(PHRASE) ?? next(CODE) ?? '';
      const mark = markOf(part);
      if (mark !== undefined) words.marks.push({ ...mark, text: part.trim().replace(/\.$/, '') });
      else if (isMarketWord(from, part)) words.isFrom = true;
      else if (!isMarketWord('label', part) && !isMarketWord('tax', part)) {
        const unknown = JSON.stringify((next(UNKNOWN) ?? side).trim());
        return {
          ...words,
          unknown: /\d/.test(side)
            ? 'it has several numbers'
            : `${unknown} is neither a currency nor a known word of prices; a map can select the amount with match`,
        };
      }
    }
    at += part.length;
  }
  return words;
}

const wordsBefore = memoize(MAX_SIDES, (side) => wordsIn(side, 'from'));
const wordsAfter = memoize(MAX_SIDES, (side) => wordsIn(side, 'from_after'));

/** The currencies of a mark or code; undefined if it is none. Marks of two letters are known only as shops write them. */
function markOf(part: string): CurrencyMark | undefined {
  const text = part.trim().replace(/\.$/, '');
  const isWritten = !/^\p{L}{1,2}$/u.test(text) || text === text.toUpperCase() || PHRASES.has(text);
  const mark = isWritten ? MARKETS.marks.get(foldMark(text)) : undefined;
  return mark ?? (isCurrency(text) ? { meant: text, possible: new Set([text]) } : undefined);
}
