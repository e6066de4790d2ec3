import { ALPHABETS, isMarketWord, patternOfAny } from '../naming/markets.js';
import { AMOUNT_UNITS, oneOf } from '../text/goods.js';
import { phrasesOfMarkets } from '../text/market-words.js';
import { AMBIGUOUS, type PriceContext, readDigits, type UnreadPrice } from './amount-digits.js';
import { decimalsOf, isCurrency } from './currency.js';
import { toUnits } from './price.js';
import {
  isTaxed,
  NO_WORDS,
  OFF,
  PER,
  phrasesIn,
  PIECE,
  SHARE,
  type Words,
  wordsAfter,
  wordsAfterTwo,
  wordsBefore,
  wordsOfTwo,
} from './price-words.js';

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

/** As in `/ 1 Stück`. */
const ONE_PIECE = new RegExp(`(/|${PER})\\s?1\\s?(?=${PIECE})`, 'giu');
/** A reduction beside two amounts, with or without a sign. */
const BADGE = new RegExp(`(?:\\s*(?:${OFF}|[-–−]?\\s?${SHARE})){1,2}`, 'iu');
const PARENTHESIS = /\(([^()]*)\)/gu;
const NET = new RegExp(patternOfAny(phrasesIn('net')), 'u');
/** What makes an amount in parentheses another one than the price: a unit (`/100 g`, `1 kg =`), or a word of other amounts. */
const OTHER_AMOUNT = new RegExp(
  String.raw`/\s?\d{0,4}\s?(?:fl\.?\s)?\p{L}{1,12}|\d{0,4}\s?\p{L}{1,12}\.?\s?=|(?<!\p{L})(?:${PER}\s?\d{0,4}\s?\p{L}{1,12}|${patternOfAny([...phrasesIn('net'), ...phrasesIn('was'), ...phrasesIn('off'), ...phrasesIn('aside')])})`,
  'giu',
);
/** Not those of lengths: goods that are sold by the metre have only the price of a metre. */
const UNITS = [...AMOUNT_UNITS].flatMap(([name, { per }]) => (per === 'm' ? [] : [name]));
const DIGITS = String.raw`\d[\d.,']*(?![\d.,'])`;
const MARKED_AMOUNT = String.raw`(?:${DIGITS}\s?[^\s\d/()%]{1,4}|[^\s\d]{1,4}\s?${DIGITS})`;
/** The price of a unit at the end, as in `2,49 € 24,90 €/kg`. */
const UNIT_PRICE = new RegExp(
  String.raw`(?<=\d\D{0,5})\s(${MARKED_AMOUNT})\s?(?:/|${PER})\s?(\d{0,4})\s?${oneOf(UNITS)}\.?$`,
  'iu',
);
/** An amount that is saved, before another amount. The amount after a word such as `reduziert` may be the price. */
const SAVING = new RegExp(
  String.raw`(?<![${ALPHABETS}])${patternOfAny(phrasesIn('off').filter((one) => isMarketWord('aside', one)))}[\s:]{0,3}${MARKED_AMOUNT}(?:\s?\(?${SHARE}\)?)?(?=\D+\d+(?!\d|\s?%))`,
  'iu',
);
/** Installments that are offered instead of the price, or one amount at the end that is saved or added. */
const ASIDE = new RegExp(
  String.raw`(?<![${ALPHABETS}])(?:(${patternOfAny(phrasesIn('or'))}).*|(?:${patternOfAny(phrasesIn('aside'))}|\d{1,4}\s?\p{L}{1,5}\s?=)\D{0,12}\d[\d.,' ]*(?!\d|\s?%)(?:${SHARE}|/\s?\d{1,4}|\D)*)$`,
  'iu',
);
const INSTALLMENTS = new RegExp(`(?<![${ALPHABETS}])${patternOfAny(phrasesIn('installments'))}`, 'iu');
/** What may lead to the second of two amounts and its mark. */
const ARROW = /\s(?:[/=→⇒>»]|->)(?=\s?[^\s\d]{0,4}$)/u;
/** A dash between an amount and words. */
const DASH = /^\s[-–—](?=\s\p{L})/u;
/** The word for the sign of a percentage. */
const PERCENT = new RegExp(
  String.raw`(?<=\d )${oneOf(phrasesOfMarkets('percent').map(({ phrase }) => phrase))}(?!\p{L})`,
  'iu',
);
/** In Chinese, a price of "79折" is 79 % of the earlier one. */
const CHINESE_SHARE = /(?<![\d.])(\d)\.?(\d?)\s?折(?!\p{L})/u;
/** An amount: digits with separators, decimals alone as in `,89` or `-,89`, dashes for decimals as in `49,-`; no percentage. */
const AMOUNT =
  /(?<=^[^\p{L}\d]{0,9})(?:[-–—],|[.,])\d\d(?![\d.,])|(?<!\d|(?:^|\s)[.,])\d(?:[\d.,'\s]{0,30}\d)?(?![\d.,]*\s?%)(?:(?:[.,:]\s?(?:[-–—−]{1,2}|=)|\s?\/[-–=])(?!\d))?/gu;
/** Zeros behind the fourth decimal, as databases with more decimals export them: `34.000000`. */
const FURTHER_ZEROS = /(?<=\.\d{4})0+$/;
/** The maximum length of a text, in characters, that is read as a price. */
const MAX_TEXT = 120;
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
    .replaceAll('״', '"')
    .replace(/[٬’‘´`ʻʼ′]/g, "'")
    .replace(/(?<!\d)[*†‡¹²³]|[*†‡](?!\d)/gu, ' ')
    .trim();

/**
 * Reads an amount as shops show it in any market, such as `49,-`, `ab 12,90 €*`, `₹1,29,999` or `S$1,299.00 each`. All other
 * words of the text must be known ones. If the only separator of an amount may be that of thousands or of decimals,
 * the amount is read only if the context, or the market of the mark beside it, decides which. A second amount must be the net
 * price, or a higher price that the text calls an earlier one or from which it states the reduction.
 */
export function readShownPrice(given: string, context: PriceContext): ShownPrice | UnreadPrice {
  const plain = plainPrice(given)
    .replace(/(\d)€(\d\d)(?![\d.,]|\s?€)/, '$1,$2 €')
    .replace(/(\d\.|\.\d{3},) (?=\d\d(?![\d.,]))/, '$1')
    .replace(PERCENT, '%')
    .replace(CHINESE_SHARE, (_, tens: string, ones: string) => `-${100 - Number(tens + (ones || '0'))}% `);
  if (plain.length > MAX_TEXT) return NO_AMOUNT;
  const amounts = [...plain.matchAll(AMOUNT)];
  const main = amounts.length > 1 ? withoutOtherAmounts(plain, context) : plain;
  const [found, other, ...more] = main === plain ? amounts : main.matchAll(AMOUNT);
  if (found === undefined) return NO_AMOUNT;
  const [badge = ''] = other === undefined || isTaxed(main) ? [] : (BADGE.exec(main) ?? []);
  const [share] = /\d+/.exec(badge) ?? [];
  const text = share === undefined ? main : main.replace(badge, ' '.repeat(badge.length));
  const sides = sidesOf(text, found, other);
  const { before, between, after } = sides;
  const unknown = before.unknown ?? between.unknown ?? after.unknown;
  if (unknown !== undefined)
    return {
      reason: `${other === undefined ? `${NO_AMOUNT.reason}:` : `${SEVERAL.reason}, and`} ${unknown}`,
    };
  if (more.length > 0) return SEVERAL;
  const marks = [...before.marks, ...between.marks, ...after.marks];
  const stated = currencyOf(marks);
  if ('reason' in stated) return stated;
  const first = amountOf(found[0], marks, stated, context);
  const second = other === undefined ? first : amountOf(other[0], marks, stated, context);
  if (typeof first !== 'string') return first;
  if (typeof second !== 'string') return second;
  const amount = other === undefined ? first : priceOfTwo(first, second, sides, Number(share));
  if (typeof amount !== 'string') return amount;
  return {
    amount: amount.replace(FURTHER_ZEROS, ''),
    ...stated,
    isFrom: before.isFrom || between.isFrom || after.isFrom,
  };
}

/** The words around one amount or two. */
function sidesOf(text: string, first: RegExpExecArray, second: RegExpExecArray | undefined): Sides {
  const end = first.index + first[0].length;
  const start = text.slice(0, first.index).trim();
  if (second === undefined) {
    const rest = text.slice(end).replace(DASH, '');
    return { before: wordsBefore(start), between: NO_WORDS, after: wordsAfter(rest.trim()) };
  }
  const gap = text.slice(end, second.index).trim();
  return {
    before: wordsOfTwo(start),
    between: wordsOfTwo(gap.replace(ARROW, '')),
    after: wordsAfterTwo(text.slice(second.index + second[0].length).trim()),
    isTaxedFirst: isTaxed(gap),
    isTaxedSecond: gap.includes('(') && isTaxed(text.slice(end)),
  };
}

/** What the marks beside amounts state together. */
function currencyOf(marks: Words['marks']): Pick<ShownPrice, 'currency' | 'possible' | 'mark'> | UnreadPrice {
  const mark = [...new Set(marks.map((one) => one.text))].join(' and ');
  const possible = marks.reduce<ReadonlySet<string> | null>(
    (all, one) => new Set([...one.possible].filter((code) => all?.has(code) ?? true)),
    null,
  );
  if (possible?.size === 0) return { reason: `states two currencies, ${mark}` };
  const meant = new Set(marks.flatMap((one) => one.meant ?? []).filter((code) => possible?.has(code)));
  const [currency = null] = possible?.size === 1 ? possible : meant.size === 1 ? meant : [];
  return { currency, possible, mark };
}

/** The decimal string of the digits of an amount. */
function amountOf(
  digits: string,
  marks: Words['marks'],
  { currency, possible }: Pick<ShownPrice, 'currency' | 'possible'>,
  context: PriceContext,
): string | UnreadPrice {
  const own = context.usual?.toUpperCase();
  if (marks.some((one) => isMarketWord('hundredths', one.text))) {
    const isOwn = own === undefined || possible?.has(own) === true;
    return isOwn && marks.length === 1 && /^\d{1,2}$/.test(digits)
      ? `0.${digits.padStart(2, '0')}`
      : NO_AMOUNT;
  }
  const usual = currency ?? own ?? null;
  const markets = usual !== null && possible?.has(usual) === true ? [usual] : [...(possible ?? [])];
  // Beside a code, a feed may have a decimal point in any currency with decimals, but hardly a decimal comma.
  const isOfMarket =
    marks.some((one) => !isCurrency(one.text)) || digits.includes(',') || decimalsOf(currency) === 0;
  const amount = readDigits(digits, { ...context, usual, markets: isOfMarket ? markets : [] });
  if (typeof amount === 'string' || amount.reason !== AMBIGUOUS || marks.length > 0) return amount;
  return { reason: `of ${context.usual?.slice(0, 10) ?? 'an unknown currency'} ${AMBIGUOUS}` };
}

const NO_AMOUNT: UnreadPrice = { reason: 'is not an amount of money' };
const SEVERAL: UnreadPrice = { reason: 'is not an amount of money: it has several numbers' };

/**
 * The price of two amounts, if words or numbers leave no choice: the lower one of a sale, or the one that includes tax.
 * @param share the percentage of a reduction; NaN if there is none.
 */
function priceOfTwo(
  first: string,
  second: string,
  { before, between, after, isTaxedFirst = false, isTaxedSecond = false }: Sides,
  share: number,
): string | UnreadPrice {
  const isRising = toUnits(first) < toUnits(second);
  const [low, high] = isRising ? [first, second] : [second, first];
  const reduction = 100 * (1 - toUnits(low) / toUnits(high));
  const isSale = Math.abs(share - reduction) < 1;
  const isNet = before.isNet || between.isNet || after.isNet;
  if (before.isEarlier || between.isEarlier) {
    const price = before.isEarlier ? second : first;
    const isPair = before.isEarlier !== between.isEarlier && !isNet && (isSale || Number.isNaN(share));
    return isPair && price === low ? price : SEVERAL;
  }
  // Rates of taxes on sales are from 2 to 28 %.
  const isRate = reduction > 1.9 && reduction < 21.9;
  const isGross = between.isNet || (isRising ? before.isNet || isTaxedSecond : after.isNet && isTaxedFirst);
  if (isGross && isRate) return high;
  return (isSale || low === high) && !isNet ? low : SEVERAL;
}

/** A text without amounts that are not the price, such as `(1 kg = 5,98 €)`, savings and installments. */
const withoutOtherAmounts = (text: string, context: PriceContext): string =>
  text
    .replace(PARENTHESIS, (all, inner: string) => {
      const rest = inner.replace(OTHER_AMOUNT, ' ');
      const isOther = rest !== inner && !isTaxed(inner) && 'amount' in readShownPrice(rest, context);
      return isOther ? ' ' : all;
    })
    .replace(ONE_PIECE, '$1 ')
    .replace(UNIT_PRICE, (all, unitPrice: string, quantity: string, at: number, whole: string) => {
      const [price, other] = [whole.slice(0, at), unitPrice].map((one) => readShownPrice(one, context));
      if (price === undefined || 'reason' in price || other === undefined || 'reason' in other) return all;
      // A lower price of a kilogram may be that of a sale, after the earlier one.
      return quantity !== '' || toUnits(price.amount) < toUnits(other.amount) ? '' : all;
    })
    .replace(SAVING, ' ')
    .replace(ASIDE, (all, or?: string) =>
      (or !== undefined) === INSTALLMENTS.test(all) && !NET.test(all.toLowerCase()) ? '' : all,
    );

/** What is said beside amounts. */
interface Sides {
  before: Words;
  /** Between two amounts. */
  between: Words;
  after: Words;
  /** Whether the first of two amounts includes tax. */
  isTaxedFirst?: boolean;
  /** Whether the second amount is in parentheses with words of tax. */
  isTaxedSecond?: boolean;
}
