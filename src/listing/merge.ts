import { type Product, PRODUCT_FIELDS, STATED_FIELDS } from '../schemas/product.js';
import { isSame } from './changes.js';
import { currentPeerFlags } from './flags.js';
import { completeFor } from './derived.js';
import { CURRENT_SCHEMA } from './schema-versions.js';
import { compareInstants, formatInstant } from './instant.js';
import {
  addPrices,
  firstObserved,
  internalsOf,
  observationsOf,
  priceFacts,
  type RecordOrigin,
  sightingOf,
} from './internals.js';
import type {
  FeedRecord,
  InferredBrand,
  ListingInternals,
  PriceObservation,
  StoredListing,
} from './listing.js';
import { changedFields, extendLineage, type RecordPlace } from './lineage.js';
import { mergeObservations, restateCurrency } from './price-observations.js';
import { formatPrice } from './price.js';
import { type AffiliateTemplates, isOwnLink } from './product.js';
import { seenAgain } from './seen-again.js';

/**
 * What applying a record changed. `price_cleared`: the listing had a price and has none any more. `checked`: only
 * `last_checked`. `history`: nothing visible, such as an older price. `unchanged`: only the time at which it was last seen.
 */
export type MergeOutcome =
  'created' | 'price_moved' | 'price_cleared' | 'changed' | 'checked' | 'history' | 'unchanged';

interface MergeResult {
  /** The given listing itself if nothing has to be written. */
  listing: StoredListing;
  outcome: MergeOutcome;
}

interface MergeContext {
  id: number;
  /** The time at which the record changes the listing. */
  now: Date;
  /** When the listing was observed if the record does not state it, such as when a feed was made; by default `now`. */
  observedAt?: Date | null | undefined;
  /** The operator's URL templates, by which links that the service itself made are recognized in a loaded export. */
  affiliateTemplates?: AffiliateTemplates | undefined;
  schema?: number | undefined;
  /** Whether past prices in the record are stored as declared prices, which no statistic uses. */
  declaredHistory?: boolean | undefined;
  /** Infers the maker of a listing without a stated brand; by default, a listing keeps it while its name does not change. */
  makerOf?: ((name: string, brand: string | null) => InferredBrand) | undefined;
  /** The owner of the listing; by default the stored one, or the source. */
  owner?: string | undefined;
  /** Where the record comes from, for the lineage of the listing; undefined: nothing is recorded. */
  place?: RecordPlace | undefined;
}

/**
 * Applies a record to its listing. A record states the whole listing, so a field that it leaves out becomes unknown, except
 * `last_checked`, and `list_price` and `gtin`, which exports do not contain. A record that was observed before the stored
 * state only adds to the price history, so records may arrive in any order. A patch changes only the fields that it states.
 */
export function applyRecord(
  existing: StoredListing | null,
  record: FeedRecord,
  context: MergeContext,
): MergeResult {
  const { id, now, observedAt = null, affiliateTemplates = {}, schema = CURRENT_SCHEMA, place } = context;
  const { declaredHistory = false, makerOf, owner = existing?.internal.owner } = context;
  const time = formatInstant(now.getTime());
  const seenAt = observedAt === null ? time : formatInstant(observedAt.getTime());
  const { times } = record;
  const statedAt = times?.observed_at ?? record.last_checked ?? seenAt;
  // A future time would prevail over every observation until then, so the current time replaces it.
  const at = Date.parse(statedAt) > now.getTime() ? time : statedAt;
  const origin = { at, time, declaredHistory };
  if (existing !== null && compareInstants(origin.at, existing.internal.observed_at) < 0) {
    return applyOlderRecord(existing, record, origin, { schema, place });
  }
  const isPatch = existing !== null && record.stated !== undefined;
  const whole = isPatch ? completePatch(existing, record) : record;
  const changedAt = times?.updated_at ?? time;
  const product = productOf(existing, whole, { id, updated_at: changedAt }, affiliateTemplates);
  const inferred = inferredBrand(existing, product, makerOf);
  /** Adds the run to the lineage, if the index records lineages. @param set returns the fields that the run set. */
  const traced = (internal: ListingInternals, set: () => string[]): ListingInternals =>
    place === undefined || internal.lineage === undefined
      ? internal
      : { ...internal, lineage: extendLineage(internal.lineage, place, set(), time) };
  if (existing !== null && !isPatch) {
    const seen = seenAgain(existing, record, { product, origin, inferred, owner, schema });
    if (seen !== null) {
      const isLater = isLaterSighting(existing, seen.internal.observed_at);
      const listing = isLater ? { ...seen, internal: traced(seen.internal, () => []) } : existing;
      return { listing, outcome: 'unchanged' };
    }
  }
  // A patch without a price does not count as an observation of a price.
  const observed = isPatch && (record.price ?? null) === null ? { ...whole, price: null } : whole;
  const internals = internalsOf(existing, product, observed, origin);
  const internal = completeFor(schema, product, { ...internals, ...inferred, owner });
  const withRun = () => traced(internal, () => changedFields(existing, product, internal));
  if (existing === null) return { listing: { ...product, internal: withRun() }, outcome: 'created' };
  const isSighting = typeof record.last_checked !== 'string' && times === undefined;
  const addsPrices = isSighting
    ? addsObservations(existing, observationsOf(existing, observed, origin))
    : internal.price_history !== existing.internal.price_history;
  const outcome = outcomeOf(existing, product, internal, addsPrices);
  if (outcome === 'unchanged' && !(isSighting && isLaterSighting(existing, origin.at)))
    return { listing: existing, outcome };
  const isVisible = ['price_moved', 'price_cleared', 'changed'].includes(outcome);
  const updated_at = isVisible ? changedAt : existing.updated_at;
  return { listing: { ...product, updated_at, internal: withRun() }, outcome };
}

