import { formatUnits } from '../../listing/price.js';

/** A page of the aggregation that `queries/categories.ts` asks for. */
export interface CategoryBucket {
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

/** Most listings first, then by name; prices as decimal strings. */
export function toCategories(buckets: CategoryBucket[]) {
  const categories = buckets.map(({ key, doc_count, currencies }) => {
    const prices = currencies?.buckets.flatMap(toPrices);
    return { name: key.name, count: doc_count, ...(prices === undefined ? {} : { prices }) };
  });
  categories.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return { categories, total: categories.length };
}

function toPrices({ key, min, median, max }: CurrencyBucket) {
  const middle = median.values[0]?.value ?? null;
  if (min.value === null || max.value === null || middle === null) return [];
  return [
    {
      currency: key,
      min: formatUnits(min.value),
      median: formatUnits(Math.round(middle)),
      max: formatUnits(max.value),
    },
  ];
}
