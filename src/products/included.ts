import { getListingsById } from '../engine/documents.js';
import { withItems } from '../engine/listing-bytes.js';
import { CANDIDATE_FIELDS } from '../engine/queries/candidates.js';
import type { AdditionalRequest, ListingHit } from '../engine/search-listings.js';
import { readNameInDetail } from '../matching/reading.js';
import { type Include, INCLUDE_NAMES, type IncludeName } from '../schemas/include.js';
import { PRODUCT_FIELDS, type Product } from '../schemas/product.js';
import type { Json } from '../schemas/types.js';
import { claimMembers } from '../listing/claim.js';
import { conditionMember } from '../listing/condition.js';
import { deliveryMembers } from '../listing/delivery.js';
import {
  CLAIMS_SCHEMA,
  CONDITIONS_SCHEMA,
  DELIVERY_SCHEMA,
  PRICE_FROM_SCHEMA,
  QUANTITIES_SCHEMA,
} from '../listing/schema-versions.js';
import type { ListingInternals, StoredListing } from '../listing/listing.js';
import { currentPosition, POSITION_FIELDS } from '../listing/price-history.js';
import { type LinkSettings, toProduct } from '../listing/product.js';
import { unitPriceOf } from '../listing/unit-price.js';
import type { ExchangeRates } from '../listing/rates.js';
import type { Config } from '../platform/config/config.js';
import type { Catalogue } from './product-ids.js';

/** A listing as Elasticsearch returned it. It has only the internal fields that the request selected. */
type PartialListing = Partial<Product> & { internal?: Partial<ListingInternals> };

interface IncludedMember {
  /** The fields of a stored listing from which the members are computed. */
  fields: readonly string[];
  /** The schema version of the index that first has these fields; absent if the members are null in an earlier one. */
  since?: number;
  members(listing: PartialListing, settings: IncludeSettings, now: Date): object;
}

/** What the members depend on besides the listing. */
export interface IncludeSettings {
  rates: ExchangeRates;
  config: Pick<Config, 'pictures'>;
}

/** The internal fields of a listing that say how its name is read. */
const READ_INTERNALS = ['gtins', 'models', 'maker', 'condition'].map((name) => `internal.${name}`);

/** How the members that the parameter `include` adds are computed. */
const MEMBERS: Record<IncludeName, IncludedMember> = {
  brand_inferred: {
    fields: ['brand', 'internal.maker'],
    members: ({ brand, internal }) => ({ brand_inferred: brand === null ? (internal?.maker ?? null) : null }),
  },
  claim: {
    fields: ['price', 'currency', 'internal.claim'],
    since: CLAIMS_SCHEMA,
    members: (listing) => claimMembers(listing, listing.internal?.claim),
  },
  condition: {
    fields: ['internal.condition'],
    since: CONDITIONS_SCHEMA,
    members: ({ internal }) => conditionMember(internal),
  },
  flags: { fields: ['internal.flags'], members: ({ internal }) => ({ flags: internal?.flags ?? [] }) },
  picture: {
    fields: ['image_url', 'internal.image.url', 'internal.picture'],
    members({ image_url, internal = {} }, { config }) {
      const { image, picture = null } = internal;
      const isShown = config.pictures !== null && picture !== null && image?.url === image_url;
      return { picture: isShown ? `/pictures/${picture}.webp` : null };
    },
  },
  price_from: {
    fields: ['internal.price_from'],
    since: PRICE_FROM_SCHEMA,
    members: ({ internal }) => ({ price_from: internal?.price_from ?? false }),
  },
  seen_at: {
    fields: ['internal.observed_at'],
    members: ({ internal }) => ({ seen_at: internal?.observed_at ?? null }),
  },
  delivery: {
    fields: ['price', 'currency', 'internal.delivery'],
    since: DELIVERY_SCHEMA,
    members: (listing, { rates }) => deliveryMembers(listing, rates),
  },
  position: {
    fields: POSITION_FIELDS,
    members: (listing, _settings, now) => ({ position: currentPosition(listing, now) }),
  },
  reading: {
    fields: ['source', 'name', 'brand', 'category', 'metadata', ...READ_INTERNALS],
    since: CONDITIONS_SCHEMA,
    members: ({ source = '', name = '', brand = null, category = null, metadata = null, internal = {} }) => {
      const { gtins = [], models = [], maker = null } = internal;
      const read = { source, name, brand, category, metadata, internal: { gtins, models, maker } };
      return {
        reading: { ...readNameInDetail({ ...read, comparablePrice: null }), ...conditionMember(internal) },
      };
    },
  },
  unit_price: {
    fields: ['currency', 'internal.quantity'],
    since: QUANTITIES_SCHEMA,
    members: ({ currency = null, internal }) => ({ unit_price: unitPriceOf(currency, internal?.quantity) }),
  },
};

