import type { ClaimVerdict } from '../schemas/claim.js';
import type { Condition, ListingCondition } from '../schemas/condition.js';
import type { Flag } from '../schemas/quality.js';
import type { Product } from '../schemas/product.js';
import type { ValuesByName } from './attributes.js';
import type { StoredQuantity } from './quantity.js';

type StatedFields = Omit<Product, 'id' | 'updated_at'>;

/** One validated record of a feed. A field that is absent or null is unknown. */
export interface FeedRecord extends Partial<{ [Field in keyof StatedFields]: StatedFields[Field] | null }> {
  sku: string;
  source: string;
  name: string;
  /** The declared "was" price, a decimal string. If absent, the stored one is kept; null removes it. */
  list_price?: string | null;
  /** The GTINs that the feed states. If absent, the stored ones are kept; null removes them. */
  gtin?: string | string[] | null;
  price_history?: PriceObservation[] | null;
  /** What the feed states about delivery. Null and absent: nothing; in a patch, absent keeps the stored value. */
  delivery?: StatedDelivery | null;
  /** The stated condition. Null and absent: nothing; in a patch, absent keeps the stored value. */
  condition?: Condition | null;
  /** Whether the price is a "from" price. Absent: it is not. */
  price_from?: boolean;
  /** The times that only a dump of the catalogue states, so that a load restores them. */
  times?: DumpedTimes;
  /** The fields that a patch states; undefined: the record states the whole listing. */
  stated?: readonly string[];
}

/** What a feed states about the delivery of a listing. At least one of `price` and `free_from` is known. */
export interface StatedDelivery {
  /** The delivery price of a single item, a decimal string; `0.00` if delivery is free. */
  price: string | null;
  /** The currency of both amounts; null: that of the listing. */
  currency: string | null;
  /** The country of delivery, ISO 3166-1 alpha-2. */
  to: string | null;
  /** The price of the listing from which delivery is free, a decimal string. */
  free_from: string | null;
}

export interface StoredDelivery extends StatedDelivery {
  /** The delivery price that applies at the price of the listing, in ten-thousandths of the currency's unit. */
  units: number | null;
}

/** The condition of a listing, and what the field `condition` of its record states; null: nothing. */
export interface StoredCondition extends ListingCondition {
  stated: Condition | null;
}

/** When a dumped listing was first and last observed, and when it last changed: ISO 8601, UTC. */
export interface DumpedTimes {
  first_observed_at: string;
  observed_at: string;
  updated_at: string;
}

export interface PriceObservation {
  /** The price as a decimal string. */
  price: string;
  /** When the price was observed, ISO 8601 in UTC. */
  at: string;
  /** The currency of a price in a stored history, if it differs from the listing's current one. */
  currency?: string | null;
  /** Set if the price is a "from" price, which no statistic prefers to others. */
  from?: true;
  /** Set if an untrusted sender reported this past price: it is stored, but no statistic uses it. */
  declared?: true;
  /** When a feed that states no times last contained the same price, after at least once per fortnight since `at`. */
  seen_until?: string;
  /** When the listing was first observed without a price. It counts only in the newest observation of a history. */
  ended_at?: string;
}

/** A listing as Elasticsearch stores it. One `_source` exclude leaves out all internal fields. */
export interface StoredListing extends Product {
  internal: ListingInternals;
}

/** What the service derives from a listing or stores about it; earlier schemas lack later fields. Times are ISO 8601, UTC. */
export interface ListingInternals {
  /** The price in ten-thousandths of the currency's unit, for filters and sorting. */
  price_units: number | null;
  /** The normalized SKU, GTINs and model numbers (letters and digits only), for exact look-ups. */
  identifiers: string[];
  gtins: string[];
  models: string[];
  attributes: string[];
  /** The "was" price that the feed declares, a decimal string. */
  list_price: string | null;
  /** The GTINs that the feed states in its own field, which the API does not return. */
  declared_gtins: string[];
  /** The observed reference price in ten-thousandths of the currency's unit, which `dealFacts` computes. */
  reference_units: number | null;
  /** The discounts of the price in ten-millionths of a percent, which `dealFacts` computes. */
  observed_discount: number | null;
  declared_discount: number | null;
  /** Whether the declared list price, or a higher one, was ever observed. */
  list_price_observed: boolean | null;
  /** The times at which the price changed, oldest first. */
  price_moved_at: string[];
  has_image: boolean;
  first_observed_at: string;
  /** When the listing was last observed: by its `last_checked`, or by its sighting in a feed without times, whichever is later. */
  observed_at: string;
  /** The observed and declared prices, sorted by time, as `mergeObservations` returns them. */
  price_history: PriceObservation[];
  /** The result of inspecting the listing's image with `npm run images`. */
  image?: SeenImage | null;
  /** The SHA-256 of the picture that was stored of this image; null: there is none. Since schema 10. */
  picture?: string | null;
  /** `buy_url` as `normaliseUrl` returns it, for look-ups. Since schema 3. */
  url?: string | null;
  /** The folded brand for filters and facets: the stated or the inferred one. Since schema 4, like all fields below. */
  brand?: string | null;
  rating?: number | null;
  /** The step of the price facet that contains the price, as its index in `PRICE_EDGES`. */
  price_step?: string | null;
  /** Every prefix of the listing's category path, from its first level to the whole path. */
  category_paths?: string[];
  /** The attributes in the metadata: names, folded values by name, and values as the feed writes them. */
  attribute_names?: string[];
  attribute_values?: ValuesByName;
  attribute_spellings?: ValuesByName;
  /** The id of the product group that `npm run link` found for the listing; until then, the id of the listing. */
  group_id?: number;
  /** When the listing was linked to its product group; null: never, or its identity has changed since. */
  linked_at?: string | null;
  /** The value that the listings share which `group=product` shows as one product, see `productKeyOf`. Since schema 10. */
  product_key?: number;
  /** The key that duplicate listings share, which `duplicateKeyOf` computes. */
  twin?: string | null;
  /** The quality flags that `npm run quality` derived from other listings. */
  judged?: PeerFlags | null;
  /** All quality flags of the listing except `stale`, which depends on the current time. */
  flags?: Flag[];
  /** The nouns that name the type of product, which `kindsOf` reads from the name and category. */
  kinds?: string[];
  /** Whether one of the nouns in `kinds` names an accessory, such as a case or a charger. */
  accessory?: boolean;
  /** The maker that was inferred from the name, if the feed states no brand; null: none. Since schema 6. */
  maker?: string | null;
  /** What has changed in the listing, for the change feed; null: nothing since the index has schema 8. */
  changes?: ListingChanges | null;
  /** The last runs that wrote the listing, and those that set its fields, the oldest first. Since schema 8. */
  lineage?: LineageEntry[] | null;
  /** How the stated price reduction compares with the observed prices; null without a price. Since schema 8. */
  claim?: StoredClaim | null;
  /** What the feed states about delivery. Since schema 8. */
  delivery?: StoredDelivery | null;
  /** The quantity that the listing sells, with its unit price; null if none is certain. Since schema 8. */
  quantity?: StoredQuantity | null;
  /** The last parts of the German compounds in the name and category, by which a search finds the listing. Since schema 10. */
  parts?: string[];
  /** The version of the functions that computed the other fields from the listing. Since schema 10. */
  derivation?: number;
  /** The condition of the goods, with what the field `condition` of the record states. Since schema 10. */
  condition?: StoredCondition;
  /** Whether the price is a "from" price: the lowest one of several variants. Since schema 10. */
  price_from?: boolean;
  /** Who offers the listing: votes on prices, candidates and group sizes count owners. Since schema 10. */
  owner?: string;
  /** The key that near-identical listings of one owner share, which `alikeKeysOf` computes. Since schema 10. */
  alike?: string;
  /** The key that listings of one owner share whose names differ in nothing but numbers. Since schema 10. */
  series?: string;
  /** Whether the listing is near-identical to a better one of its owner, or in a long series (quality run). Since schema 10. */
  crowd?: boolean;
}

