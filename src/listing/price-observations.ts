import { compareInstants, DAY_MS } from './instant.js';
import type { PriceObservation } from './listing.js';
import { toUnits } from './price.js';

/** The maximum number of observed prices, and of declared prices, of a listing. The oldest are dropped. */
export const MAX_OBSERVATIONS = 1_000;

/** The time after which a price that is not observed again counts as unknown. A run of one price keeps a point per fortnight. */
export const GAP_MS = 14 * DAY_MS;

/**
 * Merges price observations, which may arrive in any order, into a history sorted by time. If several share a
 * time, the last one wins. Of a run of one price, only the first and the last observation and one per
 * fortnight are kept. A declared price never replaces an observed one.
 * @returns `history` itself if nothing changes.
 */
export function mergeObservations(
  history: PriceObservation[],
  observations: readonly PriceObservation[],
): PriceObservation[] {
  if (!history.some(isDeclared) && !observations.some(isDeclared)) return mergeKind(history, observations);
  const merged = [isObserved, isDeclared]
    .flatMap((isKind) => mergeKind(history.filter(isKind), observations.filter(isKind)))
    .sort((a, b) => compareInstants(a.at, b.at));
  return isSameHistory(merged, history) ? history : merged;
}

function mergeKind(history: PriceObservation[], observations: readonly PriceObservation[]) {
  if (observations.length === 0) return history;
  if (history.length === 0) return thinOut(separateSightings(sorted(observations))).slice(-MAX_OBSERVATIONS);
  const byTime = new Map(history.map((observation) => [observation.at, observation]));
  const isKnown = (observation: PriceObservation) => {
    const stored = byTime.get(observation.at);
    return isEqual(join(stored, observation), stored);
  };
  if (observations.every(isKnown)) return history;
  for (const observation of observations)
    byTime.set(observation.at, join(byTime.get(observation.at), observation));
  const merged = [...byTime.values()].sort((a, b) => compareInstants(a.at, b.at));
  const kept = thinOut(separateSightings(merged)).slice(-MAX_OBSERVATIONS);
  return isSameHistory(kept, history) ? history : kept;
}

/** Combines a stored observation with another one of the same time. If their prices differ, `other` replaces it. */
function join(stored: PriceObservation | undefined, other: PriceObservation): PriceObservation {
  if (stored === undefined || !isSamePrice(stored, other)) return other;
  const seen = [stored.seen_until, other.seen_until].filter((at) => at !== undefined);
  const seen_until = seen.sort(compareInstants).at(-1);
  return { ...stored, ...other, ...(seen_until === undefined ? {} : { seen_until }) };
}

/** Ends sightings before the next observation. A price that was seen after another one becomes an observation of its own. */
function separateSightings(history: readonly PriceObservation[]): readonly PriceObservation[] {
  if (history.every(({ seen_until }) => seen_until === undefined)) return history;
  const open = [...history];
  const separate: PriceObservation[] = [];
  for (let current = open.shift(); current !== undefined; current = open.shift()) {
    const { seen_until, ...observation } = current;
    const [next] = open;
    if (seen_until === undefined || next === undefined || compareInstants(seen_until, next.at) < 0) {
      separate.push(current);
    } else if (isSamePrice(current, next)) {
      const seen = [seen_until, next.seen_until ?? next.at].sort(compareInstants).at(-1) ?? seen_until;
      open[0] = { ...next, at: current.at, seen_until: seen };
    } else {
      separate.push({ ...observation, seen_until: next.at });
      const after = open.findIndex(({ at }) => compareInstants(at, seen_until) >= 0);
      const index = after < 0 ? open.length : after;
      if (open[index]?.at !== seen_until) open.splice(index, 0, { ...observation, at: seen_until });
    }
  }
  return separate;
}

/**
 * Adds a price of a feed that states no times: it extends the observation of the same price in force, unless that is older than
 * a fortnight. @returns `history` itself if nothing changes.
 */
