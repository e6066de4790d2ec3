import type { Context } from './context.js';
import { type AfterKey, categoriesRequest } from '../engine/queries/categories.js';
import { formatUnits } from '../listing/price.js';

interface CategoryBucket {
  key: { name: string };
  doc_count: number;
  currencies?: { buckets: CurrencyBucket[] };
}

interface CategoryPages {
  categories: { buckets: CategoryBucket[]; after_key?: AfterKey };
}

interface CurrencyBucket {
  key: string;
  min: { value: number | null };
  max: { value: number | null };
  median: { values: { key: number; value: number | null }[] };
}

/** Returns all categories, sorted by the number of listings, then by name, optionally with the prices in each currency. */
export async function listCategories(context: Context, { include = [] }: { include?: 'prices'[] }) {
  const buckets = await allCategories(context, include.includes('prices'));
  const categories = buckets.map(({ key, doc_count, currencies }) => {
    const prices = currencies?.buckets.flatMap(toPrices);
    return { name: key.name, count: doc_count, ...(prices === undefined ? {} : { prices }) };
  });
  categories.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return { body: { categories, total: categories.length } };
}

async function allCategories({ es, products }: Context, withPrices: boolean): Promise<CategoryBucket[]> {
  const buckets: CategoryBucket[] = [];
  let after: AfterKey | undefined;
  do {
    const request = categoriesRequest(withPrices, after);
    const answer = await es.search<unknown, CategoryPages>({ index: products, ...request });
    const page = answer.aggregations?.categories;
    buckets.push(...(page?.buckets ?? []));
    const isFull = request.aggs?.categories?.composite?.size === page?.buckets.length;
    after = isFull ? page?.after_key : undefined;
  } while (after !== undefined);
  return buckets;
}

function toPrices({ key, min, median, max }: CurrencyBucket) {
  const middle = median.values[0]?.value ?? null;
  if (min.value === null || max.value === null || middle === null) return [];
  return [
    {
      currency: key,
      min: formatUnits(min.value, key),
      median: formatUnits(Math.round(middle), key),
      max: formatUnits(max.value, key),
    },
  ];
}