/** The minimum time between two stored sightings without a change, in ms. Each costs a write of the whole document. */
export const SIGHTING_STEP_MS = 15 * 60_000;

const addsObservations = ({ internal }: StoredListing, observations: readonly PriceObservation[]): boolean =>
  mergeObservations(internal.price_history, observations) !== internal.price_history;

const isLaterSighting = ({ internal }: StoredListing, at: string): boolean =>
  Date.parse(at) - Date.parse(internal.observed_at) >= SIGHTING_STEP_MS;

const NO_MAKER: InferredBrand = { maker: null, brand: null };

function inferredBrand(
  existing: StoredListing | null,
  { name, brand }: Product,
  makerOf: MergeContext['makerOf'],
): InferredBrand {
  if (makerOf !== undefined) return makerOf(name, brand);
  if (existing?.brand !== brand || (brand === null && existing.name !== name)) return NO_MAKER;
  return { maker: existing.internal.maker ?? null, brand: existing.internal.brand ?? null };
}

function applyOlderRecord(
  existing: StoredListing,
  record: FeedRecord,
  origin: RecordOrigin,
  { schema, place }: { schema: number; place: RecordPlace | undefined },
): MergeResult {
  const { internal } = existing;
  const restate = (prices: PriceObservation[]) =>
    restateCurrency(prices, record.currency ?? null, existing.currency);
  const observations = restate(observationsOf(existing, record, origin));
  const seen = sightingOf(existing, record, origin);
  const [sighting = null] = restate(seen === null ? [] : [seen]);
  const history = addPrices(internal.price_history, observations, sighting);
  const first = firstObserved(internal.first_observed_at, observations, origin);
  if (history === internal.price_history && first === internal.first_observed_at) {
    return { listing: existing, outcome: 'unchanged' };
  }
  const { price_units, price_from, list_price, observed_at } = internal;
  const { usual_units = null } = currentPeerFlags(existing, internal) ?? {};
  const stated = { price_units, price_from, list_price, usual_units };
  const facts = priceFacts(history, stated, observed_at, existing);
  const traced =
    place === undefined
      ? {}
      : { lineage: extendLineage(internal.lineage, place, ['price_history'], origin.time) };
  const changed = { ...internal, ...facts, first_observed_at: first, price_history: history, ...traced };
  return { listing: { ...existing, internal: completeFor(schema, existing, changed) }, outcome: 'history' };
}

/** Adds the stored fields except the price history to a patch, so that it becomes a record of the whole listing. */
function completePatch(existing: StoredListing, patch: FeedRecord): FeedRecord {
  const stated = new Set(patch.stated);
  const known = STATED_FIELDS.filter((field) => !stated.has(field));
  const { name, stated: _, ...changes } = patch;
  const { price = null, currency = null } = { ...existing, ...changes };
  return {
    ...Object.fromEntries(known.map((field) => [field, existing[field]])),
    ...changes,
    // A patch need not state the currency, which determines the decimals of the price.
    price: price === null ? null : formatPrice(price, currency),
    name: stated.has('name') ? name : existing.name,
    last_checked: patch.last_checked ?? null,
    // If a patch states a price but not whether it is a "from" price, it is a plain price.
    ...(stated.has('price') || stated.has('price_from')
      ? {}
      : { price_from: existing.internal.price_from ?? false }),
    ...(stated.has('condition') ? {} : { condition: existing.internal.condition?.stated ?? null }),
    ...(stated.has('delivery') ? {} : { delivery: existing.internal.delivery ?? null }),
    // The category of a patch is the last level of its category path, unless the patch states it.
    ...(stated.has('category_path') && !stated.has('category') ? { category: null } : {}),
  };
}

/** The product that a record states, with exactly the fields of the schema, in their order. */
function productOf(
  existing: StoredListing | null,
  record: FeedRecord,
  { id, updated_at }: Pick<Product, 'id' | 'updated_at'>,
  affiliateTemplates: AffiliateTemplates,
): Product {
  const path = record.category_path ?? [];
  // Always in the same order, because objects of one shape are three times as fast to create and serialize.
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

function outcomeOf(
  existing: StoredListing,
  product: Product,
  internal: ListingInternals,
  addsPrices: boolean,
): MergeOutcome {
  const before = existing.internal;
  if (existing.price !== null && product.price === null) return 'price_cleared';
  if (internal.price_units !== before.price_units || product.currency !== existing.currency)
    return 'price_moved';
  const ignored = { last_checked: null, updated_at: null };
  const added = ({ list_price, delivery = null, condition, price_from }: ListingInternals) => ({
    list_price,
    delivery,
    condition: condition?.stated ?? null,
    price_from: price_from ?? false,
  });
  const visible = { ...product, ...ignored, ...added(internal) };
  const visibleBefore = { ...existing, ...ignored, ...added(before), internal: undefined };
  if (!isSame(visible, visibleBefore) || !isSame(internal.gtins, before.gtins)) return 'changed';
  if (product.last_checked !== existing.last_checked) return 'checked';
  if (addsPrices) return 'history';
  const times = { observed_at: null, first_observed_at: null, price_history: null };
  return isSame({ ...internal, ...times }, { ...before, ...times }) ? 'unchanged' : 'history';
}
