import { type CurrencyMark, foldMark, isMarketWord, SHIPPED_MARKETS as MARKETS } from '../naming/markets.js';
import { memoize } from '../text/memoize.js';
import { decimalsOf, isCurrency } from './currency.js';

/** The separator of the decimals of a feed's amounts; `either`: amounts with a comma and amounts with a point may occur. */
export type Decimal = '.' | ',' | 'either';

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

/** Why no price is read from a text: a predicate, to which the caller adds the subject. */
export interface UnreadPrice {
  reason: string;
}

interface PriceContext {
  decimal: Decimal;
  /** Whether the operator stated the decimal separator, so that other ones are refused and three decimals are read. */
  isCertain?: boolean;
  /** The currency of amounts that state none. */
  usual?: string | null | undefined;
}

const ALPHABETS = ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew']
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

/** A pattern for a phrase of a market. Points after words, blanks before `$`, and a percentage within words of VAT are optional. */
function patternOf(phrase: string): string {
  const words = phrase.split(' ').map((word) =>
    escaped(word)
      .replaceAll(String.raw`\.`, String.raw`\.?`)
      .replace(/(?<=.)\\\$/, String.raw`\s?\$`),
  );
  const share = isMarketWord('tax', phrase) ? String.raw`(?:\d{1,2}(?:[.,]\d{1,2})?\s?%\s*)?` : '';
  return words.join(String.raw`\.?\s*${share}`);
}

const IS_WORD = new RegExp(`[${ALPHABETS}]$`, 'u');

/** Returns a pattern that matches any of several phrases. A phrase in an alphabetic script must end where a word ends. */
export function patternOfAny(phrases: readonly string[]): string {
  const signs = phrases.filter((phrase) => !IS_WORD.test(phrase)).map(patternOf);
  const words = phrases.filter((phrase) => IS_WORD.test(phrase)).map(patternOf);
  return `(?:${signs.join('|')}|(?:${words.join('|')})(?![${ALPHABETS}])\\.?)`;
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
const GROUPED = /^[1-9]\d{0,2}([.,' ])\d{3}(?:\1\d{3})*(?:(?!\1)([.,])\d+)?$/;
/** Groups of two digits above the last three, as shops in India and its neighbours write them. */
const LAKH = /^[1-9]\d?(?:(,)\d\d)+,\d{3}(?:(\.)\d+)?$/;
const PLAIN = /^\d+()(?:([.,])\d+)?$/;
const LIKE_THOUSANDS = /^[1-9]\d{0,2}([.,])\d{3}$/;

const ASK = 'has three decimals or a separator of thousands; specify --decimal point or --decimal comma';
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
  if (amount.reason !== ASK || marks.length > 0) return amount;
  return { reason: `of ${context.usual?.slice(0, 10) ?? 'an unknown currency'} ${ASK}` };
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

interface AmountContext extends PriceContext {
  usual: string | null;
  /** The currencies whose markets may have written the amount. */
  markets: readonly string[];
}

/** The decimal string of digits with separators; or why they are no amount. */
export function readDigits(text: string, context: AmountContext): string | UnreadPrice {
  const [whole = '', dash] = text
    .replace(':', '.')
    // As in India, `499/-`.
    .replace(/\s?\/[-–]$/, text.includes('.') ? ',-' : '.-')
    .split(/(?<=[.,])\s?(?:[-–—−]{1,2}|=)$/);
  const digits = (dash === undefined ? whole : `${whole}00`).replace(/\s/g, ' ').replace(/^(?=[.,])/, '0');
  const [, only] = LIKE_THOUSANDS.exec(digits) ?? [];
  if (only !== undefined) return eitherAmount(digits, only, context);
  const found = GROUPED.exec(digits) ?? LAKH.exec(digits) ?? PLAIN.exec(digits);
  if (found === null) return { reason: 'is not an amount of money' };
  const [, group = '', point = ''] = found;
  const { decimal, isCertain = false } = context;
  const isOther = decimal !== 'either' && (group === decimal || (point !== '' && point !== decimal));
  if (isCertain && isOther && dash === undefined)
    return {
      reason: `is not an amount of money with this decimal separator; if it is a ${decimal === '.' ? 'comma: --decimal comma' : 'point: --decimal point'}`,
    };
  return decimalString(digits, point);
}

const decimalString = (digits: string, point: string): string => {
  const at = point === '' ? -1 : digits.lastIndexOf(point);
  const whole = (at < 0 ? digits : digits.slice(0, at)).replace(/\D/g, '');
  return at < 0 ? whole : `${whole}.${digits.slice(at + 1)}`;
};

/** Reads an amount such as `1.299`, whose separator may be that of thousands or of three decimals. */
function eitherAmount(
  digits: string,
  separator: string,
  { decimal, isCertain = false, usual, markets }: AmountContext,
): string | UnreadPrice {
  const hasThree = decimalsOf(usual) === 3;
  const isOther = (code: string) => {
    const [own, more] = MARKETS.decimals.get(code) ?? [];
    return own !== undefined && more === undefined && own !== separator;
  };
  const thousands =
    decimal === 'either'
      ? !hasThree && markets.length > 0 && markets.every(isOther)
      : separator !== decimal && (isCertain || !hasThree);
  const decimals = decimal === 'either' ? hasThree : separator === decimal && (isCertain || hasThree);
  if (thousands || decimals) return decimalString(digits, decimals ? separator : '');
  return { reason: ASK };
}
