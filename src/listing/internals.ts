import type { Product } from '../schemas/product.js';
import { attributeTexts } from './attributes.js';
import { claimIn } from './claim.js';
import { statedCondition } from './condition.js';
import { dealFacts } from './deals.js';
import { currentPeerFlags } from './flags.js';
import { identifiersOf } from './identify.js';
import { compareInstants, DAY_MS } from './instant.js';
import type {
  FeedRecord,
  ListingInternals,
  PriceObservation,
  StoredClaim,
  StoredListing,
} from './listing.js';
import { toUnits } from './price.js';
import {
  addSighting,
  mergeObservations,
  priceMoves,
  pricesUntil,
  restateCurrency,
} from './price-observations.js';

/** When the service received a record, and whether its sender is trusted. */
export interface RecordOrigin {
  /** When the listing was observed: by the record (`last_checked`), otherwise by the feed or load; for a dump, by the dump. */
  at: string;
  /** When the service received the record. */
  time: string;
  /** Whether past prices are stored as declared because the sender is not trusted. */
  declaredHistory: boolean;
}

/** The internal fields of a listing after a record was applied, except those that `derived.ts` adds. */
export function internalsOf(
  existing: StoredListing | null,
  product: Product,
  record: FeedRecord,
  origin: RecordOrigin,
): ListingInternals {
  const { at } = origin;
  const before = existing?.internal;
  const observations = observationsOf(existing, record, origin);
  const sighting = sightingOf(existing, record, origin);
  const restated =
    existing !== null && existing.currency !== product.currency
      ? restateCurrency(existing.internal.price_history, existing.currency, product.currency)
      : (before?.price_history ?? []);
  const history = addPrices(restated, observations, sighting);
  const price_units = product.price === null ? null : toUnits(product.price);
  const price_from = price_units !== null && record.price_from === true;
  const list_price = record.list_price === undefined ? (before?.list_price ?? null) : record.list_price;
  const declared_gtins = [(record.gtin === undefined ? before?.declared_gtins : record.gtin) ?? []].flat();
  const identifiers = identifiersOf(record.sku, declared_gtins, record.metadata);
  const { usual_units = null } = currentPeerFlags(product, { ...identifiers, judged: before?.judged }) ?? {};
  return {
    price_units,
    ...identifiers,
    attributes: attributeTexts(record.metadata),
    list_price,
    declared_gtins,
    ...(before !== undefined &&
    // A sighting that only extends the last observation changes none of these facts.
    hasSamePrices(before, { price_units, price_from, list_price, price_history: history }, sighting !== null)
      ? storedPriceFacts(before)
      : priceFacts(history, { price_units, price_from, list_price, usual_units }, at, product)),
    first_observed_at: firstObserved(
      before?.first_observed_at ?? record.times?.first_observed_at ?? null,
      observations,
      origin,
    ),
    observed_at: at,
    price_history: product.price === null ? endPrice(history, existing, record, at) : history,
    has_image: product.image_url !== null,
    image: before?.image ?? null,
    picture: before?.picture ?? null,
    judged: before?.judged ?? null,
    crowd: before?.crowd ?? false,
    changes: before?.changes ?? null,
    lineage: before?.lineage ?? null,
    price_from,
    condition: statedCondition(record.condition ?? null),
    delivery: record.delivery ? { ...record.delivery, units: null } : null,
    ...linkOf(existing, product, declared_gtins),
  };
}

/** Notes when a listing was first observed without a price: by a record with a time, not by being seen again without a price. */
export function endPrice(
  history: PriceObservation[],
  existing: StoredListing | null,
  { last_checked }: FeedRecord,
  at: string,
): PriceObservation[] {
  const last = history.findLast(({ declared }) => declared !== true);
  if (last === undefined || existing === null) return history;
  const isSeenAgain = existing.price === null && typeof last_checked !== 'string';
  const ended_at = isSeenAgain ? (last.ended_at ?? existing.internal.observed_at) : at;
  if (last.ended_at === ended_at) return history;
  return history.map((one) => (one === last ? { ...last, ended_at } : one));
}

/** The link of a listing to its product group. It is removed when the data that identify the product change. */
function linkOf(existing: StoredListing | null, product: Product, declared_gtins: readonly string[]) {
  if (existing === null) return {};
  const { group_id = existing.id, linked_at = null, declared_gtins: before } = existing.internal;
  const isSame =
    existing.name === product.name &&
    existing.brand === product.brand &&
    existing.description === product.description &&
    JSON.stringify([existing.metadata, before]) === JSON.stringify([product.metadata, declared_gtins]);
  return { group_id, linked_at: isSame ? linked_at : null };
}

type StatedPrices = Pick<ListingInternals, 'price_units' | 'price_from' | 'list_price'>;

