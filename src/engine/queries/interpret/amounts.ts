import { MAY_GAP, oneOf } from './phrase.js';
import { CODES, MARKS_BEFORE, MARKS_BEHIND, OTHER_CODES, SCALES } from './price-words.js';

/** A number as a shopper writes it. */
export interface Amount {
  /** Decimal string. */
  value: string;
  /** ISO 4217 code, where the mark is that of one currency alone. */
  currency: string | null;
  /** Whether something says that it is money. */
  isMarked: boolean;
}

const literal = (text: string) => text.replaceAll(/[$.]/g, '\\$&');
const codes = [...CODES, ...Object.keys(OTHER_CODES)];
const before = oneOf([...Object.keys(MARKS_BEFORE).map(literal), ...codes]);
const behind = oneOf([...Object.keys(MARKS_BEHIND), ...codes]);

/** Groups that each adds to a pattern: mark, digits, scale, mark. */
export const AMOUNT_GROUPS = 4;
/** With more of the same phrase behind it. */
export const FIRST_AMOUNT =
  `(?:(${before})${MAY_GAP})?(\\d+(?:[.,]\\d+)*)(?:${MAY_GAP}(${oneOf(Object.keys(SCALES))})(?![a-z]))?` +
  `(?:${MAY_GAP}(${behind})(?![a-z]))?(?!\\d|[.,]\\d)`;
/** What is written to it is a unit, a share, a model number or a size. */
export const AMOUNT = `${FIRST_AMOUNT}(?![a-z0-9%‰°"”'’*×/_]|-[a-z0-9])`;

type Groups = readonly (string | undefined)[];

/**
 * What the groups of the amounts of a phrase come to; null: a number that is none or can be read in two ways. In
 * `1-2 juta` both are millions, in `500 - 2k` not.
 */
export function readAmounts(phrase: readonly Groups[]): (Amount | null)[] {
  const [[, least = '', ownScale] = [], [, most = '', scale] = []] = phrase;
  const sharesScale = ownScale === undefined && Number(least) < Number(most);
  return phrase.map((groups) => {
    const [before, digits, own = sharesScale ? scale : undefined, behind] = groups;
    return readAmount([before, digits, own, behind]);
  });
}

function readAmount(groups: Groups): Amount | null {
  const [first, digits = '', scale, last] = groups;
  const marks = [currencyOf(first), currencyOf(last)].filter((mark) => mark !== undefined);
  const named = [...new Set(marks.filter((mark) => mark !== null))];
  if (named.length > 1) return null;
  const currency = named[0] ?? null;
  const plain = plainNumber(digits, currency);
  if (plain === null) return null;
  const { places, isMoney } = SCALES[scale?.toLowerCase() ?? ''] ?? { places: 0, isMoney: false };
  const value = scaled(plain, places);
  return value === null ? null : { value, currency, isMarked: marks.length > 0 || isMoney };
}

/** The same price range must be of one currency: that of either. undefined: of two. */
export function commonCurrency(one: Amount, other: Amount): string | null | undefined {
  if (one.currency !== null && other.currency !== null && one.currency !== other.currency) return undefined;
  return one.currency ?? other.currency;
}

const MARKED_BEHIND = Object.entries(MARKS_BEHIND).map(
  ([piece, currency]) => [new RegExp(`^${oneOf([piece])}$`, 'iu'), currency] as const,
);

/** null: of several countries; undefined: no mark. */
function currencyOf(mark: string | undefined): string | null | undefined {
  if (mark === undefined) return undefined;
  const upper = mark.toUpperCase();
  if (CODES.includes(upper)) return upper;
  return (
    OTHER_CODES[upper] ??
    MARKS_BEFORE[upper] ??
    MARKED_BEHIND.find(([piece]) => piece.test(mark))?.[1] ??
    null
  );
}

/** Currencies whose prices have no cents, so that a point always groups. */
const WITHOUT_CENTS = ['IDR', 'VND', 'KRW', 'JPY'];

function plainNumber(digits: string, currency: string | null): string | null {
  if (/^\d+(?:\.\d{1,2})?$/.test(digits)) return digits;
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?$/.test(digits)) return digits.replaceAll(',', '');
  if (/^\d+,\d{1,2}$/.test(digits)) return digits.replace(',', '.');
  const hasPoints = /^\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?$/.test(digits);
  const isSure = /\..*[.,]/.test(digits) || WITHOUT_CENTS.includes(currency ?? '');
  return hasPoints && isSure ? digits.replaceAll('.', '').replace(',', '.') : null;
}

/** As text, so that no cent passes through a float. null: more than anything costs. */
function scaled(plain: string, places: number): string | null {
  const [whole = '', fraction = ''] = plain.split('.');
  const moved = whole + fraction.slice(0, places).padEnd(places, '0');
  const left = fraction.slice(places);
  const units = moved.replace(/^0+(?=\d)/, '');
  return units.length > 13 ? null : left === '' ? units : `${units}.${left}`;
}
