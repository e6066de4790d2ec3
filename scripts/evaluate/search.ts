import { mapLimited, type Api, type Listing } from './api.js';
import { keyOf, readCsv } from './judgements.js';
import { decimal, type Findings } from './report.js';
import { bootstrap, mean } from './statistics.js';

const DEPTH = 10;
const PAGE = 100;
const WORST = 15;

/** Ratings by listing key. */
type Ratings = Map<string, number>;

/** What one query found. */
interface Searched {
  query: string;
  ndcg: number;
  condensed: number;
  /** Share of the first ten that people have rated. */
  judged: number;
  found: number;
  first: string[];
}

/** Ratings `query,source,sku,rating` by query, without queries that have no relevant listing. */
export async function readRatings(file: string): Promise<Map<string, Ratings>> {
  const queries = new Map<string, Ratings>();
  for (const { query, source, sku, rating } of await readCsv(file, ['query', 'source', 'sku', 'rating'])) {
    queries.set(
      query,
      (queries.get(query) ?? new Map<string, number>()).set(keyOf({ source, sku }), Number(rating)),
    );
  }
  return new Map([...queries].filter(([, ratings]) => [...ratings.values()].some((rating) => rating > 0)));
}

/** NDCG@10 of the search against ratings by people. */
export async function evaluateSearch(api: Api, queries: Map<string, Ratings>): Promise<Findings> {
  const searched = await mapLimited([...queries], 4, ([query, ratings]) => searchOne(api, query, ratings));
  const of = (pick: (one: Searched) => number) => (cases: readonly Searched[]) => mean(cases.map(pick));
  const worst = searched
    .toSorted((a, b) => a.ndcg - b.ndcg)
    .slice(0, WORST)
    .map(({ query, ndcg, condensed, found, first }) =>
      [
        `${decimal(ndcg)} (condensed ${decimal(condensed)}, ${found} found)  ${query}`,
        ...first.map((name) => `    ${name}`),
      ].join('\n'),
    );
  return {
    figures: [
      bootstrap(
        `NDCG@${DEPTH}, unjudged count 0`,
        searched,
        of(({ ndcg }) => ndcg),
      ),
      bootstrap(
        `NDCG@${DEPTH}, unjudged left out`,
        searched,
        of(({ condensed }) => condensed),
      ),
      bootstrap(
        `judged share of the first ${DEPTH}`,
        searched,
        of(({ judged }) => judged),
      ),
      bootstrap(
        'queries that find nothing',
        searched,
        of(({ found }) => Number(found === 0)),
      ),
    ],
    tables: [],
    worst,
  };
}

async function searchOne(api: Api, query: string, ratings: Ratings): Promise<Searched> {
  const page = await api.get<{ total: number; items: Listing[] }>(
    `/v1/search?q=${encodeURIComponent(query)}&limit=${PAGE}`,
  );
  const items = page?.items ?? [];
  const ideal = gain([...ratings.values()].sort((a, b) => b - a));
  const found = items.map((item) => ratings.get(keyOf(item)));
  const first = found.slice(0, DEPTH);
  return {
    query,
    ndcg: gain(found.map((rating) => rating ?? 0)) / ideal,
    condensed: gain(found.filter((rating) => rating !== undefined)) / ideal,
    judged: first.length === 0 ? NaN : first.filter((rating) => rating !== undefined).length / first.length,
    found: page?.total ?? 0,
    first: items.slice(0, 3).map(({ name }) => name),
  };
}

const gain = (ratings: readonly number[]): number =>
  ratings.slice(0, DEPTH).reduce((total, rating, index) => total + rating / Math.log2(index + 2), 0);
