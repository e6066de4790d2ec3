import { getStoredListings } from '../engine/documents.js';
import { searchEach } from '../engine/multi-search.js';
import { GROUP_FIELD } from '../engine/queries/groups.js';
import { type Identifier, readIdentifier } from '../engine/queries/lookup.js';
import type { QueryClause } from '../engine/queries/selection.js';
import { byStockAndPrice } from '../engine/queries/sorts.js';
import { GROUPS_SCHEMA } from '../listing/schema-versions.js';
import { gtinOf, isInStoreGtin } from '../listing/gtin.js';
import { isLinked, type StoredListing } from '../listing/listing.js';
import { distinctBy } from '../platform/distinct.js';
import type { ProductGroup } from '../schemas/group.js';
import { PRODUCT_FIELDS } from '../schemas/product.js';
import type { Context } from './context.js';
import { checkSchema } from '../products/list-requests.js';
import { productGroups } from '../products/product-groups.js';

/** A product of the catalogue: the listings that `npm run link` grouped, or one listing that is not linked. */
export interface CatalogueProduct {
  /** `g_N` for a group, `l_N` for a listing. */
  id: string;
  /** Listings of the product, the featured one first. Each has a price and a currency. */
  listings: StoredListing[];
  /** The costs of all offers of the product; null for a listing that is not linked. */
  group: ProductGroup | null;
}

/** A product that identifiers of a request resolved to. */
export interface ResolvedProduct extends CatalogueProduct {
  /** For each listing by its id, the identifiers that resolved to it; `exact`: they name this very listing. */
  inputs: Map<number, { id: string; match: 'exact' | 'featured' }[]>;
}

const FIELDS = [
  ...PRODUCT_FIELDS,
  ...['gtins', 'group_id', 'linked_at', 'claim', 'flags', 'condition'].map((field) => `internal.${field}`),
];

/** The maximum number of offers of one product in an answer. */
const MAX_OFFERS = 50;

/** The maximum number of listings that one identifier, such as a GTIN, resolves to. */
const MAX_MATCHES = 10;

const isPriced = ({ price, currency }: StoredListing): boolean =>
  price !== null && /^[A-Z]{3}$/.test(currency ?? '');

/** Reads the products of listings, in their order, without those that lack a price or a currency or were withdrawn meanwhile. */
export async function productsOfListings(context: Context, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const read = await getStoredListings(context.es, context.products, ids, FIELDS);
  const listings = read.filter((listing) => listing !== null).filter(isPriced);
  const groups = await groupsOf(context, listings);
  return listings.map((listing) => ({
    id: productIdOf(listing),
    listings: [listing],
    group: groups.get(listing.id) ?? null,
  }));
}

/**
 * Resolves identifiers to products, with one request for the listings and one for their groups: `g_N`, `l_N`, a GTIN,
 * `source:sku` or the https URL of a listing. @throws ApiError 503 if the index must be reindexed first.
 */
export async function findProducts(context: Context, ids: readonly string[]): Promise<ResolvedProduct[]> {
  await checkSchema(context, { 'the catalogue of products': GROUPS_SCHEMA });
  const { es, products: index, rates } = context;
  const page = { sort: byStockAndPrice(rates), size: MAX_MATCHES, source: FIELDS };
  const found = await searchEach(es, index, ids.map(queryOf), page);
  const products = new Map<string, ResolvedProduct>();
  for (const [i, id] of ids.entries()) {
    const match = GROUP_ID.test(id) ? 'featured' : 'exact';
    const listings = ((found[i]?.listings ?? []) as StoredListing[]).filter(isPriced);
    // The first listing of each product is the featured one; the others are offers of `/product`.
    for (const listing of distinctBy(listings, productIdOf)) {
      const name = productIdOf(listing);
      const product = products.get(name) ?? newProduct(name);
      products.set(name, product);
      if (!product.inputs.has(listing.id)) product.listings.push(listing);
      product.inputs.set(listing.id, [...(product.inputs.get(listing.id) ?? []), { id, match }]);
    }
  }
  const all = [...products.values()];
  const featured = all.flatMap(({ listings }) => listings.slice(0, 1));
  const groups = await groupsOf(context, featured);
  return all.map((product) => ({ ...product, group: groups.get(product.listings[0]?.id ?? 0) ?? null }));
}

const newProduct = (id: string): ResolvedProduct => ({ id, listings: [], group: null, inputs: new Map() });

/** Finds a product with its offers: the named listing, then those in stock, then the cheapest; null if there is none. */
export async function findProduct(context: Context, id: string): Promise<CatalogueProduct | null> {
  const [product, ...further] = await findProducts(context, [id]);
  // An in-store number that several products have does not tell which of them is meant.
  if (further.length > 0 && isInStoreGtin(gtinOf(id) ?? '')) return null;
  const [featured] = product?.listings ?? [];
  if (product === undefined || featured === undefined) return null;
  if (product.group === null) return product;
  const { es, products: index, rates } = context;
  const page = { sort: byStockAndPrice(rates), size: MAX_OFFERS, source: FIELDS };
  const [offers] = await searchEach(es, index, [groupQuery(product.group.group_id)], page);
  const priced = ((offers?.listings ?? []) as StoredListing[]).filter(isPriced);
  const others = priced.filter(({ id: other }) => other !== featured.id);
  return { ...product, listings: [featured, ...others].slice(0, MAX_OFFERS) };
}

const productIdOf = (listing: StoredListing): string =>
  isLinked(listing) ? `g_${listing.internal.group_id}` : `l_${listing.id}`;

function groupsOf(context: Context, listings: readonly StoredListing[]): Promise<Map<number, ProductGroup>> {
  const linked = listings.filter(isLinked).flatMap(({ id, internal: { group_id: key } }) => {
    return key === undefined ? [] : [{ id, key }];
  });
  return productGroups(context, linked);
}

const GROUP_ID = /^g_(\d{1,16})$/;
const LISTING_ID = /^l_(\d{1,16})$/;

const groupQuery = (group: number): QueryClause => ({
  bool: { filter: [{ term: { [GROUP_FIELD]: group } }, { exists: { field: 'internal.linked_at' } }] },
});

function queryOf(id: string): QueryClause | null {
  const group = GROUP_ID.exec(id)?.[1];
  if (group !== undefined) return Number.isSafeInteger(Number(group)) ? groupQuery(Number(group)) : null;
  const read = readIdentifier(identifierOf(id));
  return 'query' in read ? read.query : null;
}

function identifierOf(id: string): Identifier {
  const listing = LISTING_ID.exec(id)?.[1];
  if (listing !== undefined) return { type: 'id', value: listing };
  if (/^https:\/\//i.test(id)) return { type: 'url', value: id };
  const colon = id.indexOf(':');
  if (colon > 0) return { type: 'sku', source: id.slice(0, colon), value: id.slice(colon + 1) };
  return { type: 'gtin', value: id };
}
