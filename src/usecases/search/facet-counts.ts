import type { SelectedValue } from '../../engine/queries/filters.js';
import { parseWrittenValue } from '../../listing/attributes.js';
import { formatUnits, PRICE_EDGES } from '../../listing/price.js';
import { categoryLevels, formatCategoryPath } from '../../listing/category-path.js';
import { RATINGS } from '../../schemas/facets.js';
import { visibleText } from '../../text/clean.js';
import { foldBrand } from '../../text/brand.js';
import { collapseBlanks, foldValue, plainApostrophes } from '../../text/fold.js';

interface FacetBucket {
  key: string;
  key_as_string?: string;
  doc_count: number;
  steps?: { buckets: FacetBucket[] };
  edges?: { buckets: FacetBucket[] };
  same?: { buckets: FacetBucket[] };
  units?: { min: number | null; max: number | null };
}

interface FacetAggregation {
  buckets?: FacetBucket[];
  doc_count?: number;
  doc_count_error_upper_bound?: number;
  sum_other_doc_count?: number;
  value?: number;
  values?: FacetAggregation;
  currencies?: FacetAggregation;
}

export type FacetAggregations = (part: string) => FacetAggregation | undefined;

interface CountedFacet {
  name: string;
  aggregations: FacetAggregations;
  /** The values that the request filters by. Those that lack the text of `facet_q` are hidden. */
  selected: readonly (SelectedValue & { isHidden: boolean })[];
  total: number;
  limit: number;
  /** Returns the forms in which listings write a facet value, the most frequent one first; empty if no listing has the value. */
  writtenForms: (value: string) => readonly string[];
}

interface FacetValue {
  value: string;
  count: number;
  selected: boolean;
}

/** Returns a facet as the API presents it. The facet of prices has one entry for each currency. */
export function toFacets(facet: CountedFacet): object[] {
  const { name, aggregations } = facet;
  if (name === 'price') return (aggregations('priced')?.currencies?.buckets ?? []).flatMap(toPrices);
  if (name === 'rating') return [toRatings(facet)];
  if (name === 'availability') return [toAvailability(facet)];
  return [toValues(facet)];
}

function toValues({ name, aggregations, selected, total, limit, writtenForms }: CountedFacet) {
  const isAttribute = name.startsWith('attr.');
  const labelOf = (key: string) =>
    name === 'category_path'
      ? pathLabel(key, writtenForms(key))
      : labelAmong(key, writtenForms(key), isAttribute);
  const { buckets, beyond, exact } = countedValues(aggregations);
  const displayed = displayedBuckets(name, buckets, limit);
  const sum = sumOf(buckets.map(({ doc_count }) => doc_count));
  const fold = name === 'brand' ? foldBrand : (value: string) => plainApostrophes(foldValue(value));
  const isPartOf = (part: string, key: string) => plainApostrophes(key).includes(plainApostrophes(part));
  const folded = selected.map(({ key }) => fold(key));
  // A category is selected if its name contains the value of the filter, because the filter on categories
  // matches any part of a name.
  const isSelected = (key: string) =>
    name === 'category' ? selected.some((part) => isPartOf(part.key, key)) : folded.includes(fold(key));
  const values = displayed.map((bucket): FacetValue & { key: string } => ({
    key: bucket.key,
    value: labelOf(bucket.key) ?? bucket.key,
    count: bucket.doc_count,
    selected: isSelected(bucket.key),
  }));
  const listed = new Set(displayed.map(({ key }) => fold(key)));
  // Values that the request filters by are listed even if they are not among the most frequent ones.
  const further = selected.flatMap(({ key, given, isHidden }, at): FacetValue[] => {
    if (isHidden || listed.has(fold(key))) return [];
    if (name === 'category' && values.some((one) => one.selected && isPartOf(key, one.key))) return [];
    const count = aggregations('selected')?.buckets?.[at]?.doc_count ?? 0;
    return [{ value: labelOf(key) ?? given, count, selected: true }];
  });
  further.sort((a, b) => b.count - a.count);
  const stated = aggregations('stated')?.doc_count;
  return {
    name,
    type: 'values' as const,
    values: [...values.map(({ value, count, selected: is }) => ({ value, count, selected: is })), ...further],
    distinct: beyond === 0 ? buckets.length : (distinctValues(aggregations) ?? buckets.length),
    other:
      beyond +
      sum -
      sumOf(displayed.map(({ doc_count }) => doc_count)) -
      sumOf(further.map(({ count }) => count)),
    exact,
    ...(stated === undefined ? {} : { coverage: total === 0 ? 0 : Math.round((1e4 * stated) / total) / 1e4 }),
  };
}

