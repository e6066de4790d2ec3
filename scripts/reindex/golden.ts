import type { Client } from '@elastic/elasticsearch';
import type { StoredListing } from '../../src/listing/listing.js';
import type { Selection } from '../../src/engine/queries/selection.js';
import { categoriesRequest } from '../../src/engine/queries/categories.js';
import { dealsSelection } from '../../src/engine/queries/deals.js';
import { BY_UPDATE, filterClauses } from '../../src/engine/queries/listings.js';

/** A question that the service is asked, and the ids or counts that answer it. */
export interface GoldenQuery {
  name: string;
  ask: (index: string) => Promise<unknown>;
}

const FIRST_PAGE = 50;

/**
 * Questions whose answers depend on the listings alone, not on relevance: they must be the same to the last id.
 * @param samples listings of the catalogue; the questions are about them.
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
    { name: 'categories', ask: (index) => categoryCounts(es, index) },
    { name: 'newest listings', ask: filtered({}) },
    { name: 'listings in stock', ask: filtered({ in_stock: true }) },
    // An index of an earlier schema has no flags.
    {
      name: 'deals of 10 %',
      ask: page(dealsSelection({}, { minDiscountPct: '10', includeFlagged: true }, now)),
    },
    ...categories.map((category) => ({
      name: `newest in the category ${category}`,
      ask: filtered({ category }),
    })),
    ...platforms.map((platform) => ({
      name: `newest of ${platform}`,
      ask: filtered({ platform: [platform] }),
    })),
    ...samples.flatMap(({ source, price }) =>
      price === null
        ? []
        : [
            {
              name: `listings of ${source} at ${price}`,
              ask: filtered({ platform: [source], min_price: price, max_price: price }),
            },
          ],
    ),
  ];
}

/** How many listings a selection finds, and the ids of the first. */
async function findIds(
  es: Client,
  index: string,
  { query, sort }: Selection,
  size: number,
): Promise<{ total: number; ids: string[] }> {
  const { hits } = await es.search({
    index,
    query,
    sort,
    size,
    _source: false,
    track_total_hits: true,
    allow_partial_search_results: false,
  });
  const total = typeof hits.total === 'number' ? hits.total : (hits.total?.value ?? 0);
  return { total, ids: hits.hits.flatMap(({ _id }) => _id ?? []) };
}

async function categoryCounts(es: Client, index: string): Promise<unknown> {
  const { aggregations } = await es.search({ index, ...categoriesRequest(false) });
  return aggregations;
}

/** @returns the questions that the two indices answer differently. */
export async function compareAnswers(
  queries: readonly GoldenQuery[],
  from: string,
  to: string,
): Promise<string[]> {
  const findings: string[] = [];
  for (const { name, ask } of queries) {
    const [before, after] = await Promise.all([ask(from), ask(to)]);
    if (JSON.stringify(before) !== JSON.stringify(after)) findings.push(`golden query: ${name}`);
  }
  return findings;
}
