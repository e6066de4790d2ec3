import { compareInstants } from './instant.js';
import { toUnits } from './price.js';
import type { PriceObservation } from './record.js';

/** How many observations a listing keeps. */
export const MAX_OBSERVATIONS = 1_000;

/**
 * Merges observations into a history. The outcome does not depend on the order in which they arrive: every point in
 * time is kept once, oldest first; what arrives later for the same time replaces what was there.
 * @returns `history` itself when nothing changes.
 */
export function mergeHistory(
  history: PriceObservation[],
  observations: readonly PriceObservation[],
): PriceObservation[] {
  const byTime = new Map(history.map((observation) => [observation.at, observation]));
  if (observations.every((observation) => equal(observation, byTime.get(observation.at)))) return history;
  for (const observation of observations) byTime.set(observation.at, observation);
  const merged = [...byTime.values()].sort((a, b) => compareInstants(a.at, b.at));
  const kept = thinned(merged, MAX_OBSERVATIONS);
  const same =
    kept.length === history.length && kept.every((observation, i) => equal(observation, history[i]));
  return same ? history : kept;
}

/**
 * Restates a history for a listing whose currency changes: an observation names its currency only while that is not
 * the listing's, so that prices of two currencies are never taken for a rise or a fall. Unknown (null) is a currency
 * of its own here: nobody can tell which one it was.
 */
export function restateCurrency(
  history: PriceObservation[],
  from: string | null,
  to: string | null,
): PriceObservation[] {
  return history.map(({ price, at, currency = from }) =>
    currency === to ? { price, at } : { price, at, currency },
  );
}

/**
 * When the price moved: the times of the observations that differ from the one before. Another currency is no move.
 * @param history oldest first.
 */
export function priceMoves(history: readonly PriceObservation[]): string[] {
  return history
    .filter((observation, i) => {
      const before = history[i - 1];
      if (before === undefined || before.currency !== observation.currency) return false;
      return before.price !== observation.price && toUnits(before.price) !== toUnits(observation.price);
    })
    .map(({ at }) => at);
}

const equal = (a: PriceObservation, b: PriceObservation | undefined): boolean =>
  a.at === b?.at && a.price === b.price && a.currency === b.currency;

/**
 * Points inside a run of one price say the least, so the oldest of them go first; then the oldest points.
 * @param history oldest first.
 */
function thinned(history: PriceObservation[], limit: number): PriceObservation[] {
  let surplus = history.length - limit;
  if (surplus <= 0) return history;
  const samePrice = (a: PriceObservation, b: PriceObservation | undefined) =>
    a.price === b?.price && a.currency === b.currency;
  const kept = history.filter((observation, i) => {
    const inside = samePrice(observation, history[i - 1]) && samePrice(observation, history[i + 1]);
    if (inside && surplus > 0) surplus--;
    else return true;
    return false;
  });
  return kept.slice(-limit);
}
