import { type AttributePair, attributePairs, spellingsByName, valuesByName } from './attribute-pairs.js';
import { foldValue, pathsTo } from '../text/fold.js';
import { priceStep } from './price-steps.js';
import type { Product } from '../schemas/product.js';
import { flagsOf, standing, twinOf } from './flags.js';
import { kindsOf } from '../text/head.js';
import type { ListingInternals, StoredListing } from './listing.js';
import { normaliseUrl } from './url.js';

/** The first version of the mapping whose listings can be looked up by URL. */
export const URL_SCHEMA = 3;

/** The first version with what narrows, sorts, ranks and groups listings. */
export const GROUPS_SCHEMA = 4;

/** What `mappings/products.json` says of itself. */
export const TODAYS_SCHEMA = 5;

/** Works a field out from the listing, or carries over what is kept of it. @param pairs `attributePairs` of its metadata. */
type Derived = {
  [Field in keyof ListingInternals]?: (
    product: Product,
    internal: ListingInternals,
    pairs: readonly AttributePair[],
  ) => ListingInternals[Field];
};

/** What each version of the mapping added under `internal`: an index of an earlier one does not know these fields. */
const ADDED: readonly { since: number; fields: Derived }[] = [
  { since: URL_SCHEMA, fields: { url: ({ buy_url }) => (buy_url === null ? null : normaliseUrl(buy_url)) } },
  {
    since: GROUPS_SCHEMA,
    fields: {
      brand: ({ brand }) => (brand === null ? null : foldValue(brand)),
      rating: ({ rating }) => (rating === null ? null : Number(rating)),
      price_step: (_product, { price_units }) =>
        price_units === null ? null : String(priceStep(price_units)),
      category_paths: ({ category_path }) => pathsTo(category_path),
      attribute_names: (_product, _internal, pairs) => [...new Set(pairs.map(({ name }) => name))],
      attribute_values: (_product, _internal, pairs) => valuesByName(pairs),
      attribute_spellings: (_product, _internal, pairs) => spellingsByName(pairs),
      group_id: ({ id }, { group_id }) => group_id ?? id,
      linked_at: (_product, { linked_at }) => linked_at ?? null,
      twin: twinOf,
      judged: standing,
      flags: flagsOf,
      kinds: ({ name, category }) => kindsOf(name, category),
    },
  },
];

const DERIVATIONS = ADDED.flatMap(({ since, fields }) =>
  Object.entries(fields).map(([field, derive]) => ({ since, field, derive })),
);
const DERIVED: ReadonlySet<string> = new Set(DERIVATIONS.map(({ field }) => field));

/**
 * What is kept about a listing, with the fields that a schema version adds and without those that it does not know yet.
 * Everything that is added follows from the listing, or begins as it would with a new one, so a document of any version
 * becomes one of any other.
 */
export function completeFor(schema: number, product: Product, internal: ListingInternals): ListingInternals {
  // By assignment, in one order: objects of one shape are faster to make and to write than others. Whichever of the
  // derived ones were there come last, so that the same listing is the same JSON.
  const complete: Record<string, unknown> = {};
  for (const field of Object.keys(internal))
    if (!DERIVED.has(field)) complete[field] = internal[field as keyof ListingInternals];
  const pairs = attributePairs(product.metadata);
  for (const { since, field, derive } of DERIVATIONS)
    if (since <= schema) complete[field] = derive(product, internal, pairs);
  return complete as unknown as ListingInternals;
}

/** The fields under `internal` that came after a schema version. */
export function fieldsSince(schema: number): string[] {
  return DERIVATIONS.filter(({ since }) => since > schema).map(({ field }) => field);
}

/** A stored listing as an index of a schema version has it. */
export function listingFor(schema: number, listing: StoredListing): StoredListing {
  return { ...listing, internal: completeFor(schema, listing, listing.internal) };
}
