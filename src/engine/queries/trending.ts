import type { estypes } from '@elastic/elasticsearch';
import type { Filters } from '../../schemas/filters.js';
import type { TrendingListing } from '../../schemas/trends.js';
import { filterClauses } from './listings.js';
import type { Selection } from './selection.js';

/** Which listings move, and those that do not by when they were first observed: together all that match. */
export interface TrendingSelections {
  moving: Selection;
  others: Selection;
}

/**
 * What moves, the most first, and everything else, the newest first.
 * @throws QueryError when the price limits cross.
 */
export function trendingSelections(
  filters: Filters,
  trending: readonly TrendingListing[],
  now: Date,
): TrendingSelections {
  const filter = filterClauses(filters, now);
  const among = { terms: { id: trending.map(({ id }) => id) } };
  const scores = Object.fromEntries(trending.map(({ id, score }) => [id, score]));
  return {
    moving: { query: { bool: { filter: [...filter, among] } }, sort: [byScore(scores), { id: 'asc' }] },
    others: { query: { bool: { filter, must_not: [among] } }, sort: NEWEST },
  };
}

const NEWEST: estypes.Sort = [{ 'internal.first_observed_at': 'desc' }, { id: 'asc' }];

/** Runs for those that move alone. */
const byScore = (scores: Record<string, number>): estypes.SortCombinations => ({
  _script: {
    type: 'number',
    order: 'desc',
    script: { source: "params.scores[doc['id'].value.toString()]", params: { scores } },
  },
});

/** Terms of a field are told apart in so many parts of the events, so that no engine has to hold them all. */
export interface Part {
  partition: number;
  num_partitions: number;
}

/** One that fewer ask for may be one person's doing, or tell of one. */
export const FEWEST = 3;

/** Which events of which kind are counted, since when. */
export type Counted = 'clicks' | 'searches';

const OF = {
  clicks: {
    field: 'catalog.product.id',
    by: 'catalog.visitor',
    which: { term: { 'event.action': 'click' } },
  },
  searches: {
    field: 'catalog.query',
    by: 'catalog.key.developer',
    which: { term: { 'catalog.zero_results': false } },
  },
} as const;

/** How many different things there are, so that they can be told in parts. */
export const differentRequest = (counted: Counted, since: Date): estypes.SearchSearchRequestBody => ({
  ...eventsOf(counted, since),
  aggs: { different: { cardinality: { field: OF[counted].field } } },
});

/** Those of a part that most visitors, or developers, have asked for; how often each did is no matter. */
export const mostAskedRequest = (
  counted: Counted,
  since: Date,
  { part, size }: { part: Part; size: number },
): estypes.SearchSearchRequestBody => ({
  ...eventsOf(counted, since),
  aggs: {
    most: {
      terms: {
        field: OF[counted].field,
        include: part,
        size,
        min_doc_count: FEWEST,
        order: [{ askers: 'desc' }, { _key: 'asc' }],
      },
      aggs: { askers: { cardinality: { field: OF[counted].by, precision_threshold: 1_000 } } },
    },
  },
});

const eventsOf = (counted: Counted, since: Date): estypes.SearchSearchRequestBody => ({
  size: 0,
  track_total_hits: false,
  query: { bool: { filter: [OF[counted].which, { range: { '@timestamp': { gte: since.toISOString() } } }] } },
});