/**
 * The facts about prices. Deals use the prices in the listing's currency that were known when the current price was observed.
 * Without a currency there is no deal. A "from" price is no deal, and proves no reduction.
 */
export function priceFacts(
  history: readonly PriceObservation[],
  { price_units, price_from = false, list_price, usual_units }: StatedPrices & { usual_units: number | null },
  observed_at: string,
  { price, currency }: Pick<Product, 'price' | 'currency'>,
) {
  const known = pricesUntil(history, observed_at, price);
  const deal = dealFacts(known, price_units, list_price === null ? null : toUnits(list_price), usual_units);
  const claimed = claimIn({ price, currency }, { price_history: [...history], observed_at, list_price });
  const claim: StoredClaim | null =
    claimed === null || !price_from ? claimed : { ...claimed, verdict: 'unknown', reference_units: null };
  return {
    ...deal,
    ...((currency === null || price_from) && { reference_units: null, observed_discount: null }),
    ...(price_from && { declared_discount: null }),
    price_moved_at: priceMoves(history),
    claim,
  };
}

/** Whether a record changes no price, so that the stored facts remain valid. Computing them takes most of the time of a record. */
const hasSamePrices = (
  before: Partial<ListingInternals>,
  after: StatedPrices & Pick<ListingInternals, 'price_history'>,
  isSeenAgain: boolean,
): boolean =>
  before.price_moved_at !== undefined &&
  (before.price_history === after.price_history ||
    (isSeenAgain && before.price_history?.length === after.price_history.length)) &&
  before.price_units === after.price_units &&
  (before.price_from ?? false) === after.price_from &&
  before.list_price === after.list_price;

const storedPriceFacts = (stored: ListingInternals) => ({
  reference_units: stored.reference_units,
  observed_discount: stored.observed_discount,
  declared_discount: stored.declared_discount,
  list_price_observed: stored.list_price_observed,
  price_moved_at: stored.price_moved_at,
  claim: stored.claim,
});

/** The maximum age of a price that an untrusted sender reports as the current one. */
const CURRENT_WITHIN_MS = DAY_MS;

/** Whether the price in the record's own fields is a past price from an untrusted sender. */
const isDeclaredPrice = (existing: StoredListing | null, { at, time, declaredHistory }: RecordOrigin) =>
  declaredHistory &&
  (Date.parse(time) - Date.parse(at) > CURRENT_WITHIN_MS ||
    (existing !== null && compareInstants(at, existing.internal.observed_at) < 0));

/** The price observations in a record but its sighting. A dump states a declared price twice; it stays declared when it is loaded. */
export function observationsOf(existing: StoredListing | null, record: FeedRecord, origin: RecordOrigin) {
  const { at, declaredHistory } = origin;
  const history = (record.price_history ?? []).map((one) => (declaredHistory ? declared(one) : one));
  if (typeof record.price !== 'string' || sightingOf(existing, record, origin) !== null) return history;
  // The history in a dump contains the current price. A dump without history states when the price was last seen.
  if (record.times !== undefined && history.length > 0) return history;
  if (history.some((one) => one.declared && one.at === at && one.price === record.price)) return history;
  const own = { price: record.price, at, ...fromIn(record) };
  return [...history, isDeclaredPrice(existing, origin) ? declared(own) : own];
}

/** The price of a record without a time, as a sighting at the time of the feed or load; null with a time or without a price. */
export const sightingOf = (
  existing: StoredListing | null,
  { price, price_from, last_checked, times }: FeedRecord,
  origin: RecordOrigin,
): PriceObservation | null =>
  typeof price === 'string' &&
  typeof last_checked !== 'string' &&
  times === undefined &&
  !isDeclaredPrice(existing, origin)
    ? { price, at: origin.at, ...fromIn({ price_from }) }
    : null;

const fromIn = ({ price_from }: Pick<FeedRecord, 'price_from'>): Pick<PriceObservation, 'from'> =>
  price_from === true ? { from: true } : {};

/** Adds the observations and the sighting in a record to a price history. */
export function addPrices(
  history: PriceObservation[],
  observations: readonly PriceObservation[],
  sighting: PriceObservation | null,
): PriceObservation[] {
  const merged = mergeObservations(history, observations);
  return sighting === null ? merged : addSighting(merged, sighting);
}

const declared = (observation: PriceObservation): PriceObservation => ({ ...observation, declared: true });

/** When a listing was first observed. Declared prices do not count. @param before the stored value. */
export function firstObserved(
  before: string | null,
  observations: readonly PriceObservation[],
  origin: RecordOrigin,
): string {
  const own = isDeclaredPrice(null, origin) ? origin.time : origin.at;
  const times = observations.flatMap((one) => (one.declared ? [] : [one.at]));
  return [own, ...times].reduce((first, at) => (compareInstants(at, first) < 0 ? at : first), before ?? own);
}
