/**
 * The price a shop would write for about so many cents: cheap goods in steps of five and ten cents, then the shop's
 * own ending, and nines before the point where a dollar does not matter.
 * @param ending 0 to 99: cents that the shop's prices end on.
 */
export function shopPrice(cents: number, ending: number): number {
  if (cents < 500) return rounded(cents, 5);
  if (cents < 2_000) return rounded(cents, 10);
  if (cents < 30_000) return rounded(cents - ending, 100) + ending;
  return rounded(cents + 100, 1_000) - 100;
}

const rounded = (cents: number, step: number): number => Math.max(step, Math.round(cents / step) * step);

/** @returns a decimal string with two decimals. */
export function decimal(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
