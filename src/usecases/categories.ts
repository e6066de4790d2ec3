import type { Context } from './context.js';
import { categoriesRequest } from '../engine/queries/categories.js';
import { compositeBuckets } from '../engine/search-pages.js';
import { formatUnits } from '../listing/price.js';

interface CategoryBucket {
  key: { name: string };
  doc_count: number;
  currencies?: { buckets: CurrencyBucket[] };
}

interface CurrencyBucket {
  key: string;
  min: { value: number | null };
  max: { value: number | null };
  median: { values: { key: number; value: number | null }[] };
}

/** Returns all categories, sorted by the number of listings, then by name, optionally with the prices in each currency. */
export async function listCategories({ es, products }: Context, { include = [] }: { include?: 'prices'[] }) {
  const request = { index: products, ...categoriesRequest(include.includes('prices')) };
  const categories = [];
  for await (const bucket of compositeBuckets<CategoryBucket>(es, request, 'categories')) {
    const prices = bucket.currencies?.buckets.flatMap(toPrices);
    const counted = { name: bucket.key.name, count: bucket.doc_count };
    categories.push({ ...counted, ...(prices === undefined ? {} : { prices }) });
  }
  categories.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return { body: { categories, total: categories.length } };
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
