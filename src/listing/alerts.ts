import {
  ALERT_CONDITIONS,
  type AlertCondition,
  type AlertConditionName,
  firesAtEvents,
} from '../schemas/alerts.js';
import { isInCondition } from './condition.js';
import type { StoredListing } from './listing.js';
import { toUnits } from './price.js';
import { DAY_MS } from './instant.js';
import { settersOf } from './lineage.js';
import { SIGHTING_STEP_MS } from './merge.js';
import { ownerOf } from './owner.js';
import { observedPrices } from './price-observations.js';
import { beforeCurrentPrice, lowestPriceBetween, segmentsOf } from './price-statistics.js';
import { hasMistrustedPrice, isUnusuallyLow, usualPrice } from './usual-price.js';

const WINDOWS_MS: Record<NonNullable<AlertCondition['new_low']>, number> = {
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
  ever: Infinity,
};

/** The part of an alert that decides when it fires. Prices are in ten-thousandths of the currency's unit. */
export interface AlertRule {
  when: AlertCondition;
  cooldown_s: number;
  /** The price at the creation of the alert; null if there was none. */
  baseline_units: number | null;
}

/** What an alert knows from earlier checks. */
export interface AlertMemory {
  units: number | null;
  in_stock: boolean;
  /** When the alert fired last, in milliseconds since 1970. */
  fired_at: number | null;
  /** Whether the condition was false at a check since the alert fired, or the alert has not fired yet. */
  was_false: boolean;
}

/** The price and the availability of what an alert watches, at a time in milliseconds since 1970. */
export interface AlertObservation {
  at: number;
  units: number | null;
  in_stock: boolean;
  /** The lowest price before the current one, within the window of the alert; null if none is known. */
  lowest_before: number | null;
  /** Whether a price does not count yet, because it is unusually low and was seen only once. */
  waits: boolean;
}

export type WatchedOffer = Pick<StoredListing, 'id' | 'price' | 'currency' | 'is_available'> &
  Partial<Pick<StoredListing, 'source'>> & {
    internal: Pick<
      StoredListing['internal'],
      'price_history' | 'observed_at' | 'flags' | 'owner' | 'condition' | 'price_from' | 'lineage'
    >;
  };

/**
 * What an alert observes: the price of a listing, or the lowest price of the offers of a product that are new goods, not
 * out of stock, and not flagged; "from" prices count only without others, and prices below half of the usual one only when
 * seen a second time. Prices in other currencies do not count.
 * @param peers the offers of the product from which the usual price is computed.
 */
export function observeOffers(
  offers: readonly WatchedOffer[],
  { scope, currency, when }: { scope: 'listing' | 'product'; currency: string | null; when: AlertCondition },
  at: number,
  peers: readonly WatchedOffer[] = offers,
): AlertObservation {
  const isPriced = (offer: WatchedOffer): boolean => offer.price !== null && offer.currency === currency;
  const usual = usualPrice(
    peers.filter(isPriced).map((one) => ({ owner: ownerOf({ source: '', ...one }), price: unitsOf(one) })),
  );
  const isCertain = (offer: WatchedOffer): boolean =>
    usual === null || !isUnusuallyLow(unitsOf(offer), usual.price) || wasSeenTwice(offer);
  const stated = offers.filter(isPriced);
  const priced = stated.filter(isCertain);
  const eligible = scope === 'listing' ? priced : priced.filter(isOffered);
  const [best = null] = eligible.sort(
    (a, b) => Number(isFrom(a)) - Number(isFrom(b)) || unitsOf(a) - unitsOf(b) || a.id - b.id,
  );
  const units = best === null ? null : unitsOf(best);
  const window = when.new_low === undefined ? null : WINDOWS_MS[when.new_low];
  return {
    at,
    units,
    in_stock: offers.some(({ is_available }) => is_available === true),
    lowest_before:
      window === null || best === null || isFrom(best) ? null : lowestBefore(priced, best, at, window),
    waits: priced.length < stated.length,
  };
}

