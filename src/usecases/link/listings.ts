import { getStoredListings } from '../../engine/documents.js';
import { searchPages } from '../../engine/search-pages.js';
import type { StoredListing } from '../../listing/listing.js';
import type { LinkRun, LinkScope } from './run.js';
import type { QueryClause } from '../../engine/queries/selection.js';
import { chunksOf } from '../../platform/chunks.js';

type EngineAccess = Pick<LinkRun, 'es' | 'alias' | 'retry'>;

const PAGE = 1_000;
const ALIKE_FIELD = 'internal.alike';

/** The query of the listings in the scope of a run. `decided`: listings in new decisions, compared if they are not linked yet. */
export function queryOf(scope: LinkScope, decided: readonly number[]): QueryClause {
  const linked: QueryClause = { exists: { field: 'internal.linked_at' } };
  if (scope.kind === 'all') return { match_all: {} };
  if (scope.kind === 'decisions')
    return { bool: { filter: [{ terms: { id: [...decided] } }], must_not: [linked] } };
  const since: QueryClause[] = scope.since === null ? [] : [{ range: { updated_at: { gte: scope.since } } }];
  return { bool: { filter: since, must_not: scope.kind === 'pending' ? [linked] : [] } };
}

/** A listing to compare, and the key of its near-identical ones, which an index of an earlier schema lacks. */
export interface ListingToCompare {
  id: number;
  alike: string | undefined;
}

/** Yields the listings that match a query, sorted by id. */
export async function* listingsMatching({ es, alias, retry }: EngineAccess, query: QueryClause) {
  const request = {
    index: alias,
    query,
    size: PAGE,
    sort: [{ id: 'asc' as const }],
    _source: false,
    stored_fields: '_none_',
    docvalue_fields: [ALIKE_FIELD],
  };
  for await (const hits of searchPages(es, request, { backoff: { retry } }))
    yield hits.map(({ sort, fields = {} }) => {
      const [alike] = (fields as Record<string, string[]>)[ALIKE_FIELD] ?? [];
      return { id: Number(sort?.[0]), alike };
    });
}

/** The fields that show whether two listings are certainly different products. */
const PROFILE_FIELDS = [
  ...['id', 'source', 'merchant_id', 'name', 'brand', ALIKE_FIELD],
  ...['gtins', 'models', 'maker', 'owner'].map((name) => `internal.${name}`),
];

/** Returns the current group of each listing, read in real time. `onListing` receives each with the fields of a profile. */
export async function groupsOf(
  { es, alias, retry }: EngineAccess,
  ids: readonly number[],
  onListing?: (listing: StoredListing) => void,
): Promise<Map<number, number>> {
  const groups = new Map<number, number>();
  const fields = ['internal.group_id', ...(onListing === undefined ? [] : PROFILE_FIELDS)];
  for (const some of chunksOf(ids, PAGE)) {
    const listings = await retry(() => getStoredListings(es, alias, some, fields));
    listings.forEach((listing, nth) => {
      const id = some[nth] ?? 0;
      if (listing === null) return;
      groups.set(id, listing.internal.group_id ?? id);
      onListing?.(listing);
    });
  }
  return groups;
}

/** Returns the ids of all listings in the given groups. */
export async function idsInGroups(engine: EngineAccess, groups: readonly number[]): Promise<number[]> {
  const ids: number[] = [];
  for (const some of chunksOf(groups, PAGE)) {
    const query = { terms: { 'internal.group_id': some } };
    for await (const page of listingsMatching(engine, query)) ids.push(...page.map(({ id }) => id));
  }
  return ids;
}

/** Returns those of the given groups that contain at least one listing. */
export async function usedGroups(engine: EngineAccess, groups: readonly number[]): Promise<number[]> {
  const { es, alias, retry } = engine;
  const used = new Set<number>();
  for (const some of chunksOf(groups, PAGE)) {
    const { hits } = await retry(() =>
      es.search<StoredListing>({
        index: alias,
        size: PAGE,
        _source: ['internal.group_id'],
        track_total_hits: false,
        query: { terms: { 'internal.group_id': some } },
        collapse: { field: 'internal.group_id' },
      }),
    );
    for (const { _source } of hits.hits) used.add(_source?.internal.group_id ?? 0);
  }
  return [...used];
}
