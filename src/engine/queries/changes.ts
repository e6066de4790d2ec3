import type { estypes } from '@elastic/elasticsearch';
import { PRODUCT_FIELDS } from '../../schemas/product.js';
import { anyOf, categoryClause, sourceClause } from './filter-clauses.js';
import type { QueryClause } from './selection.js';

/** The filters of a change feed. */
export interface ChangeFilter {
  source?: readonly string[] | undefined;
  category?: string | undefined;
}

/** The name of the clause that tells which of the found listings pass the filter by category. */
export const PASSES = 'passes';

const CHANGES = 'internal.changes';
const COMMON = { track_total_hits: false, allow_partial_search_results: false } as const;

export const FULL_SOURCE = [...PRODUCT_FIELDS, CHANGES, 'internal.group_id'];
export const IDS_SOURCE = ['id', CHANGES, 'internal.group_id'];

interface ChangedListings {
  filter: ChangeFilter;
  size: number;
  source: readonly string[];
}

/** A part of a shard's writes: those after one sequence number, up to another. */
export interface WriteRange {
  index: string;
  shard: number;
  after: number;
  upTo: number;
  /** The sequence number up to which no change can have been missed. */
  base: number;
  /** Whether to find all listings, not only those with a recorded change in the range. */
  all: boolean;
}

/** A request for the listings that a range of writes changed, and for the highest sequence number that it sees (`seen`). */
export const changedListingsRequest = (
  { index, shard, after, upTo, base, all }: WriteRange,
  { filter, size, source }: ChangedListings,
): estypes.SearchRequest => ({
  index,
  preference: `_shards:${shard}`,
  query: { range: { _seq_no: { gt: after } } },
  aggs: { seen: { max: { field: '_seq_no' } } },
  post_filter: {
    bool: {
      filter: [
        { range: { _seq_no: { lte: upTo } } },
        ...(all ? [] : [hasChangedAfter(index, base)]),
        ...passing(filter, !all),
      ],
    },
  },
  sort: [{ _seq_no: 'asc' as const }],
  seq_no_primary_term: true,
  size,
  _source: [...source],
  ...COMMON,
});

/**
 * A clause for the listings whose last write changed something, or an earlier write after the sequence number. Listings that a
 * rollback copied from another index match too, because its sequence numbers cannot be compared.
 */
const hasChangedAfter = (index: string, after: number): QueryClause => ({
  bool: {
    should: [
      { exists: { field: `${CHANGES}.last` } },
      { range: { [`${CHANGES}.seq`]: { gt: after } } },
      {
        bool: {
          filter: { exists: { field: `${CHANGES}.index` } },
          must_not: { term: { [`${CHANGES}.index`]: index } },
        },
      },
    ],
  },
});

/** A request for the listings that changed since a time, in the order of their changes. */
export const changedSinceRequest = (
  { index, since, after }: { index: string; since: number; after: estypes.SortResults | null },
  { filter, size, source }: ChangedListings,
): estypes.SearchRequest => ({
  index,
  query: {
    bool: {
      filter: [
        { range: { [`${CHANGES}.at`]: { gte: new Date(since).toISOString() } } },
        ...passing(filter, true),
      ],
    },
  },
  sort: [{ [`${CHANGES}.at`]: 'asc' as const }, { id: 'asc' as const }],
  ...(after === null ? {} : { search_after: after }),
  size,
  _source: [...source],
  ...COMMON,
});

/** A request for tombstones of withdrawn listings, in the order in which they were written. */
export const withdrawnRequest = (
  { index, after, upTo }: Pick<WriteRange, 'index' | 'after' | 'upTo'>,
  { source = [] }: ChangeFilter,
  size: number,
): estypes.SearchRequest => ({
  index,
  query: { bool: { filter: [{ range: { _seq_no: { gt: after, lte: upTo } } }, ...sources(source)] } },
  sort: [{ _seq_no: 'asc' as const }],
  seq_no_primary_term: true,
  size,
  ...COMMON,
});

const sources = (source: readonly string[]): QueryClause[] => anyOf(source.map(sourceClause));

/**
 * The clauses of the filter of a change feed.
 * @param orMoved whether listings that no longer have the category are found as well.
 */
function passing({ source = [], category = '' }: ChangeFilter, orMoved: boolean): QueryClause[] {
  if (category === '') return sources(source);
  const inCategory: QueryClause = { bool: { _name: PASSES, filter: [categoryClause(category)] } };
  const hasMoved: QueryClause = { term: { [`${CHANGES}.moved`]: true } };
  return [...sources(source), orMoved ? { bool: { should: [inCategory, hasMoved] } } : inCategory];
}
