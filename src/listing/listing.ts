import type { Flag } from '../schemas/quality.js';
import type { Product } from '../schemas/product.js';
import type { ValuesByName } from './attributes.js';

/** The fields of a product that a feed may state: all except those that the service sets itself. */
type StatedFields = Omit<Product, 'id' | 'updated_at'>;

/**
 * One validated record of a feed: a line of NDJSON, an element of a JSON array or a row of a CSV file. A field that is
 * absent or null is unknown. `validate.ts` makes these records.
 */
export interface FeedRecord extends Partial<{ [Field in keyof StatedFields]: StatedFields[Field] | null }> {
  sku: string;
  source: string;
  name: string;
  /**
   * The declared "was" price of the listing, a decimal string. If absent, the stored one is kept; null
   * removes it.
   */
  list_price?: string | null;
  /**
   * The GTINs that the feed states, digits only. If absent, the stored ones are kept; null removes them.
   */
  gtin?: string | string[] | null;
  price_history?: PriceObservation[] | null;
  /** Names of the fields that a patch states; undefined: the record states the whole listing. */
  stated?: readonly string[];
}

export interface PriceObservation {
  /** The price as a decimal string. */
  price: string;
  /** When the price was observed, ISO 8601 in UTC. */
  at: string;
  /**
   * The currency of the price. Present only in stored histories, and only if it differs from the listing's
   * current currency. Null: none was stated.
   */
  currency?: string | null;
  /**
   * Set if an untrusted sender reported this past price: it is stored, but no statistic uses it. Absent if
   * the price was observed.
   */
  declared?: true;
}

/**
 * A listing as Elasticsearch stores it: the public Product, and everything internal under one key, so that searches
 * leave it out with a single `_source` exclude.
 */
export interface StoredListing extends Product {
  internal: ListingInternals;
}

/**
 * What the service derives from a listing or stores about it. It is never returned by the API. A document of an earlier
 * `schema_version` lacks the fields that were added later until its listing is loaded again.
 */
export interface ListingInternals {
  /**
   * The listing's price in ten-thousandths of the currency's unit, for filters and sorting; null: no price.
   */
  price_units: number | null;
  /**
   * The normalized SKU, GTINs and model numbers of the listing (letters and digits only, lower case), for
   * exact look-ups.
   */
  identifiers: string[];
  /** The GTINs of the listing, with 14 digits. */
  gtins: string[];
  /** The normalized model numbers of the listing. */
  models: string[];
  /** The texts in the listing's metadata, for full-text search. */
  attributes: string[];
  /** The "was" price that the feed declares, a decimal string; null: none. */
  list_price: string | null;
  /** The GTINs that the feed states in its own field. The API does not return them, so an export cannot restore them. */
  declared_gtins: string[];
  /** The observed reference price in units, which `dealFacts` computes; null: there is none. */
  reference_units: number | null;
  /** The discounts of the listing's price in ten-millionths of a percent, which `dealFacts` computes. */
  observed_discount: number | null;
  declared_discount: number | null;
  /** Whether the declared list price, or a higher one, was ever observed; null: no list price is declared. */
  list_price_observed: boolean | null;
  /**
   * The times at which the listing's price changed, oldest first, according to `price_history`; ISO 8601,
   * UTC.
   */
  price_moved_at: string[];
  /** Whether the listing has an `image_url`. The URL itself is not indexed. */
  has_image: boolean;
  /** When the listing was first observed; ISO 8601, UTC. */
  first_observed_at: string;
  /** When the listing was last observed; ISO 8601, UTC. An earlier observation changes nothing but the history. */
  observed_at: string;
  /**
   * The observed and declared prices of the listing, sorted by time, as `mergeObservations` returns them.
   */
  price_history: PriceObservation[];
  /**
   * The result of inspecting the listing's image with `npm run images`; absent or null: not inspected yet.
   */
  image?: SeenImage | null;
  /** `buy_url` as `normaliseUrl` returns it, for look-ups. Since schema 3. */
  url?: string | null;
  /**
   * The folded brand, which filters and facets compare: the stated one, or the inferred one if the brand dictionary is
   * activated for filters. Since schema 4, like all fields below.
   */
  brand?: string | null;
  rating?: number | null;
  /** The index of the step in `PRICE_EDGES` that contains the listing's price; null: no price. */
  price_step?: string | null;
  /** Every prefix of the listing's category path, from its first level to the whole path. */
  category_paths?: string[];
  /**
   * The names of the attributes in the listing's metadata, the folded values by name, and the values as the
   * feed writes them.
   */
  attribute_names?: string[];
  attribute_values?: ValuesByName;
  attribute_spellings?: ValuesByName;
  /** The id of the product group that `npm run link` found for the listing; its own id until then. */
  group_id?: number;
  /** When the listing was linked; ISO 8601, UTC. Null: never, or its identity has changed since. */
  linked_at?: string | null;
  /** The key that duplicate listings share, which `duplicateKeyOf` computes; null: no price. */
  twin?: string | null;
  /**
   * The quality flags that `npm run quality` derived from other listings; null: none, or the listing has
   * changed since.
   */
  judged?: PeerFlags | null;
  /** All quality flags of the listing except `stale`, which depends on the current time. */
  flags?: Flag[];
  /** The nouns that name the type of product, which `kindsOf` reads from the name and category. */
  kinds?: string[];
  /** The maker that was inferred from the name, if the feed states no brand; null: none. Since schema 6. */
  maker?: string | null;
}

/** The maker that was inferred for a listing, and the brand by which filters find it. */
export type InferredBrand = Required<Pick<ListingInternals, 'maker' | 'brand'>>;

/** The result of inspecting one image. It applies to the listing only while `url` equals its `image_url`. */
export interface SeenImage {
  url: string;
  /** When the image was inspected; ISO 8601, UTC. */
  seen_at: string;
  /** A 64-bit perceptual hash of the image as 16 hexadecimal digits; null: the image could not be read. */
  hash: string | null;
  /** Why the image has no hash, for the operator; null: it has one. */
  failure: string | null;
}

/** For each quality flag of a listing, an explanation for people. */
export type FlagReasons = Partial<Record<Flag, string>>;

/**
 * Quality flags that follow from other listings. They are valid as long as the listing's `peerFlagsBasis`
 * is unchanged.
 */
export interface PeerFlags {
  basis: string;
  reasons: FlagReasons;
}

/** Whether the product group of a listing was determined from its current data. */
export const isLinked = ({ internal }: Pick<StoredListing, 'internal'>): boolean =>
  typeof internal.group_id === 'number' && typeof internal.linked_at === 'string';

/** The product that a listing belongs to; a listing that was never linked is a product of its own. */
export const groupOf = ({ id, internal }: Pick<StoredListing, 'id' | 'internal'>): number =>
  internal.group_id ?? id;
