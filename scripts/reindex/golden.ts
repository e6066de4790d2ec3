import type { Client } from '@elastic/elasticsearch';
import type { StoredListing } from '../../src/listing/listing.js';
import type { Found, Selection } from '../../src/elasticsearch/pages.js';
import { findByText } from '../../src/elasticsearch/find-by-text.js';
import { categoriesRequest } from '../../src/queries/categories.js';
import { dealsSelection } from '../../src/queries/deals.js';
import { BY_UPDATE, filterClauses } from '../../src/queries/listings.js';

/** A question that the service is asked, and the ids or counts that answer it. */
export interface GoldenQuery {
  name: string;
  ask: (index: string) => Promise<unknown>;
}

const FIRST_PAGE = 50;
const TOP = 10;
/** So many of the listings that the old index finds by their own name or SKU, the new one must find as well. */
export const FOUND_AGAIN = 0.95;

/**
 * Questions whose answers depend on the listings alone, not on relevance: they must be the same to the last id.
 * @param samples listings of the catalogue; the questions are about them.
 */
export function exactQueries(es: Client, samples: readonly StoredListing[], now: Date): GoldenQuery[] {
  const page = (selection: Selection) => (index: string) => findIds(es, index, selection, FIRST_PAGE);
  const filtered = (filters: Parameters<typeof filterClauses>[0]) =>
    page({ query: { bool: { filter: filterClauses(filters) } }, sort: BY_UPDATE });
  const distinct = (values: (string | null)[]) => [
    ...new Set(values.filter((value) => value !== null && value !== '')),
  ];
  const categories = distinct(samples.map(({ category }) => category)) as string[];
  const platforms = distinct(samples.map(({ source }) => source)) as string[];
  return [
    { name: 'categories', ask: (index) => categoryCounts(es, index) },
    { name: 'newest listings', ask: filtered({}) },
    { name: 'listings in stock', ask: filtered({ in_stock: true }) },
    { name: 'deals of 10 %', ask: page(dealsSelection({ minDiscountPct: '10' }, now)) },
    ...categories.map((category) => ({
      name: `newest in the category ${category}`,
      ask: filtered({ category }),
    })),
    ...platforms.map((platform) => ({ name: `newest of ${platform}`, ask: filtered({ platform }) })),
    ...samples.flatMap(({ source, price }) =>
      price === null
        ? []
        : [
            {
              name: `listings of ${source} at ${price}`,
              ask: filtered({ platform: source, min_price: price, max_price: price }),
            },
          ],
    ),
  ];
}

/** Which listings a selection finds, by id. */
async function findIds(
  es: Client,
  index: string,
  { query, sort, suggest: suggester }: Selection,
  size: number,
): Promise<Found<string>> {
  const { hits, suggest } = await es.search({
    ...{ index, query, sort, size, _source: false, track_total_hits: true },
    ...(suggester === undefined ? {} : { suggest: suggester }),
    allow_partial_search_results: false,
  });
  const total = typeof hits.total === 'number' ? hits.total : (hits.total?.value ?? 0);
  return { total, listings: hits.hits.flatMap(({ _id }) => _id ?? []), suggest };
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

/**
 * Searches for listings by their own name and SKU in both indices. Scores depend on where documents lie and may change
 * with the mappings, so what counts is whether the listing is still among the first ten.
 * @returns how many the old index finds, and the searches in which the new one does not.
 */
export async function compareSearches(
  es: Client,
  samples: readonly StoredListing[],
  from: string,
  to: string,
): Promise<{ found: number; lost: string[] }> {
  const finds = async (index: string, q: string, id: number) => {
    const read = (selection: Selection) => findIds(es, index, selection, TOP);
    return (await findByText(q, { filter: [] }, read)).listings.includes(String(id));
  };
  const result = { found: 0, lost: [] as string[] };
  for (const { id, sku, name } of samples) {
    for (const q of [name, sku]) {
      const [before, after] = await Promise.all([finds(from, q, id), finds(to, q, id)]);
      if (before) result.found += 1;
      if (before && !after) result.lost.push(`search for "${q.slice(0, 80)}" does not find listing ${id}`);
    }
  }
  return result;
}
