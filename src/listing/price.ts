/**
 * Money without floats. A price is a decimal string; to compare and filter, it becomes an integer number of
 * units, ten-thousandths of the currency's unit, which is exact for every ISO 4217 currency (four decimals at most).
 */
const UNIT_DECIMALS = 4;
const UNITS_PER_ONE = 10 ** UNIT_DECIMALS;

/** No price has this many units or more, so every price is exact as a JavaScript number. */
const UNITS_END = 2 ** 53;

/** Beyond this many digits a JSON number may no longer be the one that the feed wrote. */
const EXACT_DIGITS = 15;

const PLAIN_DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/** What `parsePrice` finds: the canonical text, or why it is not a price. */
export type ParsedPrice = { price: string } | { reason: string };

/**
 * Reads a price as feeds state it. The canonical text has at least two decimals, no leading zeros, and is
 * otherwise as it came: `"19.9"` → `"19.90"`, `"19.999"` stays.
 * @param value a decimal string, or a JSON number in its shortest form.
 */
export function parsePrice(value: string | number): ParsedPrice {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof value === 'number' && (/[en]/i.test(text) || text.replace(/\D/g, '').length > EXACT_DIGITS)) {
    return { reason: 'is not exact as a JSON number, write it as a string' };
  }
  const match = PLAIN_DECIMAL.exec(text);
  if (!match) return { reason: 'is not a positive decimal number (no sign, grouping or currency mark)' };
  const [, whole = '', decimals = ''] = match;
  if (decimals.length > UNIT_DECIMALS) return { reason: `has more than ${UNIT_DECIMALS} decimals` };
  const price = `${whole.replace(/^0+(?=\d)/, '')}.${decimals.padEnd(2, '0')}`;
  const units = toUnits(price);
  if (units === 0) return { reason: 'is not a positive decimal number: a price is greater than 0' };
  if (units >= UNITS_END) return { reason: 'is too large' };
  return { price };
}

/**
 * The units of a canonical price.
 * @param price decimal string of four decimals at most.
 */
export function toUnits(price: string): number {
  const point = price.indexOf('.');
  if (point < 0) return Number(price) * UNITS_PER_ONE;
  const decimals = price.length - point - 1;
  return Number(price.slice(0, point) + price.slice(point + 1)) * 10 ** (UNIT_DECIMALS - decimals);
}

/** The decimal string of a number of units, with two decimals or as many as it needs. */
export function formatUnits(units: number): string {
  const digits = String(Math.abs(units)).padStart(UNIT_DECIMALS + 1, '0');
  const decimals = digits.slice(-UNIT_DECIMALS).replace(/0{1,2}$/, '');
  return `${units < 0 ? '-' : ''}${digits.slice(0, -UNIT_DECIMALS)}.${decimals}`;
}

/** The least number of units that is not below the decimal: what `min_price` means. Any number of decimals, any sign. */
export function ceilUnits(decimal: string): number {
  return ceilScaled(decimal, UNITS_PER_ONE);
}

/** The largest number of units that is not above the decimal: what `max_price` means. */
export function floorUnits(decimal: string): number {
  return floorScaled(decimal, UNITS_PER_ONE);
}

/** The least integer that is not below decimal × scale, kept within ±2^53, where nothing is stored any more. */
export function ceilScaled(decimal: string, scale: number): number {
  const { floor, exact } = scaled(decimal, scale);
  return clamped(exact ? floor : floor + 1n);
}

function floorScaled(decimal: string, scale: number): number {
  return clamped(scaled(decimal, scale).floor);
}

/** Digits beyond this are not calculated with: a limit of a million digits must not cost seconds. */
const MAX_MAGNITUDE = 400;

function scaled(decimal: string, scale: number): { floor: bigint; exact: boolean } {
  const [, sign, whole = '', decimals = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(decimal) ?? [];
  if (whole + decimals === '') throw new RangeError(`not a decimal number: ${decimal}`);
  const { digits, dropped } = firstDigits(whole + decimals);
  const shift = Number(exponent) - decimals.length + dropped;
  const numerator = digits * BigInt(scale) * (shift > 0 ? 10n ** BigInt(Math.min(shift, MAX_MAGNITUDE)) : 1n);
  const divisor = shift < 0 ? 10n ** BigInt(Math.min(-shift, 2 * MAX_MAGNITUDE)) : 1n;
  const exact = numerator % divisor === 0n;
  const quotient = numerator / divisor;
  if (sign === '-') return { floor: exact ? -quotient : -quotient - 1n, exact };
  return { floor: quotient, exact };
}

/** The first digits of many, and a 1 for the rest where that is not zero: what is exact and what is not stays so. */
function firstDigits(text: string): { digits: bigint; dropped: number } {
  const start = text.search(/[1-9]/);
  if (start < 0) return { digits: 0n, dropped: 0 };
  const end = start + MAX_MAGNITUDE;
  const rest = text.slice(end);
  if (!/[1-9]/.test(rest)) return { digits: BigInt(text.slice(start, end)), dropped: rest.length };
  return { digits: BigInt(`${text.slice(start, end)}1`), dropped: rest.length - 1 };
}

const clamped = (value: bigint): number =>
  Number(
    value > BigInt(UNITS_END) ? BigInt(UNITS_END) : value < -BigInt(UNITS_END) ? -BigInt(UNITS_END) : value,
  );
