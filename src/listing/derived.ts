import type { Product } from '../schemas/product.js';
import { foldBrand } from '../text/brand.js';
import { partsIn } from '../naming/word-forms.js';
import { areOfAccessory, kindsOf } from '../naming/kinds.js';
import { MARKETS_UNREAD } from '../platform/config/markets.js';
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
import * as since from './schema-versions.js';
import { normaliseUrl } from './url.js';

/** The version of the functions that compute fields. Raise it if they compute other values, which a reindex must not compare. */
const DERIVATION = 12;
/** The same with the choice of markets, whose words these functions read. */
const DERIVATION_WITH_MARKETS = DERIVATION + 1_000 * MARKETS_UNREAD;

/** The parts of a listing from which several fields are derived. They are computed once for each listing. */
interface Readings {
  pairs: readonly AttributePair[];
  kinds: string[];
  /** The keys that the listing shares with near-identical and similar listings of its owner. */
  keys: ReturnType<typeof alikeKeysOf>;
}

/** An internal field that a schema version added. An index with an earlier schema rejects it. */
interface AddedField {
  since: number;
  field: keyof ListingInternals;
  derive: (product: Product, internal: ListingInternals, readings: Readings) => unknown;
  /** Whether the field is computed from the listing. If not, it is stored information that cannot be computed again. */
  isComputed: boolean;
}

const computed = <Field extends keyof ListingInternals>(
  since: number,
  field: Field,
  derive: (product: Product, internal: ListingInternals, readings: Readings) => ListingInternals[Field],
): AddedField => ({ since, field, derive, isComputed: true });

/** @param initial the value of a listing for which none is stored. */
const kept = <Field extends keyof ListingInternals>(
  since: number,
  field: Field,
  initial: (product: Product) => ListingInternals[Field],
): AddedField => ({
  since,
  field,
  derive: (product, internal) => internal[field] ?? initial(product),
  isComputed: false,
});

/** The added fields, in the order in which they are stored. */
const ADDED: readonly AddedField[] = [
  computed(since.URL_SCHEMA, 'url', ({ buy_url }) => (buy_url === null ? null : normaliseUrl(buy_url))),
  // With another name of the operator for the brand, or without a stated one, it is the brand stored together with the maker.
  computed(since.GROUPS_SCHEMA, 'brand', ({ brand }, { brand: inferred, maker }) =>
    maker ? (inferred ?? null) : brand === null ? null : foldBrand(brand),
  ),
  computed(since.GROUPS_SCHEMA, 'rating', ({ rating }) => (rating === null ? null : Number(rating))),
  computed(since.GROUPS_SCHEMA, 'price_step', (_product, { price_units }) =>
    price_units === null ? null : String(priceStep(price_units)),
  ),
  computed(since.GROUPS_SCHEMA, 'category_paths', ({ category_path }) => categoryPathPrefixes(category_path)),
  computed(since.GROUPS_SCHEMA, 'attribute_names', (_product, _internal, { pairs }) => [
    ...new Set(pairs.map(({ name }) => name)),
  ]),
  computed(since.GROUPS_SCHEMA, 'attribute_values', (_product, _internal, { pairs }) => valuesByName(pairs)),
  computed(since.GROUPS_SCHEMA, 'attribute_spellings', (_product, _internal, { pairs }) =>
    writtenValuesByName(pairs),
  ),
  computed(since.GROUPS_SCHEMA, 'twin', duplicateKeyOf),
  computed(since.GROUPS_SCHEMA, 'judged', currentPeerFlags),
  computed(since.GROUPS_SCHEMA, 'flags', flagsOf),
  computed(since.GROUPS_SCHEMA, 'kinds', (_product, _internal, { kinds }) => kinds),
  kept(since.GROUPS_SCHEMA, 'group_id', ({ id }) => id),
  kept(since.GROUPS_SCHEMA, 'linked_at', () => null),
  kept(since.MAKERS_SCHEMA, 'maker', () => null),
  // Null until `storeListings` records a change: it alone knows the version that a write replaces.
  kept(since.CHANGES_SCHEMA, 'changes', () => null),
  // `applyRecord` adds the run of a record later, so that being loaded again does not by itself count as a change.
  kept(since.LINEAGE_SCHEMA, 'lineage', () => null),
  // Computed together with the other facts about the prices, unless an earlier version stored the listing.
  computed(since.CLAIMS_SCHEMA, 'claim', (product, internal) =>
    internal.claim === undefined ? claimIn(product, internal) : internal.claim,
  ),
  computed(since.DELIVERY_SCHEMA, 'delivery', (product, { delivery }) => deliveryAt(product, delivery)),
  computed(since.QUANTITIES_SCHEMA, 'quantity', (product, { price_units }) =>
    quantityOf(product, price_units),
  ),
  computed(since.ACCESSORIES_SCHEMA, 'accessory', (_product, _internal, { kinds }) => areOfAccessory(kinds)),
  computed(since.PRODUCT_KEYS_SCHEMA, 'product_key', ({ id }, internal) => productKeyOf({ id, internal })),
  computed(since.CONDITIONS_SCHEMA, 'condition', (product, { condition }, { pairs }) =>
    conditionOf(product, condition?.stated ?? null, pairs),
  ),
  kept(since.PRICE_FROM_SCHEMA, 'price_from', () => false),
  kept(since.PICTURES_SCHEMA, 'picture', () => null),
  computed(since.OWNERS_SCHEMA, 'alike', (_product, _internal, { keys }) => keys.alike),
  computed(since.OWNERS_SCHEMA, 'series', (_product, _internal, { keys }) => keys.series),
  kept(since.OWNERS_SCHEMA, 'owner', ({ source }) => ownerOfSource(source)),
  kept(since.OWNERS_SCHEMA, 'crowd', () => false),
  computed(since.DERIVATION_SCHEMA, 'parts', ({ name, category }) => partsIn([name, category ?? ''])),
  computed(since.DERIVATION_SCHEMA, 'derivation', () => DERIVATION_WITH_MARKETS),
];

