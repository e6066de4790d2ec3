import { compareInstants } from './instant.js';
import { toUnits } from './price.js';
import type { PriceObservation } from './record.js';

/** How many observed prices a listing keeps, and how many declared ones; beyond that the oldest go. */
export const MAX_OBSERVATIONS = 1_000;

/**
 * After so long without an observation nobody knows what the price was meanwhile. So a longer run keeps points in
 * between: what is left out of it makes no gap, and another price that is told late does not seem to have held for all of it.
 */
export const GAP_MS = 14 * 86_400_000;

/**
 * Merges observations into a history, sorted by time. Of several prices for one time the one that arrives last is kept,
 * and of a run of one price the two ends, with a point a fortnight between them. Observations may arrive in any order;
 * another price for a time inside a run splits what is kept of the run. Observed and declared prices are two histories in
 * one list: a declared price never replaces or displaces an observed one.
 * @returns `history` itself when nothing changes.
 */
export function mergeHistory(
  history: PriceObservation[],
  observations: readonly PriceObservation[],
): PriceObservation[] {
  if (!history.some(isDeclared) && !observations.some(isDeclared)) return mergeKind(history, observations);
  const merged = [isObserved, isDeclared]
    .flatMap((isKind) => mergeKind(history.filter(isKind), observations.filter(isKind)))
    .sort((a, b) => compareInstants(a.at, b.at));
  return sameHistory(merged, history) ? history : merged;
}

function mergeKind(
  history: PriceObservation[],
  observations: readonly PriceObservation[],
): PriceObservation[] {
  if (observations.length === 0) return history;
  if (history.length === 0) return runEnds(inOrder(observations)).slice(-MAX_OBSERVATIONS);
  const byTime = new Map(history.map((observation) => [observation.at, observation]));
  if (observations.every((observation) => equal(observation, byTime.get(observation.at)))) return history;
  for (const observation of observations) byTime.set(observation.at, observation);
  const merged = [...byTime.values()].sort((a, b) => compareInstants(a.at, b.at));
  const kept = runEnds(merged).slice(-MAX_OBSERVATIONS);
  return sameHistory(kept, history) ? history : kept;
}

const isDeclared = ({ declared }: PriceObservation): boolean => declared === true;
const isObserved = (observation: PriceObservation): boolean => !isDeclared(observation);

const sameHistory = (a: readonly PriceObservation[], b: readonly PriceObservation[]): boolean =>
  a.length === b.length && a.every((observation, i) => equal(observation, b[i]));

/** The prices that statistics use: those observed in the listing's currency of today, oldest first. */
export const observedPrices = (history: readonly PriceObservation[]): PriceObservation[] =>
  history.filter(({ currency, declared }) => currency === undefined && declared !== true);

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
  return history.map(({ currency = from, ...observation }) =>
    currency === to ? observation : { ...observation, currency },
  );
}

/**
 * When the price moved: the times of the observed prices that differ from the one before. Another currency is no move.
 * @param history oldest first.
 */
export function priceMoves(history: readonly PriceObservation[]): string[] {
  const observed = history.filter(isObserved);
  return observed
    .filter((observation, i) => {
      const before = observed[i - 1];
      if (before === undefined || before.currency !== observation.currency) return false;
      return before.price !== observation.price && toUnits(before.price) !== toUnits(observation.price);
    })
    .map(({ at }) => at);
}

/** Sorted by time; if several share a time, the last one wins. */
const inOrder = (observations: readonly PriceObservation[]): PriceObservation[] =>
  observations
    .toSorted((a, b) => compareInstants(a.at, b.at))
    .filter(({ at }, i, sorted) => at !== sorted[i + 1]?.at);

const equal = (a: PriceObservation, b: PriceObservation | undefined): boolean =>
  a.at === b?.at && a.price === b.price && a.currency === b.currency && a.declared === b.declared;

/**
 * A price that is checked every hour and never moves says little more than when it was seen first and last.
 * @param history oldest first.
 */
function runEnds(history: readonly PriceObservation[]): PriceObservation[] {
  const kept: PriceObservation[] = [];
  for (const observation of history) {
    const first = kept.at(-2);
    const last = kept.at(-1);
    const inside = samePrice(last, first) && samePrice(last, observation) && isRun(first, observation);
    if (inside) kept.pop();
    kept.push(observation);
  }
  return kept;
}

const samePrice = (a: PriceObservation | undefined, b: PriceObservation | undefined): boolean =>
  a !== undefined && a.price === b?.price && a.currency === b.currency;

const isRun = (first: PriceObservation | undefined, last: PriceObservation): boolean =>
  first !== undefined && Date.parse(last.at) - Date.parse(first.at) <= GAP_MS;
