import type { Client } from '@elastic/elasticsearch';
import type { StoredListing } from '../../listing/listing.js';
import { totalOf } from '../../engine/deep-offset.js';
import type { Selection } from '../../engine/queries/selection.js';
import { categoriesRequest } from '../../engine/queries/categories.js';
import { dealsSelection } from '../../engine/queries/deals.js';
import { filterClauses } from '../../engine/queries/refinements.js';
import { BY_UPDATE } from '../../engine/queries/sorts.js';

/** A query of the service whose results are compared between two indices (a golden query). */
interface GoldenQuery {
  name: string;
  run: (index: string) => Promise<unknown>;
}

const FIRST_PAGE = 50;

/**
 * Builds queries whose results do not depend on relevance, so both indices must return exactly the same ids and counts.
 * @param samples listings of the catalogue, from which the queries are derived.
 */
export function exactQueries(es: Client, samples: readonly StoredListing[], now: Date): GoldenQuery[] {
  const page = (selection: Selection) => (index: string) => findIds(es, index, selection, FIRST_PAGE);
  const filtered = (filters: Parameters<typeof filterClauses>[0]) =>
    page({ query: { bool: { filter: filterClauses(filters, now) } }, sort: BY_UPDATE });
  const distinct = (values: (string | null)[]) => [
    ...new Set(values.filter((value) => value !== null && value !== '')),
  ];
  const categories = distinct(samples.map(({ category }) => category)) as string[];
  const platforms = distinct(samples.map(({ source }) => source)) as string[];
  return [
    { name: 'categories', run: (index) => categoryCounts(es, index) },
    { name: 'newest listings', run: filtered({}) },
    { name: 'listings in stock', run: filtered({ in_stock: true }) },
    // The queries include flagged listings, because an index of an earlier schema has no flags by which it
    // could exclude them.
    {
      name: 'deals of 10 %',
      run: page(dealsSelection({}, { minDiscountPct: '10', includeFlagged: true }, now)),
    },
    ...categories.map((category) => ({
      name: `newest in the category ${category}`,
      run: filtered({ category }),
    })),
    ...platforms.map((platform) => ({
      name: `newest of ${platform}`,
      run: filtered({ platform: [platform] }),
    })),
    ...samples.flatMap(({ source, price }) =>
      price === null
        ? []
        : [
            {
              name: `listings of ${source} at ${price}`,
              run: filtered({ platform: [source], min_price: price, max_price: price }),
            },
          ],
    ),
  ];
}

async function findIds(
  es: Client,
  index: string,
  { query, sort }: Selection,
  size: number,
): Promise<{ total: number; ids: string[] }> {
  const answer = await es.search({
    index,
    query,
    sort,
    size,
    _source: false,
    track_total_hits: true,
    allow_partial_search_results: false,
  });
  return { total: totalOf(answer), ids: answer.hits.hits.flatMap(({ _id }) => _id ?? []) };
}

async function categoryCounts(es: Client, index: string): Promise<unknown> {
  const { aggregations } = await es.search({ index, ...categoriesRequest(false) });
  return aggregations;
}

/** Compares the results of golden queries. @returns the queries for which the indices return different results. */
export async function compareAnswers(
  queries: readonly GoldenQuery[],
  from: string,
  to: string,
): Promise<string[]> {
  const findings: string[] = [];
  for (const { name, run } of queries) {
    const [before, after] = await Promise.all([run(from), run(to)]);
    if (JSON.stringify(before) !== JSON.stringify(after)) findings.push(`golden query: ${name}`);
  }
  return findings;
}
