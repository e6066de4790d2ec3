import type { Client } from '@elastic/elasticsearch';
import type { StoredListing } from '../../listing/listing.js';
import { totalOf } from '../../engine/deep-offset.js';
import type { Selection } from '../../engine/queries/selection.js';
import { categoriesRequest } from '../../engine/queries/categories.js';
import { dealsSelection } from '../../engine/queries/deals.js';
import { filterClauses } from '../../engine/queries/refinements.js';
import { BY_UPDATE } from '../../engine/queries/sorts.js';
import type { FirstPage, SearchHit } from '../../engine/index-samples.js';

interface GoldenQuery {
  name: string;
  run: (index: string) => Promise<unknown>;
}

const FIRST_PAGE = 50;

/** Queries that do not depend on relevance, made from sampled listings. Both indices must return the same results. */
export function exactQueries(es: Client, samples: readonly StoredListing[], now: Date): GoldenQuery[] {
  const page = (name: string, { query, sort }: Selection): GoldenQuery => ({
    name,
    run: async (index) => {
      const request = { index, query, sort, size: FIRST_PAGE, _source: false, track_total_hits: true };
      const answer = await es.search({ ...request, allow_partial_search_results: false });
      return { total: totalOf(answer), ids: answer.hits.hits.flatMap(({ _id }) => _id ?? []) };
    },
  });
  const filtered = (name: string, filters: Parameters<typeof filterClauses>[0]) =>
    page(name, { query: { bool: { filter: filterClauses(filters, now) } }, sort: BY_UPDATE });
  const categories = new Set(samples.map(({ category }) => category ?? ''));
  const platforms = new Set(samples.map(({ source }) => source));
  return [
    {
      name: 'categories',
      run: async (index) => (await es.search({ index, ...categoriesRequest(false) })).aggregations,
    },
    filtered('newest listings', {}),
    filtered('listings in stock', { in_stock: true }),
    // Flagged listings are included, because an index of an earlier schema has no flags by which to exclude them.
    page('deals of 10 %', dealsSelection({}, { minDiscountPct: '10', includeFlagged: true }, now)),
    ...[...categories]
      .filter((category) => category !== '')
      .map((category) => filtered(`newest in the category ${category}`, { category })),
    ...[...platforms].map((platform) => filtered(`newest of ${platform}`, { platform: [platform] })),
    ...samples.flatMap(({ source, price }) =>
      price === null
        ? []
        : filtered(`listings of ${source} at ${price}`, {
            platform: [source],
            min_price: price,
            max_price: price,
          }),
    ),
  ];
}

/** Compares the results of golden queries. @returns the queries for which the indices return different results. */
export async function compareAnswers(queries: readonly GoldenQuery[], from: string, to: string) {
  const findings: string[] = [];
  for (const { name, run } of queries) {
    const [before, after] = await Promise.all([run(from), run(to)]);
    if (JSON.stringify(before) !== JSON.stringify(after)) findings.push(`golden query: ${name}`);
  }
  return findings;
}

interface ChangedSearch {
  query: string;
  before: SearchHit[];
  after: SearchHit[];
  /** The share of the results on the first page that both indices return, 0 to 1. */
  overlap: number;
}

const WORDS = 3;
const MAX_ROWS = 20;
const WIDTH = 36;

/** The minimum mean overlap of the results of all golden searches with which a new index is accepted, 0 to 1. */
export const MIN_OVERLAP = 0.95;

/** Derives typical searches from listings: a name, its first words, an SKU, and a brand with a category. */
export function goldenSearches(samples: readonly StoredListing[]): string[] {
  const queries = samples.flatMap(({ name, sku, brand, category }) => [
    name,
    name.split(/\s+/).slice(0, WORDS).join(' '),
    sku,
    [brand, category].filter(Boolean).join(' '),
  ]);
  return [...new Set(queries.filter((query) => query !== ''))];
}

/** Compares golden searches. @returns those whose first pages contain different listings, in whatever order. */
export async function compareSearches(
  firstPage: FirstPage,
  queries: readonly string[],
  from: string,
  to: string,
): Promise<ChangedSearch[]> {
  const changed: ChangedSearch[] = [];
  for (const query of queries) {
    const [before, after] = await Promise.all([firstPage(from, query), firstPage(to, query)]);
    const overlap = overlapOf(before, after);
    if (overlap < 1) changed.push({ query, before, after, overlap });
  }
  return changed;
}

/** The share of the longer list of results that is in both lists, 0 to 1, so that missing and additional listings lower it. */
export function overlapOf(before: readonly SearchHit[], after: readonly SearchHit[]): number {
  const longer = Math.max(before.length, after.length);
  const ids = new Set(after.map(({ id }) => id));
  return longer === 0 ? 1 : before.filter(({ id }) => ids.has(id)).length / longer;
}

export function meanOverlap(changed: readonly ChangedSearch[], total: number): number {
  return total === 0 ? 1 : 1 - changed.reduce((sum, { overlap }) => sum + 1 - overlap, 0) / total;
}

/** Formats a table of the changed searches for the operator, with the greatest change first. */
export function describeChanges(changed: readonly ChangedSearch[], total: number): string {
  const rows = changed
    .toSorted((a, b) => a.overlap - b.overlap)
    .slice(0, MAX_ROWS)
    .map(({ query, before, after, overlap }) =>
      [
        `${Math.round(overlap * 100)} %`.padStart(7),
        `${before.length} > ${after.length}`.padStart(7),
        cell(query),
        cell(before[0]?.name ?? 'nothing'),
        after[0]?.name ?? 'nothing',
      ].join('  '),
    );
  const more = changed.length - MAX_ROWS;
  return [
    `${changed.length} of ${total} golden searches have other listings among the first ten; ${(meanOverlap(changed, total) * 100).toFixed(1)} % are the same:`,
    ['   same', '  found', cell('search'), cell('first before'), 'first after'].join('  '),
    ...rows,
    ...(more > 0 ? [`    and ${more} more`] : []),
  ].join('\n');
}

const cell = (text: string): string => text.slice(0, WIDTH).padEnd(WIDTH);
