import type { Context } from './context.js';
import { brandsRequest } from '../engine/queries/sources.js';
import { GROUPS_SCHEMA } from '../listing/schema-versions.js';
import { badRequest } from '../platform/errors.js';
import { foldBrands } from '../text/brand.js';
import { checkSchema, pageFrame } from '../products/list-requests.js';

/** The maximum of `offset` and `limit` together, because a terms aggregation computes every bucket before the page. */
export const MAX_BRANDS = 10_000;

interface BrandAggregations {
  /** `written`: the most frequent form in which listings write the brand. */
  brands: { buckets: { key: string; doc_count: number; written: { buckets: { key: string }[] } }[] };
  distinct: { value: number };
}

/** Returns the brands that begin with `q`, sorted by the number of listings. @throws ApiError 400 for a page that is too deep. */
export async function listBrands(
  context: Context,
  { q = '', limit = 20, offset = 0 }: { q?: string; limit?: number; offset?: number },
) {
  const { es, products: index } = context;
  if (offset + limit > MAX_BRANDS)
    throw badRequest(`offset and limit together must not exceed ${MAX_BRANDS}; use q to list fewer brands`);
  await checkSchema(context, { 'the list of brands': GROUPS_SCHEMA });
  const request = { index, ...brandsRequest(foldBrands([q]), { limit, offset }) };
  const { aggregations } = await es.search<unknown, BrandAggregations>(request);
  const items = (aggregations?.brands.buckets ?? []).map(({ key, doc_count: listings, written }) => ({
    brand: written.buckets[0]?.key.trim() ?? key,
    listings,
  }));
  const total = aggregations?.distinct.value ?? 0;
  return { body: { ...pageFrame({ total, items: items.length }, { limit, offset }), items } };
}