/**
 * Returns the counted values of a facet. `beyond` is the number of listings with other values than these, and
 * `exact` says whether all counts are exact.
 */
function countedValues(aggregations: FacetAggregations): {
  buckets: FacetBucket[];
  beyond: number;
  exact: boolean;
} {
  const [first, second] = [aggregations('values'), aggregations('values_second')];
  const isExact = (counted: FacetAggregation | undefined) =>
    (counted?.doc_count_error_upper_bound ?? 0) === 0;
  const beyond = (first?.sum_other_doc_count ?? 0) + (second?.sum_other_doc_count ?? 0);
  if (second === undefined) return { buckets: first?.buckets ?? [], beyond, exact: isExact(first) };
  const counts = new Map<string, number>();
  const add = (key: string, count: number) => counts.set(key, (counts.get(key) ?? 0) + count);
  for (const { key, doc_count } of [...(first?.buckets ?? []), ...(second.buckets ?? [])])
    add(key, doc_count);
  for (const { key, same } of aggregations('values_both')?.values?.buckets ?? [])
    add(key, -(same?.buckets.find((bucket) => bucket.key === key)?.doc_count ?? 0));
  const buckets = [...counts].map(([key, doc_count]) => ({ key, doc_count }));
  buckets.sort((a, b) => b.doc_count - a.doc_count || (a.key < b.key ? -1 : 1));
  // If a field has more values than were requested, the count of a value may lack the listings of one of the two fields.
  return { buckets, beyond, exact: beyond === 0 && isExact(first) && isExact(second) };
}

function distinctValues(aggregations: FacetAggregations): number | undefined {
  const [first, second] = [aggregations('distinct'), aggregations('distinct_second')];
  if (first?.buckets === undefined) return first?.value;
  return new Set([...first.buckets, ...(second?.buckets ?? [])].map(({ key }) => key)).size;
}

/** Returns the form in which most listings write a facet value; undefined if no listing has the value. */
function labelAmong(key: string, forms: readonly string[], isAttribute: boolean): string | undefined {
  if (!isAttribute) return forms[0]?.replace(/\s+/gu, ' ').trim();
  // The listings with a value may state further values in the same field, so the form of this value is selected.
  return forms.map(parseWrittenValue).find(([value]) => value === key)?.[1];
}

/** A category path as most listings write its levels; undefined if none has it. A level with `>` counts as several. */
function pathLabel(path: string, forms: readonly string[]): string | undefined {
  if (forms.length === 0) return undefined;
  const written = new Map<string, string>();
  for (const level of forms.flatMap((form) => form.split('>'))) {
    const folded = foldValue(level);
    if (!written.has(folded)) written.set(folded, collapseBlanks(visibleText(level)).trim());
  }
  return formatCategoryPath(categoryLevels(path).map((level) => written.get(level) ?? level));
}

/** Returns the values that a facet displays, in the folded form in which values are compared. */
export const displayedValues = ({
  name,
  aggregations,
  selected,
  limit,
}: Pick<CountedFacet, 'name' | 'aggregations' | 'selected' | 'limit'>): string[] => [
  ...new Set([
    ...displayedBuckets(name, countedValues(aggregations).buckets, limit).map(({ key }) => key),
    ...selected.map(({ key }) => key),
  ]),
];

