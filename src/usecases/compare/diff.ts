import { getStoredListings } from '../../engine/documents.js';
import type { StoredListing } from '../../listing/listing.js';
import { includedIn } from '../../products/included.js';
import { toProduct } from '../../listing/product.js';
import type { Include } from '../../schemas/include.js';
import { isJsonObject } from '../../schemas/json-object.js';
import { type Product, PRODUCT_FIELDS } from '../../schemas/product.js';
import type { Context } from '../context.js';
import { checkInclude } from '../../products/list-requests.js';
import { findMatches } from '../../matcher/find-matches.js';
import { comparePriced } from '../../products/price-spread.js';
import { allKnown, distinctIds } from '../../products/product-ids.js';
import { imageSimilarities } from './image-similarity.js';

/**
 * Compares two to five listings field by field.
 * @throws ApiError 404 naming the ids that no listing has, and 422 if fewer than two ids are different.
 */
export async function diffByIds(
  context: Context,
  productIds: readonly number[],
  { withImages, explain, include }: { withImages: boolean; explain: boolean; include: Include },
) {
  const { es, products } = context;
  const ids = distinctIds(productIds);
  await checkInclude(context, include);
  const listings = allKnown(ids, await getStoredListings(es, products, ids));
  return {
    ...diffListings(context, listings, { withImages, include }),
    ...(explain ? { same_product: await sameProductPairs(context, listings) } : {}),
  };
}

/**
 * Scores every pair of listings as the comparison of the listing with the lower id does. Listings of the same
 * source are compared with each other, too.
 */
async function sameProductPairs(context: Context, listings: readonly StoredListing[]) {
  const sources = new Set(listings.map(({ source }) => source));
  const { pairs } = await findMatches(context, {
    of: listings.toSorted((a, b) => a.id - b.id),
    filters: { includeSameSource: sources.size < listings.length },
    pairs: true,
  });
  return pairs;
}

/**
 * Compares listings field by field.
 * @param listings different listings, in the order of the request.
 */
function diffListings(
  context: Context,
  listings: readonly StoredListing[],
  { withImages, include }: { withImages: boolean; include: Include },
) {
  const products = listings.map((listing) => toProduct(listing, context.config));
  const marked = products.map((product, i) => ({
    ...product,
    price_from: listings[i]?.internal.price_from === true,
  }));
  const { ranks, spread } = comparePriced(marked, context.rates);
  const diffs = fieldDiffs(products);
  return {
    products: products.map((product, i) => ({
      ...product,
      ...includedIn(listings[i], include, context),
      price_rank: ranks[i] ?? products.length,
    })),
    field_diffs: diffs,
    identical_fields: diffs.filter(({ all_identical }) => all_identical).map(({ field }) => field),
    ...spread,
    ...(withImages ? { image_similarity: imageSimilarities(listings) } : {}),
  };
}

/**
 * The fields that are not compared because they differ between any two listings: ids, links and times.
 * `metadata` is compared by attribute instead.
 */
const UNCOMPARED: readonly string[] = [
  'id',
  'buy_url',
  'affiliate_url',
  'image_url',
  'last_checked',
  'metadata',
  'updated_at',
];

/**
 * Returns the values of every compared field for each product: the fields of the Product, then the
 * metadata attributes that at least two of the products have, in order of appearance. The members of an
 * object in metadata are attributes too; deeper values are compared as JSON text.
 */
export function fieldDiffs(products: readonly Product[]) {
  const fields = PRODUCT_FIELDS.filter((field) => !UNCOMPARED.includes(field)).map((field) =>
    diffOf(
      field,
      products.map((product) => textOf(product[field])),
    ),
  );
  const attributes = products.map(({ metadata }) => attributeTextByName(metadata));
  const shared = [...new Set(attributes.flatMap((own) => [...own.keys()]))].filter(
    (name) => attributes.filter((own) => own.has(name)).length >= 2,
  );
  return [
    ...fields,
    ...shared.map((name) =>
      diffOf(
        name,
        attributes.map((own) => own.get(name) ?? ''),
      ),
    ),
  ];
}

/**
 * Describes a field in a comparison of products.
 * @param values the value of each product as text; empty if it is unknown.
 */
function diffOf(field: string, values: string[]) {
  return { field, values, all_identical: values.every((value) => value === values[0]) };
}

/** The texts of a listing's metadata attributes by their full names. Attributes without a value are left out. */
function attributeTextByName(metadata: unknown): Map<string, string> {
  const attributes = Object.entries(isJsonObject(metadata) ? metadata : {}).flatMap(([name, value]) =>
    isJsonObject(value)
      ? Object.entries(value).map(([inner, innerValue]) => [`${name}.${inner}`, innerValue] as const)
      : [[name, value] as const],
  );
  return new Map(
    attributes
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [`metadata.${name}`, textOf(value)]),
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(' > ');
  return typeof value === 'object'
    ? JSON.stringify(sorted(value))
    : String(value as string | number | boolean);
}

/**
 * Returns a JSON value in which the keys of all objects are sorted, because the order of keys does not
 * count in a comparison.
 */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