const DERIVED: ReadonlySet<string> = new Set(ADDED.map(({ field }) => field));
const COMPUTED: ReadonlySet<string> = new Set(
  ADDED.flatMap(({ field, isComputed }) => (isComputed ? [field] : [])),
);

/** Adapts the internal fields of a listing to a schema version. Added values follow from the listing or are those of a new one. */
export function completeFor(schema: number, product: Product, internal: ListingInternals): ListingInternals {
  // Always in the same order: objects of one shape are faster to create, and equal listings must have equal JSON.
  const complete: Record<string, unknown> = {};
  for (const field of Object.keys(internal))
    if (!DERIVED.has(field)) complete[field] = internal[field as keyof ListingInternals];
  const kinds = kindsOf(product.name, product.category, product.brand);
  const readings = {
    pairs: attributePairs(product.metadata),
    kinds: [...kinds, ...partsIn(kinds)],
    keys: alikeKeysOf(product, internal),
  };
  for (const { since, field, derive } of ADDED)
    if (since <= schema) complete[field] = derive(product, internal, readings);
  return complete as unknown as ListingInternals;
}

/** Whether the internal fields of a stored listing have all fields that a schema version adds. */
export const isCompleteFor = (schema: number, internal: ListingInternals): boolean =>
  ADDED.every(({ since, field }) => since > schema || internal[field] !== undefined);

/** Whether the computed fields of a stored listing are complete, and were computed by this version with the same `MARKETS`. */
export const isCurrentFor = (schema: number, internal: ListingInternals): boolean =>
  internal.derivation === DERIVATION_WITH_MARKETS && isCompleteFor(schema, internal);

/** Converts a stored listing to a schema version. */
export function listingFor(schema: number, listing: StoredListing): StoredListing {
  return { ...listing, internal: completeFor(schema, listing, listing.internal) };
}

/** A stored listing without the internal fields that are computed from it, for comparisons. */
export function withoutComputed({ internal, ...product }: StoredListing): Product & { internal: object } {
  const kept = Object.entries(internal).filter(([field]) => !COMPUTED.has(field));
  return { ...product, internal: Object.fromEntries(kept) };
}