export function addSighting(history: PriceObservation[], sighting: PriceObservation): PriceObservation[] {
  const { at } = sighting;
  const inForce = history.findLast((one) => isObserved(one) && compareInstants(one.at, at) <= 0);
  if (inForce === undefined || !isSamePrice(inForce, sighting)) return mergeObservations(history, [sighting]);
  const last = inForce.seen_until ?? inForce.at;
  if (compareInstants(at, last) <= 0) return history;
  if (Date.parse(at) - Date.parse(last) > GAP_MS) return mergeObservations(history, [sighting]);
  const { ended_at: _, ...observation } = inForce;
  return history.map((one) => (one === inForce ? { ...observation, seen_until: at } : one));
}

const isDeclared = ({ declared }: PriceObservation): boolean => declared === true;
const isObserved = (observation: PriceObservation): boolean => !isDeclared(observation);

const isSameHistory = (a: readonly PriceObservation[], b: readonly PriceObservation[]): boolean =>
  a.length === b.length && a.every((observation, i) => isEqual(observation, b[i]));

const MEMBERS = ['at', 'price', 'currency', 'declared', 'from', 'seen_until', 'ended_at'] as const;

const isEqual = (a: PriceObservation, b: PriceObservation | undefined): boolean =>
  b !== undefined && MEMBERS.every((member) => a[member] === b[member]);

/** Sorts price observations by time; if several share a time, the last one wins. */
const sorted = (observations: readonly PriceObservation[]): PriceObservation[] =>
  observations
    .toSorted((a, b) => compareInstants(a.at, b.at))
    .filter(({ at }, i, all) => at !== all[i + 1]?.at);

/** Drops price observations between others of the same price that are close in time. @param history sorted by time. */
function thinOut(history: readonly PriceObservation[]): PriceObservation[] {
  const kept: PriceObservation[] = [];
  for (const observation of history) {
    const first = kept.at(-2);
    const last = kept.at(-1);
    const isInside =
      isSamePrice(last, first) && isSamePrice(last, observation) && isClose(first, observation);
    if (isInside) kept.pop();
    kept.push(observation);
  }
  return kept;
}

const isSamePrice = (a: PriceObservation | undefined, b: PriceObservation | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  isSameAmount(a.price, b.price) &&
  a.currency === b.currency &&
  a.from === b.from;

/** Whether two prices are equal. The texts of prices that earlier versions stored may differ in zeros at the end. */
const isSameAmount = (a: string, b: string): boolean => a === b || toUnits(a) === toUnits(b);

const isClose = (first: PriceObservation | undefined, last: PriceObservation): boolean =>
  first !== undefined && Date.parse(last.at) - Date.parse(first.at) <= GAP_MS;

/** The prices that statistics use: those observed in the listing's current currency, sorted by time. */
export const observedPrices = (history: readonly PriceObservation[]): PriceObservation[] =>
  history.filter(({ currency, declared }) => currency === undefined && declared !== true);

/** The observed prices until `observed_at` in the current currency, without earlier "from" prices; the last is the current one. */
export function pricesUntil(history: readonly PriceObservation[], observed_at: string, price: string | null) {
  const known = observedPrices(history).filter(
    ({ at, from }) => from !== true && compareInstants(at, observed_at) <= 0,
  );
  const last = known.at(-1);
  if (price !== null && (last === undefined || !isSameAmount(last.price, price)))
    known.push({ price, at: observed_at });
  return known;
}

/** Restates a history in another currency of the listing: an observation states its currency only if it is not the listing's. */
export function restateCurrency(history: PriceObservation[], from: string | null, to: string | null) {
  return history.map(({ currency = from, ...observation }) =>
    currency === to ? observation : { ...observation, currency },
  );
}

/** The times of the observed prices that differ from the previous one in the same currency. */
export function priceMoves(history: readonly PriceObservation[]): string[] {
  const observed = history.filter(isObserved);
  return observed
    .filter((observation, i) => {
      const before = observed[i - 1];
      if (before === undefined || before.currency !== observation.currency) return false;
      return !isSameAmount(before.price, observation.price);
    })
    .map(({ at }) => at);
}
