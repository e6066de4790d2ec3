import { readNameInDetail } from '../matching/reading.js';
import { type Include, INCLUDE_NAMES, type IncludeName } from '../schemas/include.js';
import type { Product } from '../schemas/product.js';
import { claimMembers } from '../listing/claim.js';
import { conditionMember } from '../listing/condition.js';
import { deliveryMembers } from '../listing/delivery.js';
import {
  CLAIMS_SCHEMA,
  CONDITIONS_SCHEMA,
  DELIVERY_SCHEMA,
  PRICE_FROM_SCHEMA,
  QUANTITIES_SCHEMA,
} from '../listing/derived.js';
import type { ListingInternals } from '../listing/listing.js';
import { currentPosition, POSITION_FIELDS } from '../listing/price-history.js';
import { unitPriceOf } from '../listing/quantity.js';
import type { ExchangeRates } from '../listing/rates.js';
import type { Config } from '../platform/config/config.js';
import { picturePath } from '../platform/pictures.js';

/** A listing as Elasticsearch returned it. It has only the internal fields that the request selected. */
type PartialListing = Partial<Product> & { internal?: Partial<ListingInternals> };

interface IncludedMember {
  /** The fields of a stored listing from which the members are computed. */
  fields: readonly string[];
  /** The first schema version of the index that has these fields; 0 if the members are null without them. */
  since: number;
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
    since: 0,
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
  flags: {
    fields: ['internal.flags'],
    since: 0,
    members: ({ internal }) => ({ flags: internal?.flags ?? [] }),
  },
  picture: {
    fields: ['image_url', 'internal.image.url', 'internal.picture'],
    since: 0,
    members({ image_url, internal = {} }, { config }) {
      const { image, picture = null } = internal;
      const isShown = config.pictures !== null && picture !== null && image?.url === image_url;
      return { picture: isShown ? picturePath(picture) : null };
    },
  },
  price_from: {
    fields: ['internal.price_from'],
    since: PRICE_FROM_SCHEMA,
    members: ({ internal }) => ({ price_from: internal?.price_from ?? false }),
  },
  seen_at: {
    fields: ['internal.observed_at'],
    since: 0,
    members: ({ internal }) => ({ seen_at: internal?.observed_at ?? null }),
  },
  delivery: {
    fields: ['price', 'currency', 'internal.delivery'],
    since: DELIVERY_SCHEMA,
    members: (listing, { rates }) => deliveryMembers(listing, rates),
  },
  position: {
    fields: POSITION_FIELDS,
    since: 0,
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

/**
 * Returns the members of a listing that the parameter `include` adds.
 * @param now the time of the request, which `position` depends on.
 */
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
  Object.fromEntries(wanted(include).map((name) => [`include=${name}`, MEMBERS[name].since]));
