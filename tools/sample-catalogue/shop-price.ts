/**
 * Rounds an amount to a price that a shop would ask: multiples of 5 cents below 5 dollars, of 10 cents below
 * 20 dollars, the shop's own `ending` in cents below 300 dollars, and 9 dollars above, such as 799.00.
 */
export function shopPrice(cents: number, ending: number): number {
  if (cents < 500) return rounded(cents, 5);
  if (cents < 2_000) return rounded(cents, 10);
  if (cents < 30_000) return rounded(cents - ending, 100) + ending;
  return rounded(cents + 100, 1_000) - 100;
}

const rounded = (cents: number, step: number): number => Math.max(step, Math.round(cents / step) * step);

export function decimal(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
