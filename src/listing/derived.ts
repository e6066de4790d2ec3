import type { Product } from '../schemas/product.js';
import { foldBrand } from '../text/brand.js';
import { partsIn } from '../naming/word-forms.js';
import { areOfAccessory, kindsOf } from '../naming/kinds.js';
import { type AttributePair, attributePairs, valuesByName, writtenValuesByName } from './attributes.js';
import { categoryPathPrefixes } from './category-path.js';
import { claimIn } from './claim.js';
import { conditionOf } from './condition.js';
import { deliveryAt } from './delivery.js';
import { currentPeerFlags, duplicateKeyOf, flagsOf } from './flags.js';
import { type ListingInternals, productKeyOf, type StoredListing } from './listing.js';
import { alikeKeysOf, ownerOfSource } from './owner.js';
import { priceStep } from './price.js';
import { quantityOf } from './quantity.js';
import { normaliseUrl } from './url.js';

/** The first schema version whose listings can be looked up by URL. */
export const URL_SCHEMA = 3;

/** The first schema version with the fields for filters, sorting, ranking and groups. */
export const GROUPS_SCHEMA = 4;

/** The first schema version whose listings have an inferred maker. */
export const MAKERS_SCHEMA = 6;

/** The first schema version with one field that contains all words of a listing, and one with their joined pairs. */
export const TEXT_SCHEMA = 7;

/** The first schema version whose listings record what has changed in them. */
export const CHANGES_SCHEMA = 8;

/** The first schema version whose listings have a judged price reduction. */
export const CLAIMS_SCHEMA = 8;

/** The first schema version whose listings have a delivery price. */
export const DELIVERY_SCHEMA = 8;

/** The first schema version whose listings have a quantity and a unit price. */
export const QUANTITIES_SCHEMA = 8;

/** The first schema version whose listings record which runs set their fields. */
const LINEAGE_SCHEMA = 8;

/** The first schema version whose listings say whether they are accessories. */
const ACCESSORIES_SCHEMA = 9;

/** The first schema version whose listings state which version of the derivation computed their fields. */
const DERIVATION_SCHEMA = 10;

/** The first schema version whose listings have an owner. */
export const OWNERS_SCHEMA = 10;

/** The first schema version whose listings have a condition. */
export const CONDITIONS_SCHEMA = 10;

/** The first schema version whose listings say whether their price is a "from" price. */
export const PRICE_FROM_SCHEMA = 10;

/** The first schema version whose listings have stored pictures. */
export const PICTURES_SCHEMA = 10;

/** The first schema version in which the listings that are shown as one product share a key. */
export const PRODUCT_KEYS_SCHEMA = 10;

/** The first schema version with the analyzer `simple_query`. */
export const SIMPLE_QUERY_SCHEMA = 10;

/** The schema version of `mappings/products.json`. */
export const CURRENT_SCHEMA = 10;

/**
 * The version of the functions that compute fields from a listing, stored with each listing that they have read. It must
 * be raised when they compute other values for the same listing. Then fields that different versions wrote are not
 * compared when a reindex or a rollback verifies an index.
 */
const DERIVATION = 9;

/** The parts of a listing from which several fields are derived. They are computed once for each listing. */
interface Readings {
  pairs: readonly AttributePair[];
  /** The nouns that name the type of product. */
  kinds: string[];
  /** The keys of the listings of its owner that are like it. */
  keys: ReturnType<typeof alikeKeysOf>;
}

/** For each internal field, a function that computes it, or carries over the stored value. */
type DerivedFields = {
  [Field in keyof ListingInternals]?: (
    product: Product,
    internal: ListingInternals,
    readings: Readings,
  ) => ListingInternals[Field];
};

/**
 * The internal fields that each schema version added; an index with an earlier schema rejects them. `fields` are computed
 * from the listing; `kept` are stored values, which nothing can compute again.
 */
