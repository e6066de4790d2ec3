import type { Judgement } from './judgement.js';
import type { Flag } from '../schemas/quality.js';
import type { ByName } from './attribute-pairs.js';
import type { Product } from '../schemas/product.js';
import type { PriceObservation } from './record.js';

/**
 * A listing as Elasticsearch keeps it: the public shape, and beside it under one key everything that
 * only the service needs, so that answers leave it out with a single `_source` exclude.
 */
export interface StoredListing extends Product {
  internal: ListingInternals;
}

/**
 * What the service derives from a listing or keeps about it. Never leaves the service. A document of an earlier
 * `schema_version` lacks what came later until its listing is loaded again.
 */
export interface ListingInternals {
  /** The price in ten-thousandths of the currency's unit: an exact integer to filter and sort by. */
  price_units: number | null;
  /** Normalised (letters and digits alone, lower case) SKU, GTINs and model numbers, for exact look-ups. */
  identifiers: string[];
  /** GTINs as 14 digits. */
  gtins: string[];
  /** Normalised model numbers, as the feed states them. */
  models: string[];
  /** The texts among the metadata's values, to be searched. */
  attributes: string[];
  /** The declared "was" price, decimal string. */
  list_price: string | null;
  /** The GTINs that the feed states beside the metadata; no answer shows them, so an export cannot bring them back. */
  declared_gtins: string[];
  /** What `dealFacts` found: the observed reference in units, and discounts in ten-millionths of a percent. */
  reference_units: number | null;
  observed_discount: number | null;
  declared_discount: number | null;
  /** Whether the declared list price, or more, was ever asked; null: no list price. For dashboards, as the next two. */
  list_price_observed: boolean | null;
  /** When the price moved, oldest first, as far as `price_history` tells; ISO 8601, UTC. */
  price_moved_at: string[];
  /** Whether there is an `image_url`, which cannot be queried itself. */
  has_image: boolean;
  /** When the listing was first and last observed; ISO 8601, UTC. An observation before `observed_at` is history only. */
  first_observed_at: string;
  observed_at: string;
  /** Price observations, oldest first, up to a thousand; of a run of one price its ends and a point a fortnight. One in another currency than the listing's names it. */
  price_history: PriceObservation[];
  /** What `npm run images` saw at an image address; absent or null before it looked. A load carries it over. */
  image?: SeenImage | null;
  /** `buy_url` as `normaliseUrl` has it, to look it up; null: there is none. Since schema 3. */
  url?: string | null;
  /** What filters and facets compare, as `foldValue` has it; the rating as a number. Since schema 4, as the next six. */
  brand?: string | null;
  rating?: number | null;
  /** Where the price is among `PRICE_EDGES`; null: there is none. */
  price_step?: string | null;
  /** What begins the category path, from its first level alone to all of it. */
  category_paths?: string[];
  /** Of the attributes in the metadata: names, the values of each, and those with how they are written. */
  attribute_names?: string[];
  attribute_values?: ByName;
  attribute_spellings?: ByName;
  /** The product that the listing is of, as `npm run link` found; at first its own id. Since schema 4, as the next. */
  group_id?: number;
  /** When it was linked as it is; ISO 8601, UTC. null: never, or it says another product since. */
  linked_at?: string | null;
  /** What two listings share of which a source has but one; null: no price. Since schema 4, as the next two. */
  twin?: string | null;
  /** What `npm run quality` found by looking at other listings; null: nothing, or it says another thing since. */
  judged?: Judgement | null;
  /** What may be wrong with it, those of `judged` included; that it was not checked for long is not among them. */
  flags?: Flag[];
  /** The nouns that say what the thing is, as `kindsOf` reads them. Since schema 4. */
  kinds?: string[];
}

/** The outcome of looking at one image. It speaks of the listing's image only while `url` is its `image_url`. */
export interface SeenImage {
  url: string;
  /** ISO 8601, UTC. */
  seen_at: string;
  /** 64-bit perceptual hash as 16 hexadecimal digits; null: there was no image to see. */
  hash: string | null;
  /** Why there is no hash, for the operator; null: there is one. */
  failure: string | null;
}
