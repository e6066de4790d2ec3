import { readSpelling } from '../../listing/attribute-pairs.js';
import { foldValue } from '../../text/fold.js';
import { PRICE_EDGES } from '../../listing/price-steps.js';
import { formatUnits } from '../../listing/price.js';
import { RATINGS } from '../../schemas/facets.js';

/** A bucket of whatever kind; the engine gives each what its kind has. */
interface Bucket {
  key: string;
  key_as_string?: string;
  doc_count: number;
  steps?: { buckets: Bucket[] };
  same?: { buckets: Bucket[] };
  units?: { min: number | null; max: number | null };
}

/** One aggregation, as the engine answers it. */
interface Counted {
  buckets?: Bucket[];
  doc_count?: number;
  doc_count_error_upper_bound?: number;
  sum_other_doc_count?: number;
  value?: number;
  values?: Counted;
  currencies?: Counted;
}

/** The aggregations of one facet by their names. */
export type Parts = (part: string) => Counted | undefined;

/** What the answer needs to know of the request. */
export interface FacetOf {
  name: string;
  /** What the request filters by: as it is compared, and as the request wrote it. */
  selected: readonly { key: string; given: string }[];
  /** Listings that the facet counts. */
  total: number;
  /** Values that are shown. */
  limit: number;
  /** How a value is written in the catalogue, the commonest spelling first; none: no listing has it. */
  spellings: (value: string) => readonly string[];
}

interface Value {
  value: string;
  count: number;
  selected: boolean;
}

/** A facet as the answer has it; of prices one for each currency. */
export function toFacets(facet: FacetOf, parts: Parts): object[] {
  if (facet.name === 'price') return (parts('priced')?.currencies?.buckets ?? []).flatMap(toPrices);
  if (facet.name === 'rating') return [toRatings(facet, parts)];
  if (facet.name === 'availability') return [toAvailability(facet, parts)];
  return [toValues(facet, parts)];
}

function toValues({ name, selected, total, limit, spellings }: FacetOf, parts: Parts) {
  const isAttribute = name.startsWith('attr.');
  const written = (key: string) => writtenAs(key, spellings(key), isAttribute);
  const { buckets: asked, beyond, exact } = countedValues(parts);
  const [buckets, hidden] = [asked.slice(0, limit), asked.slice(limit)];
  const folded = selected.map(({ key }) => foldValue(key));
  // A category is filtered by a part of its name.
  const isSelected = (key: string) =>
    name === 'category' ? selected.some((part) => key.includes(part.key)) : folded.includes(foldValue(key));
  const values = buckets.map((bucket): Value & { key: string } => ({
    key: bucket.key,
    value: written(bucket.key) ?? bucket.key,
    count: bucket.doc_count,
    selected: isSelected(bucket.key),
  }));
  const listed = new Set(buckets.map(({ key }) => foldValue(key)));
  const beside = selected.flatMap(({ key, given }, at): Value[] => {
    if (listed.has(foldValue(key))) return [];
    if (name === 'category' && values.some((one) => one.selected && one.key.includes(key))) return [];
    const count = parts('selected')?.buckets?.[at]?.doc_count ?? 0;
    return [{ value: written(key) ?? given, count, selected: true }];
  });
  beside.sort((a, b) => b.count - a.count);
  const stated = parts('stated')?.doc_count;
  return {
    name,
    type: 'values' as const,
    values: [...values.map(({ value, count, selected: is }) => ({ value, count, selected: is })), ...beside],
    distinct: beyond === 0 ? asked.length : (distinctValues(parts) ?? asked.length),
    other: beyond + sumOf(hidden.map(({ doc_count }) => doc_count)) - sumOf(beside.map(({ count }) => count)),
    exact,
    ...(stated === undefined ? {} : { coverage: total === 0 ? 0 : Math.round((1e4 * stated) / total) / 1e4 }),
  };
}

/** The values of a facet with their listings, and how many listings have a value that was not asked for. */
function countedValues(parts: Parts): { buckets: Bucket[]; beyond: number; exact: boolean } {
  const [first, second] = [parts('values'), parts('values_second')];
  const isExact = (counted: Counted | undefined) => (counted?.doc_count_error_upper_bound ?? 0) === 0;
  const beyond = (first?.sum_other_doc_count ?? 0) + (second?.sum_other_doc_count ?? 0);
  if (second === undefined) return { buckets: first?.buckets ?? [], beyond, exact: isExact(first) };
  const counts = new Map<string, number>();
  const add = (key: string, count: number) => counts.set(key, (counts.get(key) ?? 0) + count);
  for (const { key, doc_count } of [...(first?.buckets ?? []), ...(second.buckets ?? [])])
    add(key, doc_count);
  for (const { key, same } of parts('values_both')?.values?.buckets ?? [])
    add(key, -(same?.buckets.find((bucket) => bucket.key === key)?.doc_count ?? 0));
  const buckets = [...counts].map(([key, doc_count]) => ({ key, doc_count }));
  buckets.sort((a, b) => b.doc_count - a.doc_count || (a.key < b.key ? -1 : 1));
  // A value may be among those of one field that were not asked for.
  return { buckets, beyond, exact: beyond === 0 && isExact(first) && isExact(second) };
}