const wanted = (include: Include): IncludeName[] => INCLUDE_NAMES.filter((name) => include.includes(name));

/** Returns the members of a listing that `include` adds. `now` is the time of the request, which `position` depends on. */
export const includedIn = (
  listing: PartialListing | undefined,
  include: Include | undefined,
  settings: IncludeSettings,
  now = new Date(0),
): object =>
  Object.assign(
    {},
    ...wanted(include ?? []).map((name) => MEMBERS[name].members(listing ?? {}, settings, now)),
  ) as object;

/** The fields of a stored listing that `includedIn` reads. */
export const includedFields = (include: Include = []): string[] => [
  ...new Set(wanted(include).flatMap((name) => MEMBERS[name].fields)),
];

/** For each value of `include`, the schema version of the index that it needs. */
export const schemasOfInclude = (include: Include = []): Record<string, number> =>
  Object.fromEntries(wanted(include).map((name) => [`include=${name}`, MEMBERS[name].since ?? 0]));

/** The fields of listings that a search returns with the parameter `include`; nothing without it. */
export function includeRequest(include: Include = []): AdditionalRequest {
  const included = includedFields(include);
  return included.length === 0 ? {} : { _source: { includes: [...PRODUCT_FIELDS, ...included] } };
}

/** A listing as answers show it, with the members that `include` adds. @param now the time of the request, for `position`. */
export const productWith = (
  include: Include | undefined,
  listing: Product & PartialListing,
  settings: IncludeSettings & { config: LinkSettings },
  now?: Date,
): Product => ({ ...toProduct(listing, settings.config), ...includedIn(listing, include, settings, now) });

/** Creates a body with the members of `frame` and the found listings, with the members that `include` adds. */
export function pageOf<Frame extends object>(
  frame: Frame,
  hits: readonly ListingHit[],
  settings: IncludeSettings & { config: LinkSettings },
  include: Include = [],
): Json<Frame & { items: Product[] }> | (Frame & { items: Product[] }) {
  if (include.length === 0) return withItems(frame, hits, settings.config);
  const listings = hits.flatMap(({ _source }) => _source ?? []);
  return { ...frame, items: listings.map((listing) => productWith(include, listing, settings)) };
}

/** Adds included members to match candidates as `productWith` does to listings. Candidates that lack fields are read again. */
export async function candidatesWith(
  include: Include,
  candidates: readonly StoredListing[],
  context: Catalogue & IncludeSettings & { config: LinkSettings },
  now?: Date,
): Promise<(candidate: StoredListing) => Product> {
  const { es, products, config } = context;
  const fields = includedFields(include);
  const lackNone = fields.every((field) => CANDIDATE_FIELDS.includes(field));
  const ids = lackNone ? [] : candidates.map(({ id }) => id);
  const read = await getListingsById(es, products, ids, ['id', ...fields]);
  return (candidate) => {
    const found = read.get(candidate.id);
    // The flags of a candidate may say more than the stored ones.
    const listing = found && { ...found, internal: { ...found.internal, flags: candidate.internal.flags } };
    return { ...toProduct(candidate, config), ...includedIn(listing ?? candidate, include, context, now) };
  };
}
