import { type Product, STATED_FIELDS } from '../schemas/product.js';
import { isSame } from './changes.js';
import { deliveryAt } from './delivery.js';
import { isCompleteFor } from './derived.js';
import { endPrice, firstObserved, type RecordOrigin, sightingOf } from './internals.js';
import type { FeedRecord, InferredBrand, StoredListing } from './listing.js';
import { addSighting } from './price-observations.js';

/** The fields of a Product that a record repeats if it changes nothing; the others are times and the id. */
const REPEATED_FIELDS = STATED_FIELDS.filter((field) => field !== 'last_checked');

interface StatedListing {
  product: Product;
  origin: RecordOrigin;
  inferred: InferredBrand;
  owner: string | undefined;
  schema: number;
}

/** Applies a record that repeats its listing, as most do, without deriving all fields again. @returns null if more may change. */
export function seenAgain(
  existing: StoredListing,
  record: FeedRecord,
  { product, origin, inferred, owner, schema }: StatedListing,
): StoredListing | null {
  const { internal } = existing;
  if (typeof record.last_checked === 'string' || record.times !== undefined) return null;
  // A listing that an earlier version of the service stored may lack fields, or facts about its prices.
  if (!isCompleteFor(schema, internal) || !Object.hasOwn(internal, 'price_moved_at')) return null;
  if (internal.owner !== undefined && internal.owner !== owner) return null;
  if (!isRepeated(existing, record, product) || !hasMaker(existing, product, inferred)) return null;
  if (firstObserved(internal.first_observed_at, [], origin) !== internal.first_observed_at) return null;
  const price_history = historyOf(existing, record, origin);
  if (price_history === null) return null;
  return { ...existing, internal: { ...internal, observed_at: origin.at, price_history } };
}

/** Whether a record states exactly what is stored. An absent list price or GTIN keeps the stored one. */
function isRepeated({ internal, ...before }: StoredListing, record: FeedRecord, product: Product): boolean {
  const { list_price, gtin, delivery, condition = null, price_history } = record;
  return (
    REPEATED_FIELDS.every((field) => isSame(before[field], product[field])) &&
    (list_price === undefined || list_price === internal.list_price) &&
    (gtin === undefined || isSame([gtin ?? []].flat(), internal.declared_gtins)) &&
    (record.price_from ?? false) === (internal.price_from ?? false) &&
    condition === (internal.condition?.stated ?? null) &&
    isSame(deliveryAt(product, delivery), internal.delivery ?? null) &&
    (price_history ?? []).length === 0
  );
}

/** Whether the maker that is inferred for a listing, or that the operator names for its brand, is the stored one. */
const hasMaker = (
  { internal }: StoredListing,
  { brand }: Product,
  { maker, brand: inferred }: InferredBrand,
): boolean =>
  maker === (internal.maker ?? null) &&
  ((brand !== null && maker === null) || (maker === null ? null : inferred) === (internal.brand ?? null));

/** The price history after the listing was seen again; null if its price differs, or if an observation would be added. */
function historyOf(existing: StoredListing, record: FeedRecord, origin: RecordOrigin) {
  const before = existing.internal.price_history;
  if (existing.price === null) return endPrice(before, existing, record, origin.at);
  const sighting = sightingOf(existing, record, origin);
  const history = sighting === null ? null : addSighting(before, sighting);
  return history?.length === before.length ? history : null;
}