/** How many different values there are; undefined: that was not asked for. */
function distinctValues(parts: Parts): number | undefined {
  const [first, second] = [parts('distinct'), parts('distinct_second')];
  if (second === undefined) return first?.value;
  return new Set([...(first?.buckets ?? []), ...(second.buckets ?? [])].map(({ key }) => key)).size;
}

/** A value as listings write it; undefined: none has it. */
function writtenAs(key: string, spellings: readonly string[], isAttribute: boolean): string | undefined {
  if (!isAttribute) return spellings[0]?.replace(/\s+/gu, ' ').trim();
  // Other values of the same listings are among them.
  return spellings.map(readSpelling).find(([value]) => value === key)?.[1];
}

/** The values that a facet shows, as they are compared. */
export const shownValues = (
  { selected, limit }: Pick<FacetOf, 'selected' | 'limit'>,
  parts: Parts,
): string[] => [
  ...new Set([
    ...countedValues(parts)
      .buckets.slice(0, limit)
      .map(({ key }) => key),
    ...selected.map(({ key }) => key),
  ]),
];

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

function toRatings({ name, selected }: FacetOf, parts: Parts) {
  const counts = new Map((parts('ratings')?.buckets ?? []).map((bucket) => [bucket.key, bucket.doc_count]));
  const asked = selected.map(({ key }) => key);
  const ratings = [...new Set([...RATINGS, ...asked])].sort((a, b) => Number(b) - Number(a));
  return {
    name,
    type: 'values' as const,
    values: ratings.map((value) => ({
      value,
      count: counts.get(value) ?? 0,
      selected: asked.includes(value),
    })),
    distinct: ratings.length,
    other: counts.get('lower') ?? 0,
    exact: true,
  };
}

function toAvailability({ name, selected }: FacetOf, parts: Parts) {
  const known = parts('values')?.buckets ?? [];
  const count = (available: string) =>
    known.find(({ key_as_string }) => key_as_string === available)?.doc_count ?? 0;
  const all: [string, number][] = [
    ['in_stock', count('true')],
    ['out_of_stock', count('false')],
    ['unknown', parts('unknown')?.doc_count ?? 0],
  ];
  const values = all
    .map(([value, number]): Value => ({
      value,
      count: number,
      selected: selected.some(({ key }) => key === value),
    }))
    .filter(({ count: number, selected: is }) => number > 0 || is);
  const distinct = values.filter(({ count: number }) => number > 0).length;
  return { name, type: 'values' as const, values, distinct, other: 0, exact: true };
}

const MOST_BUCKETS = 10;

interface Range {
  from: number;
  to: number;
  count: number;
}

function toPrices({ key: currency, units, steps }: Bucket): object[] {
  const { min = null, max = null } = units ?? {};
  if (min === null || max === null) return [];
  const counts = new Map((steps?.buckets ?? []).map(({ key, doc_count: count }) => [Number(key), count]));
  const ranges = PRICE_EDGES.slice(1).map((to, at) => ({
    from: PRICE_EDGES[at] ?? to,
    to,
    count: counts.get(at) ?? 0,
  }));
  const shown = merged(withoutEmptyEnds(ranges));
  return [
    {
      name: 'price',
      type: 'range' as const,
      currency,
      count: sumOf(shown.map(({ count }) => count)),
      min: formatUnits(min),
      max: formatUnits(max),
      buckets: shown.map(({ from, to, count }) => ({ from: formatUnits(from), to: formatUnits(to), count })),
    },
  ];
}

function withoutEmptyEnds(ranges: readonly Range[]): Range[] {
  const first = ranges.findIndex(({ count }) => count > 0);
  const last = ranges.findLastIndex(({ count }) => count > 0);
  return first < 0 ? [] : ranges.slice(first, last + 1);
}

/** As few as are shown: of two neighbours those with the fewest listings are put together, again and again. */
function merged(ranges: readonly Range[]): Range[] {
  let left = [...ranges];
  while (left.length > MOST_BUCKETS) {
    const sums = left.slice(1).map(({ count }, at) => count + (left[at]?.count ?? 0));
    const at = sums.indexOf(Math.min(...sums));
    left = left.flatMap((range, place) => {
      if (place === at + 1) return [];
      const next = left[at + 1];
      return place === at && next !== undefined
        ? [{ from: range.from, to: next.to, count: range.count + next.count }]
        : [range];
    });
  }
  return left;
}