/** The most frequent values. For category paths, these are the most frequent ones of each level, the first level first. */
function displayedBuckets(name: string, buckets: readonly FacetBucket[], limit: number): FacetBucket[] {
  if (name !== 'category_path') return buckets.slice(0, limit);
  const byLevel: FacetBucket[][] = [];
  for (const bucket of buckets) {
    const level = (byLevel[categoryLevels(bucket.key).length - 1] ??= []);
    if (level.length < limit) level.push(bucket);
  }
  return byLevel.flat();
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

function toRatings({ name, aggregations, selected }: CountedFacet) {
  const buckets = aggregations('ratings')?.buckets ?? [];
  const counts = new Map(buckets.map((bucket) => [bucket.key, bucket.doc_count]));
  const selectedRatings = selected.map(({ key }) => key);
  const ratings = [...new Set([...RATINGS, ...selectedRatings])].sort((a, b) => Number(b) - Number(a));
  return {
    name,
    type: 'values' as const,
    values: ratings.map((value) => ({
      value,
      count: counts.get(value) ?? 0,
      selected: selectedRatings.includes(value),
    })),
    distinct: ratings.length,
    other: counts.get('lower') ?? 0,
    exact: true,
  };
}

function toAvailability({ name, aggregations, selected }: CountedFacet) {
  const buckets = aggregations('values')?.buckets ?? [];
  const countOf = (available: string) =>
    buckets.find(({ key_as_string }) => key_as_string === available)?.doc_count ?? 0;
  const all: [value: string, count: number][] = [
    ['in_stock', countOf('true')],
    ['out_of_stock', countOf('false')],
    ['unknown', aggregations('unknown')?.doc_count ?? 0],
  ];
  const values = all
    .map(([value, count]): FacetValue => ({
      value,
      count,
      selected: selected.some(({ key }) => key === value),
    }))
    .filter((one) => one.count > 0 || one.selected);
  const distinct = values.filter(({ count }) => count > 0).length;
  return { name, type: 'values' as const, values, distinct, other: 0, exact: true };
}

const MAX_PRICE_BUCKETS = 10;

interface PriceBucket {
  from: number;
  to: number;
  count: number;
}

/**
 * Prices in one currency. The count of a range is that of the filter with its limits, which are both inclusive, so that a
 * listing whose price is exactly an edge counts in the ranges on both sides of it.
 */
function toPrices({ key: currency, units, steps, edges }: FacetBucket): object[] {
  const { min = null, max = null } = units ?? {};
  if (min === null || max === null) return [];
  const counts = countsByNumber(steps);
  const countsAtEdge = countsByNumber(edges);
  const all = PRICE_EDGES.slice(1).map((to, at) => ({
    from: PRICE_EDGES[at] ?? to,
    to,
    count: counts.get(at) ?? 0,
  }));
  const buckets = merged(withoutEmptyEnds(all));
  return [
    {
      name: 'price',
      type: 'range' as const,
      currency,
      count: sumOf(buckets.map(({ count }) => count)),
      min: formatUnits(min, currency),
      max: formatUnits(max, currency),
      buckets: buckets.map(({ from, to, count }) => ({
        from: formatUnits(from, currency),
        to: formatUnits(to, currency),
        count: count + (countsAtEdge.get(to) ?? 0),
      })),
    },
  ];
}

const countsByNumber = (counted: { buckets: FacetBucket[] } | undefined): Map<number, number> =>
  new Map((counted?.buckets ?? []).map(({ key, doc_count }) => [Number(key), doc_count]));

function withoutEmptyEnds(buckets: readonly PriceBucket[]): PriceBucket[] {
  const first = buckets.findIndex(({ count }) => count > 0);
  const last = buckets.findLastIndex(({ count }) => count > 0);
  return first < 0 ? [] : buckets.slice(first, last + 1);
}

/** Merges the two adjacent price ranges that have the fewest listings, until there are few enough. */
function merged(buckets: readonly PriceBucket[]): PriceBucket[] {
  const left = [...buckets];
  while (left.length > MAX_PRICE_BUCKETS) {
    const pairs = left
      .slice(1)
      .map(({ to, count }, at) => ({
        from: left[at]?.from ?? to,
        to,
        count: count + (left[at]?.count ?? 0),
      }));
    const fewest = pairs.reduce((least, pair) => (pair.count < least.count ? pair : least));
    left.splice(pairs.indexOf(fewest), 2, fewest);
  }
  return left;
}
