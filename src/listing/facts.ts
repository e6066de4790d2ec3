import type { Product } from '../schemas/product.js';
import { attributesOf } from './attributes.js';
import { dealFacts } from './deals.js';
import { mergeHistory, observedPrices, priceMoves, restateCurrency } from './history.js';
import { identifiersOf } from './identify.js';
import { compareInstants } from './instant.js';
import type { ListingInternals, StoredListing } from './listing.js';
import { toUnits } from './price.js';
import type { FeedRecord, PriceObservation } from './record.js';

/** What the service keeps beside the product: identifiers, prices over time, and what they tell. */
export function internalsOf(
  existing: StoredListing | null,
  product: Product,
  record: FeedRecord,
  told: Told,
): ListingInternals {
  const { at } = told;
  const before = existing?.internal;
  const observations = observationsOf(existing, record, told);
  const restated =
    existing !== null && existing.currency !== product.currency
      ? restateCurrency(existing.internal.price_history, existing.currency, product.currency)
      : (before?.price_history ?? []);
  const history = mergeHistory(restated, observations);
  const price_units = product.price === null ? null : toUnits(product.price);
  const list_price = record.list_price === undefined ? (before?.list_price ?? null) : record.list_price;
  const declared_gtins = [(record.gtin === undefined ? before?.declared_gtins : record.gtin) ?? []].flat();
  return {
    price_units,
    ...identifiersOf(record.sku, declared_gtins, record.metadata),
    attributes: attributesOf(record.metadata),
    list_price,
    declared_gtins,
    ...(before !== undefined && sameBasis(before, { price_units, list_price, price_history: history })
      ? pickFacts(before)
      : factsOf(history, price_units, list_price, at, product)),
    first_observed_at: firstObserved(before?.first_observed_at ?? null, observations, told),
    observed_at: at,
    price_history: history,
    has_image: product.image_url !== null,
    image: before?.image ?? null,
    judged: before?.judged ?? null,
    ...linkOf(existing, product, declared_gtins),
  };
}

/** Its group is kept; that it was linked only as long as it says the same of what it is, which its price does not. */
function linkOf(
  existing: StoredListing | null,
  product: Product,
  declared_gtins: readonly string[],
): Pick<ListingInternals, 'group_id' | 'linked_at'> {
  if (existing === null) return {};
  const { group_id = existing.id, linked_at = null, declared_gtins: before } = existing.internal;
  const same =
    existing.name === product.name &&
    existing.brand === product.brand &&
    existing.description === product.description &&
    JSON.stringify([existing.metadata, before]) === JSON.stringify([product.metadata, declared_gtins]);
  return { group_id, linked_at: same ? linked_at : null };
}

/**
 * What the history tells. Deals look at what was known when the current price was seen, in its currency; the current
 * price ends it. Prices without a currency may be of two: a fall among them is no deal.
 */
export function factsOf(
  history: readonly PriceObservation[],
  price_units: number | null,
  list_price: string | null,
  observed_at: string,
  { price, currency: stated }: Pick<Product, 'price' | 'currency'>,
) {
  const known = observedPrices(history).filter(({ at }) => compareInstants(at, observed_at) <= 0);
  if (price !== null && known.at(-1)?.price !== price) known.push({ price, at: observed_at });
  const deal = dealFacts(known, price_units, list_price === null ? null : toUnits(list_price));
  const basis = stated === null ? { reference_units: null, observed_discount: null } : {};
  return { ...deal, ...basis, price_moved_at: priceMoves(history) };
}

/**
 * Whether the facts of a listing still stand: they cost more than all the rest of a merge. A document of schema 1 has
 * not all of them yet.
 */
const sameBasis = (
  before: Partial<ListingInternals>,
  after: Pick<ListingInternals, 'price_units' | 'list_price' | 'price_history'>,
): boolean =>
  before.price_moved_at !== undefined &&
  before.price_history === after.price_history &&
  before.price_units === after.price_units &&
  before.list_price === after.list_price;

const pickFacts = ({
  reference_units,
  observed_discount,
  declared_discount,
  list_price_observed,
  price_moved_at,
}: ListingInternals) => ({
  reference_units,
  observed_discount,
  declared_discount,
  list_price_observed,
  price_moved_at,
});

/** How a record came to the service. Times are ISO 8601, UTC. */
export interface Told {
  /** When it was observed, as it says, or `time`. */
  at: string;
  /** When the service received it. */
  time: string;
  /** Whether prices of the past are stored as declared, because only the sender has seen them. */
  declaredHistory: boolean;
}

/** A price that an untrusted sender dates within this time counts as received now. */
const RECENT_MS = 86_400_000;

/** Whether the record's own price is of the past and comes from an untrusted sender. */
const isDeclared = (existing: StoredListing | null, { at, time, declaredHistory }: Told): boolean =>
  declaredHistory &&
  (Date.parse(time) - Date.parse(at) > RECENT_MS ||
    (existing !== null && compareInstants(at, existing.internal.observed_at) < 0));

/**
 * The record's prices. One that names no time and repeats what the listing shows is a confirmation and adds nothing:
 * so loading the same file twice changes nothing. A dump states a declared price twice, in its history and as the price
 * of the listing, and it stays declared.
 */
export function observationsOf(
  existing: StoredListing | null,
  record: FeedRecord,
  told: Told,
): PriceObservation[] {
  const { at, declaredHistory } = told;
  const history = (record.price_history ?? []).map((one) => (declaredHistory ? declared(one) : one));
  if (typeof record.price !== 'string') return history;
  const repeated =
    typeof record.last_checked !== 'string' &&
    existing?.price === record.price &&
    existing.currency === (record.currency ?? null);
  if (repeated || history.some((one) => one.declared && one.at === at && one.price === record.price))
    return history;
  const own = { price: record.price, at };
  return [...history, isDeclared(existing, told) ? declared(own) : own];
}

const declared = (observation: PriceObservation): PriceObservation => ({ ...observation, declared: true });

/** When a listing was first observed; declared prices do not count. @param before null for a new one. */
export function firstObserved(
  before: string | null,
  observations: readonly PriceObservation[],
  told: Told,
): string {
  const own = isDeclared(null, told) ? told.time : told.at;
  const times = observations.flatMap((one) => (one.declared ? [] : [one.at]));
  return [own, ...times].reduce(earlier, before ?? own);
}

/** The earlier of two times. */
const earlier = (a: string, b: string): string => (compareInstants(b, a) < 0 ? b : a);
