import type { estypes } from '@elastic/elasticsearch';
import { filterClauses, type Filters } from './filters.js';
import type { Selection } from './selection.js';
import { BY_UPDATE } from './sorts.js';

/**
 * The listings that pass the filters, the latest change first.
 * @throws QueryError if the price limits cross.
 */
export const latestSelection = (filters: Filters, now: Date): Selection => ({
  query: { bool: { filter: filterClauses(filters, now) } },
  sort: BY_UPDATE,
});

/** A listing that is clicked or searched for, with the score that `measureTrends` computes. */
export interface TrendingListing {
  id: number;
  score: number;
}

/** The listings that people use, and the others: together all listings that pass the filters. */
export interface TrendingSelections {
  moving: Selection;
  others: Selection;
}

/**
 * The listings that people use, the highest score first, and all others, those that were first observed most recently first.
 * @throws QueryError if the price limits cross.
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

/** A script, which runs only for the listings that have a score. */
const byScore = (scores: Record<string, number>): estypes.SortCombinations => ({
  _script: {
    type: 'number',
    order: 'desc',
    script: { source: "params.scores[doc['id'].value.toString()]", params: { scores } },
  },
});

/** One of the partitions into which the terms of a field are divided, so that Elasticsearch need not hold all of them at once. */
export interface TermPartition {
  partition: number;
  num_partitions: number;
}

/** The minimum number of people behind a counted value. Fewer could be one person's doing, or identify a person. */
export const MIN_PEOPLE = 3;

/** The kind of events that are counted. */
export type CountedEvents = 'clicks' | 'searches';

const EVENTS = {
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

/** Counts the different values, from which the number of partitions follows. */
export const distinctValuesRequest = (
  counted: CountedEvents,
  since: Date,
): estypes.SearchSearchRequestBody => ({
  ...eventsOf(counted, since),
  aggs: { different: { cardinality: { field: EVENTS[counted].field } } },
});

/** The values of a partition with the most visitors, or developers. Each of them counts once. */
export const mostUsedRequest = (
  counted: CountedEvents,
  since: Date,
  { part, size }: { part: TermPartition; size: number },
): estypes.SearchSearchRequestBody => ({
  ...eventsOf(counted, since),
  aggs: {
    most: {
      terms: {
        field: EVENTS[counted].field,
        include: part,
        size,
        min_doc_count: MIN_PEOPLE,
        order: [{ askers: 'desc' }, { _key: 'asc' }],
      },
      aggs: { askers: { cardinality: { field: EVENTS[counted].by, precision_threshold: 1_000 } } },
    },
  },
});

const eventsOf = (counted: CountedEvents, since: Date): estypes.SearchSearchRequestBody => ({
  size: 0,
  track_total_hits: false,
  query: {
    bool: { filter: [EVENTS[counted].which, { range: { '@timestamp': { gte: since.toISOString() } } }] },
  },
});