export interface LineageEntry {
  run: string;
  /** When the run changed or saw the listing, by the clock of the load. */
  at: string;
  /** The line of the record in its feed; absent if the run changed the listing because its complete feed lacks it. */
  line?: number;
  /** The file of the record, if the feed is an archive of several files. */
  file?: string;
  /** The fields that the run set and that no later run has set; `*`: all fields that no later run has set. */
  set: string[];
}

/** `new`: created. `group`: it belongs to another product. `category`: its category changed, which is also a change of `content`. */
export type RecordedKind = 'new' | 'price' | 'stock' | 'content' | 'group' | 'category';

/** The changes of a listing, as `recordChanges` records them with every write. */
export interface ListingChanges {
  /** When the listing last changed, by the clock of its writer. */
  at: string;
  /** What the last write changed; empty if it changed nothing that the change feed reports. */
  last: RecordedKind[];
  /** Set if the category of the listing has ever changed. */
  moved?: boolean;
  /** The index to which the sequence numbers belong; absent if there are none. */
  index?: string;
  /** The sequence number of the version that the last write replaced; absent if it created the listing. */
  over?: number;
  /** The highest sequence number of `earlier`; absent if it is empty. */
  seq?: number;
  /** For each kind, the last change before the last write: its sequence number and its time. */
  earlier?: Partial<Record<RecordedKind, { seq: number; at: string }>>;
}

/** What the prices until the current one took effect say about the price reduction that a feed states. */
export interface StoredClaim {
  verdict: ClaimVerdict;
  /** When the current price took effect; null if no price was observed. */
  began_at: string | null;
  /** The lowest price of the 30 days before `began_at`, in ten-thousandths of the currency's unit; null if none is known. */
  reference_units: number | null;
  /** The reduction that the feed states, in ten-millionths of a percent; null if it states none. */
  stated: number | null;
}

/** The maker that was inferred for a listing, and the brand by which filters find it. */
export type InferredBrand = Required<Pick<ListingInternals, 'maker' | 'brand'>>;

/** The result of inspecting one image. It applies to the listing only while `url` equals its `image_url`. */
export interface SeenImage {
  url: string;
  seen_at: string;
  hash: string | null;
  /** Why the image has no hash, for the operator. */
  failure: string | null;
}

/** The quality flags of a listing, with an explanation for people. */
export type FlagReasons = Partial<Record<Flag, string>>;

/** Quality flags that follow from other listings, valid while the listing's `peerFlagsBasis` is unchanged. */
export interface PeerFlags {
  basis: string;
  reasons: FlagReasons;
  /** The usual price at other owners, in ten-thousandths; only with a list price and three or more other owners. */
  usual_units?: number;
}

/** Whether the product group of a listing was determined from its current data. */
export const isLinked = ({ internal }: Pick<StoredListing, 'internal'>): boolean =>
  typeof internal.group_id === 'number' && typeof internal.linked_at === 'string';

/**
 * The value that the listings share which are shown as one product: the id of the group of linked listings. Listings that have
 * changed since they were linked may be another product now, so they share the negative of it until they are linked again.
 */
export const productKeyOf = (listing: Pick<StoredListing, 'id' | 'internal'>): number =>
  isLinked(listing) ? groupOf(listing) : -groupOf(listing);

/** The product that a listing belongs to; a listing that was never linked is a product of its own. */
export const groupOf = ({ id, internal }: Pick<StoredListing, 'id' | 'internal'>): number =>
  internal.group_id ?? id;
