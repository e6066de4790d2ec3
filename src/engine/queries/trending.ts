import type { estypes } from '@elastic/elasticsearch';
import type { ExchangeRates } from '../../listing/rates.js';
import type { Filters } from './filters.js';
import { filterClauses } from './refinements.js';
import type { Selection } from './selection.js';
import { BY_UPDATE, byNumber } from './sorts.js';

/** The listings that pass the filters, the latest change first. @throws QueryError like `filterClauses`. */
export const latestSelection = (filters: Filters, now: Date, rates?: ExchangeRates): Selection => ({
  query: { bool: { filter: filterClauses(filters, now, rates) } },
  sort: BY_UPDATE,
});

/** A listing that visitors click or that searches find, with its trending score. */
export interface TrendingListing {
  id: number;
  score: number;
}

/** The selections of the trending listings, the highest score first, and of all other listings, the newest first. */
export function trendingSelections(
  filters: Filters,
  trending: readonly TrendingListing[],
  now: Date,
  rates?: ExchangeRates,
): { moving: Selection; others: Selection } {
  const filter = filterClauses(filters, now, rates);
  const among = { terms: { id: trending.map(({ id }) => id) } };
  const scores = Object.fromEntries(trending.map(({ id, score }) => [id, score]));
  return {
    moving: { query: { bool: { filter: [...filter, among] } }, sort: [byScore(scores), { id: 'asc' }] },
    others: { query: { bool: { filter, must_not: [among] } }, sort: NEWEST },
  };
}

const NEWEST: estypes.Sort = [{ 'internal.first_observed_at': 'desc' }, { id: 'asc' }];

const byScore = (scores: Record<string, number>): estypes.SortCombinations =>
  byNumber('desc', { source: "params.scores[doc['id'].value.toString()]", params: { scores } });

/** One partition of the values of a field. Elasticsearch counts one at a time, so that it need not hold all values. */
interface TermPartition {
  partition: number;
  num_partitions: number;
}

/** The minimum number of people who must have caused a counted value, because lower counts could identify one of them. */
export const MIN_PEOPLE = 3;

/** What is counted in the recorded events: clicks on listings, or searched texts. */
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

/** A request for the number of distinct values in the recorded events, from which the number of partitions follows. */
export const distinctValuesRequest = (
  counted: CountedEvents,
  since: Date,
): estypes.SearchSearchRequestBody => ({
  ...eventsOf(counted, since),
  aggs: { different: { cardinality: { field: EVENTS[counted].field } } },
});

/** A request for the values of one partition that the most visitors, or developers, used. */
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