/** Whether the current price was seen again after 15 minutes or more, by the times in its feed and those of the loads. */
function wasSeenTwice({ internal: { price_history, lineage } }: WatchedOffer): boolean {
  const prices = observedPrices(price_history);
  const before = beforeCurrentPrice(prices);
  const { at = '', seen_until = at } = prices.at(-1) ?? {};
  if (before === null || Date.parse(seen_until) - before.began < SIGHTING_STEP_MS) return false;
  const loads = lineage ?? [];
  // If no recorded load has set the price, it is older than all of them.
  const first = settersOf(loads, ['price']).get('price') ?? null;
  const last = loads.at(-1);
  return (
    last !== undefined &&
    (first === null ||
      (last.run !== first.run && Date.parse(last.at) - Date.parse(first.at) >= SIGHTING_STEP_MS))
  );
}

const unitsOf = ({ price }: WatchedOffer): number => toUnits(price ?? '0');

const isFrom = ({ internal }: WatchedOffer): boolean => internal.price_from === true;

const isOffered = ({ is_available, internal }: WatchedOffer): boolean =>
  is_available !== false && !hasMistrustedPrice(internal) && isInCondition({ internal }, ['new']);

/** The lowest price of all offers within a window before the current price of the best offer. */
function lowestBefore(offers: readonly WatchedOffer[], best: WatchedOffer, at: number, windowMs: number) {
  const lows = offers.flatMap((offer) => {
    const segments = segmentsOf(offer, at);
    const last = offer === best ? segments.findLastIndex(({ units }) => units !== unitsOf(best)) : Infinity;
    return lowestPriceBetween(segments.slice(0, last + 1), at - windowMs, at) ?? [];
  });
  return lows.length === 0 ? null : Math.min(...lows);
}

/** The memory of a new alert. It may fire at its first check, but `back_in_stock` only after the product was out of stock. */
export const firstMemory = (
  { back_in_stock }: AlertCondition,
  { units, in_stock }: Pick<AlertObservation, 'units' | 'in_stock'>,
): AlertMemory => ({ units, in_stock, fired_at: null, was_false: back_in_stock === undefined || !in_stock });

/**
 * Decides whether an alert fires. A condition on a state fires once, and again when it was false at a later check and the
 * cooldown has passed; a condition on an event fires at each event that is not within the cooldown.
 */
export function checkAlert(rule: AlertRule, memory: AlertMemory, observed: AlertObservation) {
  const { at, units, in_stock, waits } = observed;
  // Without another price, nothing is known until the price is seen again.
  if (waits && units === null && rule.when.back_in_stock === undefined) return { memory, fires: false };
  // Changes have the times of the processes that wrote them, so a change may be checked after a later one. It still counts.
  const time = Math.max(at, memory.fired_at ?? at);
  const isCool = memory.fired_at === null || time - memory.fired_at >= rule.cooldown_s * 1_000;
  const condition = ALERT_CONDITIONS.find((name) => rule.when[name] !== undefined);
  const holds = condition !== undefined && HOLDS[condition](rule, observed, memory);
  const isEvent = condition !== undefined && firesAtEvents(condition);
  const fires = holds && isCool && (isEvent || memory.was_false);
  return {
    fires,
    memory: {
      // A price that is unknown for a while does not count as a change.
      units: units ?? memory.units,
      in_stock,
      fired_at: fires ? time : memory.fired_at,
      was_false: !fires && (memory.was_false || !holds),
    },
  };
}

/** For each condition, whether it is true, or whether its event happened since the last check. */
const HOLDS: Record<
  AlertConditionName,
  (rule: AlertRule, observed: AlertObservation, memory: AlertMemory) => boolean
> = {
  price_below: ({ when: { price_below: limit = '0' } }, { units }) =>
    units !== null && units < toUnits(limit),
  drop_pct: ({ when: { drop_pct: percent = 100 }, baseline_units: baseline }, { units }) =>
    units !== null &&
    baseline !== null &&
    // The product exceeds the integers that are exact as numbers.
    BigInt(units) * 100n <= BigInt(baseline) * BigInt(100 - percent),
  new_low: (_rule, observed, memory) =>
    isChanged(observed, memory) &&
    observed.lowest_before !== null &&
    (observed.units ?? Infinity) < observed.lowest_before,
  back_in_stock: (_rule, { in_stock }) => in_stock,
  any_price_change: (_rule, observed, memory) => isChanged(observed, memory),
};

const isChanged = ({ units }: AlertObservation, memory: AlertMemory): boolean =>
  units !== null && memory.units !== null && units !== memory.units;