const ADDED: readonly { since: number; fields?: DerivedFields; kept?: DerivedFields }[] = [
  { since: URL_SCHEMA, fields: { url: ({ buy_url }) => (buy_url === null ? null : normaliseUrl(buy_url)) } },
  {
    since: GROUPS_SCHEMA,
    fields: {
      // If the operator has another name for the stated brand, or the feed states no brand, this is the brand that is
      // stored together with the maker.
      brand: ({ brand }, { brand: inferred, maker }) =>
        maker ? (inferred ?? null) : brand === null ? null : foldBrand(brand),
      rating: ({ rating }) => (rating === null ? null : Number(rating)),
      price_step: (_product, { price_units }) =>
        price_units === null ? null : String(priceStep(price_units)),
      category_paths: ({ category_path }) => categoryPathPrefixes(category_path),
      attribute_names: (_product, _internal, { pairs }) => [...new Set(pairs.map(({ name }) => name))],
      attribute_values: (_product, _internal, { pairs }) => valuesByName(pairs),
      attribute_spellings: (_product, _internal, { pairs }) => writtenValuesByName(pairs),
      twin: duplicateKeyOf,
      judged: currentPeerFlags,
      flags: flagsOf,
      kinds: (_product, _internal, { kinds }) => kinds,
    },
    kept: {
      group_id: ({ id }, { group_id }) => group_id ?? id,
      linked_at: (_product, { linked_at }) => linked_at ?? null,
    },
  },
  { since: MAKERS_SCHEMA, kept: { maker: (_product, { maker }) => maker ?? null } },
  // The record of changes is written by `storeListings`, which knows the version that it replaces.
  { since: CHANGES_SCHEMA, kept: { changes: (_product, { changes }) => changes ?? null } },
  // `applyRecord` adds the run of a record, so that being loaded again does not count as a change by itself.
  { since: LINEAGE_SCHEMA, kept: { lineage: (_product, { lineage }) => lineage ?? null } },
  {
    since: CLAIMS_SCHEMA,
    fields: {
      // The claim is computed together with the other facts about the prices, unless the listing was stored by an
      // earlier version.
      claim: (product, internal) =>
        internal.claim === undefined ? claimIn(product, internal) : internal.claim,
    },
  },
  { since: DELIVERY_SCHEMA, fields: { delivery: (product, { delivery }) => deliveryAt(product, delivery) } },
  {
    since: QUANTITIES_SCHEMA,
    fields: { quantity: (product, { price_units }) => quantityOf(product, price_units) },
  },
  {
    since: ACCESSORIES_SCHEMA,
    fields: { accessory: (_product, _internal, { kinds }) => areOfAccessory(kinds) },
  },
  {
    since: PRODUCT_KEYS_SCHEMA,
    fields: { product_key: ({ id }, internal) => productKeyOf({ id, internal }) },
  },
  {
    since: CONDITIONS_SCHEMA,
    fields: {
      condition: (product, { condition }, { pairs }) =>
        conditionOf(product, condition?.stated ?? null, pairs),
    },
  },
  { since: PRICE_FROM_SCHEMA, kept: { price_from: (_product, { price_from }) => price_from ?? false } },
  { since: PICTURES_SCHEMA, kept: { picture: (_product, { picture }) => picture ?? null } },
  {
    since: OWNERS_SCHEMA,
    fields: {
      alike: (_product, _internal, { keys }) => keys.alike,
      series: (_product, _internal, { keys }) => keys.series,
    },
    kept: {
      owner: ({ source }, { owner }) => owner ?? ownerOfSource(source),
      crowd: (_product, { crowd }) => crowd ?? false,
    },
  },
  {
    since: DERIVATION_SCHEMA,
    fields: { parts: ({ name, category }) => partsIn([name, category ?? '']), derivation: () => DERIVATION },
  },
];

const DERIVATIONS = ADDED.flatMap(({ since, fields, kept }) =>
  Object.entries({ ...fields, ...kept }).map(([field, derive]) => ({ since, field, derive })),
);
const DERIVED: ReadonlySet<string> = new Set(DERIVATIONS.map(({ field }) => field));
const COMPUTED: ReadonlySet<string> = new Set(ADDED.flatMap(({ fields = {} }) => Object.keys(fields)));

/**
 * Adapts the internal fields of a listing to a schema version. The added values follow from the listing or
 * are those of a new listing, so a document of any version can be converted to any other.
 */
export function completeFor(schema: number, product: Product, internal: ListingInternals): ListingInternals {
  // The fields are always set in the same order, because objects of one shape are faster to create and
  // serialize, and because equal listings must have equal JSON.
  const complete: Record<string, unknown> = {};
  for (const field of Object.keys(internal))
    if (!DERIVED.has(field)) complete[field] = internal[field as keyof ListingInternals];
  const readings = {
    pairs: attributePairs(product.metadata),
    kinds: kindsOf(product.name, product.category, product.brand),
    keys: alikeKeysOf(product, internal),
  };
  for (const { since, field, derive } of DERIVATIONS)
    if (since <= schema) complete[field] = derive(product, internal, readings);
  return complete as unknown as ListingInternals;
}

/** The names of the fields under `internal` that were added after a schema version. */
export function fieldsSince(schema: number): string[] {
  return DERIVATIONS.filter(({ since }) => since > schema).map(({ field }) => field);
}

/** Whether the internal fields of a stored listing have all fields that a schema version adds. */
export const isCompleteFor = (schema: number, internal: ListingInternals): boolean =>
  DERIVATIONS.every(
    ({ since, field }) => since > schema || internal[field as keyof ListingInternals] !== undefined,
  );

/** Converts a stored listing to a schema version. */
export function listingFor(schema: number, listing: StoredListing): StoredListing {
  return { ...listing, internal: completeFor(schema, listing, listing.internal) };
}

/** A stored listing without the internal fields that are computed from it, for comparisons. */
export function withoutComputed({ internal, ...product }: StoredListing): Product & { internal: object } {
  const kept = Object.entries(internal).filter(([field]) => !COMPUTED.has(field));
  return { ...product, internal: Object.fromEntries(kept) };
}
