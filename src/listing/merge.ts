import { attributesOf } from './attributes.js';
import { dealFacts } from './deals.js';
import { mergeHistory, priceMoves, restateCurrency } from './history.js';
import { identifiersOf } from './identify.js';
import { compareInstants, formatInstant } from './instant.js';
import type { ListingInternals, StoredListing } from './listing.js';
import type { Product } from '../schemas/product.js';
import { toUnits } from './price.js';
import type { FeedRecord, PriceObservation } from './record.js';

/**
 * What a record did to its listing. `checked`: nothing but `last_checked` is new. `history`: nothing that anybody
 * sees is new, e.g. an older price came in. `unchanged`: nothing has to be written.
 */
export type Outcome = 'created' | 'price_moved' | 'changed' | 'checked' | 'history' | 'unchanged';

/**
 * Brings a record into its listing. The record states the whole listing: what it leaves out becomes unknown. But
 * `last_checked` only moves on, and `list_price` and `gtin`, which no export shows, stay unless they are null. A record
 * that was observed before what the listing shows enters the price history and changes nothing else, so records may
 * arrive in any order.
 * @param existing the listing as it is stored; null: there is none.
 * @param context.id the listing's id; `context.now`: the time of an observation that names none, and of the change.
 */
export function applyRecord(
  existing: StoredListing | null,
  record: FeedRecord,
  { id, now }: { id: number; now: Date },
): { listing: StoredListing; outcome: Outcome } {
  const time = formatInstant(now.getTime());
  const at = record.last_checked ?? time;
  if (existing !== null && compareInstants(at, existing.internal.observed_at) < 0) {
    return applyOlder(existing, record, at);
  }
  const product = toProduct(existing, record, id, time);
  const internal = toInternals(existing, product, record, at);
  const outcome = existing === null ? 'created' : compare(existing, product, internal);
  if (existing === null || outcome === 'created') return { listing: { ...product, internal }, outcome };
  if (outcome === 'unchanged') return { listing: existing, outcome };
  const updated_at = outcome === 'checked' || outcome === 'history' ? existing.updated_at : time;
  return { listing: { ...product, updated_at, internal }, outcome };
}

function applyOlder(
  existing: StoredListing,
  record: FeedRecord,
  at: string,
): { listing: StoredListing; outcome: Outcome } {
  const { internal } = existing;
  const observations = observationsOf(existing, record, at).map((observation) =>
    inOtherCurrency(existing.currency, record) ? { ...observation, currency: record.currency } : observation,
  );
  const history = mergeHistory(internal.price_history, observations as PriceObservation[]);
  const first = earliest(internal.first_observed_at, [{ at }, ...observations]);
  if (history === internal.price_history && first === internal.first_observed_at) {
    return { listing: existing, outcome: 'unchanged' };
  }
  const facts = factsOf(
    history,
    internal.price_units,
    internal.list_price,
    internal.observed_at,
    existing.price,
  );
  return {
    listing: {
      ...existing,
      internal: { ...internal, ...facts, first_observed_at: first, price_history: history },
    },
    outcome: 'history',
  };
}

/** Exactly the fields of a Product, in their order. */
function toProduct(
  existing: StoredListing | null,
  record: FeedRecord,
  id: number,
  updated_at: string,
): Product {
  const path = record.category_path ?? [];
  return {
    id,
    sku: record.sku,
    source: record.source,
    merchant_id: record.merchant_id ?? null,
    name: record.name,
    description: record.description ?? null,
    price: record.price ?? null,
    currency: record.currency ?? null,
    buy_url: record.buy_url ?? null,
    affiliate_url: isOwnLink(record.affiliate_url, id) ? null : (record.affiliate_url ?? null),
    image_url: record.image_url ?? null,
    brand: record.brand ?? null,
    category: record.category ?? path.at(-1) ?? null,
    category_path: path,
    rating: record.rating ?? null,
    is_available: record.is_available ?? null,
    last_checked: record.last_checked ?? existing?.last_checked ?? null,
    metadata: record.metadata ?? null,
    updated_at,
  };
}

/** An export carries this service's own tracked link where the feed brought none; loading it must not make it the feed's. */
function isOwnLink(url: string | null | undefined, id: number): boolean {
  return typeof url === 'string' && url.includes('/track/') && new URL(url).pathname.endsWith(`/track/${id}`);
}

function toInternals(
  existing: StoredListing | null,
  product: Product,
  record: FeedRecord,
  at: string,
): ListingInternals {
  const before = existing?.internal;
  const observations = observationsOf(existing, record, at);
  const restated =
    before !== undefined &&
    typeof existing?.currency === 'string' &&
    inOtherCurrency(existing.currency, record)
      ? restateCurrency(before.price_history, existing.currency, record.currency ?? '')
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
      : factsOf(history, price_units, list_price, at, product.price)),
    first_observed_at: earliest(before?.first_observed_at ?? at, [{ at }, ...observations]),
    observed_at: at,
    price_history: history,
    has_image: product.image_url !== null,
    image: before?.image ?? null,
  };
}

/**
 * What the history tells. Deals look at what was known when the current price was seen, in its currency; the current
 * price ends it.
 */
function factsOf(
  history: readonly PriceObservation[],
  price_units: number | null,
  list_price: string | null,
  observed_at: string,
  price: string | null,
) {
  const known = history.filter(
    ({ at, currency }) => currency === undefined && compareInstants(at, observed_at) <= 0,
  );
  if (price !== null && known.at(-1)?.price !== price) known.push({ price, at: observed_at });
  const deal = dealFacts(known, price_units, list_price === null ? null : toUnits(list_price));
  return { ...deal, price_moved_at: priceMoves(history) };
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

const inOtherCurrency = (currency: string | null, { currency: stated }: FeedRecord): boolean =>
  currency !== null && typeof stated === 'string' && stated !== currency;

/**
 * The record's prices. One that names no time and repeats what the listing shows is a confirmation and adds nothing:
 * so loading the same file twice changes nothing.
 */
function observationsOf(existing: StoredListing | null, record: FeedRecord, at: string): PriceObservation[] {
  const declared = record.price_history ?? [];
  if (typeof record.price !== 'string') return declared;
  const repeated =
    typeof record.last_checked !== 'string' &&
    existing?.price === record.price &&
    !inOtherCurrency(existing.currency, record);
  return repeated ? declared : [...declared, { price: record.price, at }];
}

function earliest(first: string, observations: readonly { at: string }[]): string {
  return observations.reduce((min, { at }) => (compareInstants(at, min) < 0 ? at : min), first);
}

/** Compares by JSON, the form in which listings are stored; what was derived counts as soon as it differs. */
function compare(existing: StoredListing, product: Product, internal: ListingInternals): Outcome {
  const before = existing.internal;
  if (product.price !== existing.price || product.currency !== existing.currency) return 'price_moved';
  const seen = { ...product, last_checked: null, updated_at: null, list_price: internal.list_price };
  const saw = {
    ...existing,
    last_checked: null,
    updated_at: null,
    list_price: before.list_price,
    internal: undefined,
  };
  if (!sameJson(seen, saw) || !sameJson(internal.gtins, before.gtins)) return 'changed';
  if (product.last_checked !== existing.last_checked) return 'checked';
  if (internal.price_history !== before.price_history) return 'history';
  const kept = { ...internal, observed_at: null, first_observed_at: null, price_history: null };
  const had = { ...before, observed_at: null, first_observed_at: null, price_history: null };
  return sameJson(kept, had) ? 'unchanged' : 'history';
}

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
