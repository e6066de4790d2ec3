import { PRODUCT_FIELDS, type Product } from '../schemas/product.js';
import { completeFor, CURRENT_SCHEMA } from './derived.js';
import { compareInstants, formatInstant } from './instant.js';
import { firstObserved, internalsOf, observationsOf, priceFacts, type RecordOrigin } from './internals.js';
import type { FeedRecord, InferredBrand, ListingInternals, StoredListing } from './listing.js';
import { mergeObservations, restateCurrency } from './price-observations.js';
import { type AffiliateTemplates, isOwnLink } from './product.js';

/**
 * What applying a record changed in its listing. `checked`: only `last_checked`. `history`: nothing visible,
 * for example because the price is an older one. `unchanged`: nothing has to be written.
 */
export type MergeOutcome = 'created' | 'price_moved' | 'changed' | 'checked' | 'history' | 'unchanged';

interface MergeResult {
  listing: StoredListing;
  outcome: MergeOutcome;
}

interface MergeContext {
  id: number;
  /**
   * The time at which the record changes the listing. It is also the time at which the price was observed,
   * unless the record states that time.
   */
  now: Date;
  /**
   * The operator's URL templates for affiliate links. They show which links in a loaded export of the service
   * were made by the service itself and not stated by a feed.
   */
  affiliateTemplates?: AffiliateTemplates | undefined;
  schema?: number | undefined;
  /** Whether past prices in the record are stored as declared prices, which no statistic uses. */
  declaredHistory?: boolean | undefined;
  /**
   * Infers the maker of a listing whose feed states no brand. If this function is absent, a listing keeps its
   * inferred maker as long as its name does not change.
   */
  makerOf?: ((name: string) => InferredBrand) | undefined;
}

/**
 * Applies a record to its listing. A record states the whole listing, so a field that it leaves out becomes
 * unknown, except `last_checked`, and `list_price` and `gtin`, which exports do not contain. A record that
 * was observed before the stored state only adds to the price history, so records may arrive in any order. A
 * patch changes only the fields that it states.
 */
export function applyRecord(
  existing: StoredListing | null,
  record: FeedRecord,
  {
    id,
    now,
    affiliateTemplates = {},
    schema = CURRENT_SCHEMA,
    declaredHistory = false,
    makerOf,
  }: MergeContext,
): MergeResult {
  const time = formatInstant(now.getTime());
  const origin = { at: record.last_checked ?? time, time, declaredHistory };
  if (existing !== null && compareInstants(origin.at, existing.internal.observed_at) < 0) {
    return applyOlderRecord(existing, record, origin);
  }
  const isPatch = existing !== null && record.stated !== undefined;
  const whole = isPatch ? completePatch(existing, record) : record;
  const product = productOf(existing, whole, { id, updated_at: time, affiliateTemplates });
  // A patch without a price does not count as an observation of a price.
  const observed = isPatch ? { ...whole, price: record.price ?? null } : record;
  const internals = internalsOf(existing, product, observed, origin);
  const inferred = inferredBrand(existing, product, makerOf);
  const internal = completeFor(schema, product, { ...internals, ...inferred });
  const outcome = existing === null ? 'created' : outcomeOf(existing, product, internal);
  if (existing === null || outcome === 'created') return { listing: { ...product, internal }, outcome };
  if (outcome === 'unchanged') return { listing: existing, outcome };
  const updated_at = outcome === 'checked' || outcome === 'history' ? existing.updated_at : time;
  return { listing: { ...product, updated_at, internal }, outcome };
}

const NO_MAKER: InferredBrand = { maker: null, brand: null };

function inferredBrand(
  existing: StoredListing | null,
  { name, brand }: Product,
  makerOf: MergeContext['makerOf'],
): InferredBrand {
  if (brand !== null) return NO_MAKER;
  if (makerOf !== undefined) return makerOf(name);
  if (existing?.brand !== null || existing.name !== name) return NO_MAKER;
  return { maker: existing.internal.maker ?? null, brand: existing.internal.brand ?? null };
}

function applyOlderRecord(existing: StoredListing, record: FeedRecord, origin: RecordOrigin): MergeResult {
  const { internal } = existing;
  const observations = restateCurrency(
    observationsOf(existing, record, origin),
    record.currency ?? null,
    existing.currency,
  );
  const history = mergeObservations(internal.price_history, observations);
  const first = firstObserved(internal.first_observed_at, observations, origin);
  if (history === internal.price_history && first === internal.first_observed_at) {
    return { listing: existing, outcome: 'unchanged' };
  }
  const { price_units, list_price, observed_at } = internal;
  const facts = priceFacts(history, price_units, list_price, observed_at, existing);
  const changed = { ...internal, ...facts, first_observed_at: first, price_history: history };
  return { listing: { ...existing, internal: changed }, outcome: 'history' };
}

/**
 * Adds the stored fields to a patch, so that it becomes a record of the whole listing. The price history in
 * the record remains that of the patch.
 */
function completePatch(existing: StoredListing, patch: FeedRecord): FeedRecord {
  const stated = new Set(patch.stated);
  const known = PRODUCT_FIELDS.filter(
    (field) => field !== 'id' && field !== 'updated_at' && !stated.has(field),
  );
  const { name, stated: _, ...changes } = patch;
  return {
    ...Object.fromEntries(known.map((field) => [field, existing[field]])),
    ...changes,
    name: stated.has('name') ? name : existing.name,
    last_checked: patch.last_checked ?? null,
    // The category of a patch is the last level of its category path, unless the patch states it.
    ...(stated.has('category_path') && !stated.has('category') ? { category: null } : {}),
  };
}

/** The product that a record states, with exactly the fields of the schema, in their order. */
function productOf(
  existing: StoredListing | null,
  record: FeedRecord,
  {
    id,
    updated_at,
    affiliateTemplates,
  }: Pick<Product, 'id' | 'updated_at'> & Pick<Required<MergeContext>, 'affiliateTemplates'>,
): Product {
  const path = record.category_path ?? [];
  // The fields are always set in the same order, because objects of one shape are three times as fast to
  // create and serialize.
  const fields: Partial<Record<keyof Product, unknown>> = {};
  for (const field of PRODUCT_FIELDS) fields[field] = (record as Partial<Product>)[field] ?? null;
  fields.id = id;
  fields.category ??= path.at(-1) ?? null;
  fields.category_path = path;
  fields.last_checked ??= existing?.last_checked ?? null;
  fields.updated_at = updated_at;
  const product = fields as Product;
  const { affiliate_url: url } = product;
  if (url !== null && isOwnLink(url, product, affiliateTemplates)) product.affiliate_url = null;
  return product;
}

function outcomeOf(existing: StoredListing, product: Product, internal: ListingInternals): MergeOutcome {
  const before = existing.internal;
  if (product.price !== existing.price || product.currency !== existing.currency) return 'price_moved';
  const ignored = { last_checked: null, updated_at: null };
  const visible = { ...product, ...ignored, list_price: internal.list_price };
  const visibleBefore = { ...existing, ...ignored, list_price: before.list_price, internal: undefined };
  if (!isSameJson(visible, visibleBefore) || !isSameJson(internal.gtins, before.gtins)) return 'changed';
  if (product.last_checked !== existing.last_checked) return 'checked';
  if (internal.price_history !== before.price_history) return 'history';
  const times = { observed_at: null, first_observed_at: null, price_history: null };
  return isSameJson({ ...internal, ...times }, { ...before, ...times }) ? 'unchanged' : 'history';
}

const isSameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
