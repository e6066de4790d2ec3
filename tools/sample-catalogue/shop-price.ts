/**
 * Rounds an amount to a price that a shop would ask. Prices below 5 dollars are multiples of 5 cents, and
 * those below 20 dollars are multiples of 10 cents. Prices below 300 dollars end with the shop's own
 * digits, and higher prices end with 9 dollars, such as 799.00.
 * @param ending the last two digits of the shop's prices in cents, from 0 to 99.
 */
export function shopPrice(cents: number, ending: number): number {
  if (cents < 500) return rounded(cents, 5);
  if (cents < 2_000) return rounded(cents, 10);
  if (cents < 30_000) return rounded(cents - ending, 100) + ending;
  return rounded(cents + 100, 1_000) - 100;
}

const rounded = (cents: number, step: number): number => Math.max(step, Math.round(cents / step) * step);

/** Formats an amount in cents as a decimal string with two decimals. */
export function decimal(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
