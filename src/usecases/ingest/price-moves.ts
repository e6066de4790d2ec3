import type { Summary } from './summary.js';

/**
 * Returns the change of the median price in a load, in percent of the earlier price; negative if prices fell. Null if no
 * stored listing was seen again.
 * Listings that lost their price do not count.
 * @param moves the changes of the prices that moved, as natural logarithms.
 */
export function medianOfMoves(
  moves: readonly number[],
  { unchanged, checked, history, changed, price_moved }: Summary,
): number | null {
  const seen = unchanged + checked + history + changed + price_moved;
  if (seen === 0) return null;
  // Prices that did not move are zeros in the middle of the sorted changes.
  const falls = moves.filter((move) => move < 0).sort((a, b) => a - b);
  const rises = moves.filter((move) => move > 0).sort((a, b) => a - b);
  const total = Math.max(seen, moves.length);
  const at = (place: number): number =>
    falls[place] ?? (place < total - rises.length ? 0 : (rises[place - (total - rises.length)] ?? 0));
  const middle = (total - 1) / 2;
  const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
  return Number((100 * (Math.exp(median) - 1)).toPrecision(4));
}
