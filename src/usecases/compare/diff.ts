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

/** Compares two to five listings by field. @throws ApiError 404 naming unknown ids, and 422 if fewer than two ids are different. */
export async function diffByIds(
  context: Context,
  productIds: readonly number[],
  { withImages, explain, include }: { withImages: boolean; explain: boolean; include: Include },
) {
  const ids = distinctIds(productIds);
  await checkInclude(context, include);
  const listings = allKnown(ids, await getStoredListings(context.es, context.products, ids));
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
    ...(explain ? { same_product: await sameProductPairs(context, listings) } : {}),
  };
}

/** Scores every pair of listings, also of the same source, as the comparison of the one with the lower id does. */
async function sameProductPairs(context: Context, listings: readonly StoredListing[]) {
  const sources = new Set(listings.map(({ source }) => source));
  const { pairs } = await findMatches(context, {
    of: listings.toSorted((a, b) => a.id - b.id),
    filters: { includeSameSource: sources.size < listings.length },
    pairs: true,
  });
  return pairs;
}

const diffOf = (field: string, values: string[]) => ({
  field,
  values,
  all_identical: values.every((value) => value === values[0]),
});

/** The fields that differ between any two listings. `metadata` is compared by attribute instead. */
const UNCOMPARED = 'id buy_url affiliate_url image_url last_checked metadata updated_at'.split(' ');

/**
 * Returns the values of every compared field as texts, empty if unknown: the fields of the Product, then the metadata attributes
 * that at least two products have. The members of an object in metadata are attributes too; deeper values are compared as JSON.
 */
export function fieldDiffs(products: readonly Product[]) {
  const compared = PRODUCT_FIELDS.filter((field) => !UNCOMPARED.includes(field));
  const fields = compared.map((name) => {
    const values = products.map((product) => textOf(product[name]));
    return diffOf(name, values);
  });
  const attributes = products.map(({ metadata }) => attributeTextByName(metadata));
  const names = [...new Set(attributes.flatMap((own) => [...own.keys()]))];
  const shared = names.filter((name) => attributes.filter((own) => own.has(name)).length >= 2);
  const ofAttributes = shared.map((name) => {
    const values = attributes.map((own) => own.get(name) ?? '');
    return diffOf(name, values);
  });
  return [...fields, ...ofAttributes];
}

/** The texts of a listing's metadata attributes by their full names. Attributes without a value are left out. */
function attributeTextByName(metadata: unknown): Map<string, string> {
  const attributes = Object.entries(isJsonObject(metadata) ? metadata : {}).flatMap(([name, value]) =>
    isJsonObject(value)
      ? Object.entries(value).map(([inner, innerValue]) => [`${name}.${inner}`, innerValue] as const)
      : [[name, value] as const],
  );
  const known = attributes.filter(([, value]) => value !== null);
  return new Map(known.map(([name, value]) => [`metadata.${name}`, textOf(value)]));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(' > ');
  return typeof value === 'object'
    ? JSON.stringify(sorted(value))
    : String(value as string | number | boolean);
}

/** Sorts the keys of all objects in a JSON value, because their order does not count in a comparison. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
