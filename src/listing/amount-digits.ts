import { SHIPPED_MARKETS as MARKETS } from '../naming/markets.js';
import { decimalsOf } from './currency.js';

/** The separator of the decimals of a feed's amounts; `either`: amounts with a comma and amounts with a point may occur. */
export type Decimal = '.' | ',' | 'either';

/** Why no price is read from a text, as a predicate ("has three decimals"), before which the caller puts the subject. */
export interface UnreadPrice {
  reason: string;
}

/** How the separators in an amount are read, and in which currency. */
export interface PriceContext {
  decimal: Decimal;
  /** Whether the operator stated `decimal`. Amounts with another decimal separator are then refused, and three decimals are read. */
  isCertain?: boolean;
  /** Whether `decimal` is a default. The market of a currency mark such as `Rp` then decides how `15.999` is read. */
  isAssumed?: boolean | undefined;
  /** The currency of amounts in texts that state none. */
  usual?: string | null | undefined;
}

const GROUPED = /^[1-9]\d{0,2}([.,' ])\d{3}(?:\1\d{3})*(?:(?!\1)([.,])\d+)?$/;
/** Matches groups of two digits before the last three, as in India and its neighbours: `1,29,999`. */
const LAKH = /^[1-9]\d?(?:(,)\d\d)+,\d{3}(?:(\.)\d+)?$/;
const PLAIN = /^\d+()(?:([.,])\d+)?$/;
const LIKE_THOUSANDS = /^[1-9]\d{0,2}([.,])\d{3}$/;

/** Why an amount is refused whose only separator may separate thousands or decimals. */
export const AMBIGUOUS =
  'has three decimals or a separator of thousands; specify --decimal point or --decimal comma';

interface AmountContext extends PriceContext {
  usual: string | null;
  /** The currencies whose markets may have written the amount. */
  markets: readonly string[];
}

/** The decimal string of digits with separators; or why they are no amount. */
export function readDigits(text: string, context: AmountContext): string | UnreadPrice {
  const [whole = '', dash] = text
    .replace(':', '.')
    .replace(/^[-–—]/, '')
    // In India `/-` and in East Africa `/=` after an amount stand for zero decimals: `499/-`.
    .replace(/\s?\/[-–=]$/, text.includes('.') ? ',-' : '.-')
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
  { decimal, isCertain = false, isAssumed = false, usual, markets }: AmountContext,
): string | UnreadPrice {
  const hasThree = decimalsOf(usual) === 3;
  const isOther = (code: string) => {
    const [own, more] = MARKETS.decimals.get(code) ?? [];
    return own !== undefined && more === undefined && own !== separator;
  };
  const ofMarket = !hasThree && markets.length > 0 && markets.every(isOther);
  const thousands =
    decimal === 'either' || (decimal === separator && isAssumed && !isCertain)
      ? ofMarket
      : separator !== decimal && (isCertain || !hasThree);
  const decimals = decimal === 'either' ? hasThree : separator === decimal && (isCertain || hasThree);
  if (thousands || decimals) return decimalString(digits, decimals ? separator : '');
  return { reason: AMBIGUOUS };
}
