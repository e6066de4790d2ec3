import type { estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../../listing/listing.js';
import type { Flag } from '../../schemas/quality.js';
import type { Catalogue, Evidence, Scope } from './evidence.js';
import { MAX_SHARED_UNITS } from './rules.js';
import type { QueryClause } from '../../engine/queries/selection.js';
import { searchPages } from '../../engine/search-pages.js';
import { chunksOf } from '../../platform/chunks.js';

/** A listing whose quality flags may have to change, with its version for optimistic concurrency control. */
export interface QualityCandidate {
  listing: StoredListing;
  version: Required<Pick<estypes.SearchHit, '_index' | '_id' | '_seq_no' | '_primary_term'>>;
}

const DEPENDENT_FLAGS: readonly Flag[] = [
  'price_placeholder',
  'price_outlier',
  'price_disputed',
  'price_low',
  'gtin_conflict',
  'duplicate',
];

/** The maximum number of listings on a page of results, and of values in an Elasticsearch `terms` query. */
const PAGE_SIZE = 1_000;

const CANDIDATE_FIELDS = [
  'id',
  'source',
  'name',
  'brand',
  'category',
  'image_url',
  'price',
  'currency',
  'metadata',
  'internal',
];

/**
 * Yields the listings whose quality flags may have to change, in sets that are checked together: first the listings of
 * each group with uneven prices, then, one by one, every listing that has a flag which depends on other listings or for
 * which the evidence gives a reason. A listing may be returned twice.
 * @param single the queries for the listings that are checked one by one.
 */
export async function* candidateSets(
  catalogue: Catalogue,
  evidence: Evidence,
  single: readonly QueryClause[] = singleQueries(evidence),
): AsyncGenerator<QualityCandidate[][]> {
  for (const groups of chunksOf(evidence.unevenGroups, PAGE_SIZE)) {
    const sort: estypes.SortCombinations[] = [{ 'internal.group_id': 'asc' }, { id: 'asc' }];
    let open: QualityCandidate[] = [];
    for await (const page of pagesOf(catalogue, { terms: { 'internal.group_id': groups } }, sort)) {
      const complete: QualityCandidate[][] = [];
      for (const candidate of page) {
        if (open[0] !== undefined && groupOf(open[0]) !== groupOf(candidate)) {
          complete.push(open);
          open = [];
        }
        open.push(candidate);
      }
      yield complete;
    }
    if (open.length > 0) yield [open];
  }
  for (const query of single)
    for await (const page of pagesOf(catalogue, { bool: { filter: query } }, [{ id: 'asc' }]))
      yield page.map((candidate) => [candidate]);
}

const groupOf = ({ listing }: QualityCandidate) => listing.internal.group_id;

function singleQueries({ sharedPrices, contestedGtins, duplicates }: Evidence): QueryClause[] {
  const shared = sharedPrices.placeholders().map(samePrice);
  return [
    { terms: { 'internal.flags': [...DEPENDENT_FLAGS] } },
    ...chunksOf([...duplicates.keys()], PAGE_SIZE).map((keys): QueryClause => ({
      terms: { 'internal.twin': keys },
    })),
    ...chunksOf([...contestedGtins.keys()], PAGE_SIZE).map((gtins): QueryClause => ({
      terms: { 'internal.gtins': gtins },
    })),
    ...chunksOf(shared, 100).map((should): QueryClause => ({ bool: { should } })),
  ];
}

const samePrice = ({ source, units }: { source: string; units: number }): QueryClause => ({
  bool: { filter: [{ term: { source } }, { term: { 'internal.price_units': units } }] },
});

async function* pagesOf(
  { es, products, backoff }: Catalogue,
  query: QueryClause,
  sort: estypes.SortCombinations[],
): AsyncGenerator<QualityCandidate[]> {
  const request = {
    index: products,
    query,
    sort,
    size: PAGE_SIZE,
    _source: CANDIDATE_FIELDS,
    seq_no_primary_term: true,
  };
  for await (const hits of searchPages<StoredListing>(es, request, { backoff })) {
    backoff.reset();
    yield hits.flatMap(({ _source, _index, _id = '', _seq_no = 0, _primary_term = 0 }) =>
      _source === undefined ? [] : [{ listing: _source, version: { _index, _id, _seq_no, _primary_term } }],
    );
  }
}

/** The values of a listing that connect it with other listings whose quality flags may depend on it. */
export interface Connections {
  id: number;
  source: string;
  gtins: readonly string[];
  duplicateKey: string | null;
  group: number;
  /** The price in ten-thousandths of the unit of its currency; null if there is no price. */
  units: number | null;
}

export const connectionsOf = ({ id, source, internal }: StoredListing): Connections => ({
  id,
  source,
  gtins: internal.gtins,
  duplicateKey: internal.twin ?? null,
  units: internal.price_units,
  group: internal.group_id ?? id,
});

/** The maximum number of related listings whose flags are updated at once. `npm run quality` updates the rest later. */
const MAX_RELATED = 1_000;
const MAX_MEMBERS = 10_000;

/**
 * Finds the listings whose quality flags may depend on written listings: these, and those that share a GTIN, a
 * duplicate key, a very low price or a group with one of them.
 * @returns `single`: a query for those listings. `scope`: the values for which evidence must be gathered.
 */
export async function relatedTo(
  written: readonly Connections[],
  catalogue: Catalogue,
): Promise<{ single: QueryClause; scope: Scope }> {
  const should: QueryClause[] = [
    // The boost makes sure that the written listings themselves are among the related listings, whose number
    // is limited.
    { constant_score: { filter: { terms: { id: written.map(({ id }) => id) } }, boost: 100 } },
    { terms: { 'internal.gtins': written.flatMap(({ gtins }) => gtins) } },
    { terms: { 'internal.twin': written.flatMap(({ duplicateKey }) => duplicateKey ?? []) } },
    { terms: { 'internal.group_id': written.map(({ group }) => group) } },
    ...written.flatMap(({ source, units }) =>
      units !== null && units <= MAX_SHARED_UNITS ? [samePrice({ source, units })] : [],
    ),
  ];
  const affected = await readConnections(catalogue, { bool: { should } }, MAX_RELATED);
  const groups = [...new Set(affected.map(({ group }) => group))];
  // A price is compared with all offers of its product, so these offers are needed as well.
  const members = await readConnections(catalogue, { terms: { 'internal.group_id': groups } }, MAX_MEMBERS);
  // If not all offers of the products could be read, no flags are updated, because prices would lose flags
  // that they should keep.
  const isComplete = members.length < MAX_MEMBERS;
  const all = [...affected, ...members];
  return {
    single: isComplete ? { terms: { id: affected.map(({ id }) => id) } } : { match_none: {} },
    scope: {
      sources: [...new Set(all.map(({ source }) => source))],
      gtins: new Set(all.flatMap(({ gtins }) => gtins)),
      duplicateKeys: [...new Set(all.flatMap(({ duplicateKey }) => duplicateKey ?? []))],
      groups: isComplete ? groups : [],
    },
  };
}

/** The maximum number of values in a scope, which is below the limit of Elasticsearch for one `terms` query. */
const MAX_SCOPE = 50_000;

/**
 * Finds the listings of groups.
 * @returns `single`: the queries for these listings. `scope`: the values for which evidence must be gathered. Null if there
 *   are too many values for one scope.
 */
export async function inGroups(
  groups: readonly number[],
  catalogue: Catalogue,
): Promise<{ single: QueryClause[]; scope: Scope } | null> {
  const sources = new Set<string>();
  const gtins = new Set<string>();
  const duplicateKeys = new Set<string>();
  const single = chunksOf(groups, PAGE_SIZE).map((some): QueryClause => ({
    terms: { 'internal.group_id': some },
  }));
  for (const query of single)
    for await (const page of pagesOf(catalogue, query, [{ id: 'asc' }]))
      for (const { listing } of page) {
        const connections = connectionsOf(listing);
        sources.add(connections.source);
        for (const gtin of connections.gtins) gtins.add(gtin);
        if (connections.duplicateKey !== null) duplicateKeys.add(connections.duplicateKey);
      }
  if (Math.max(groups.length, gtins.size, duplicateKeys.size) > MAX_SCOPE) return null;
  return { single, scope: { sources: [...sources], gtins, duplicateKeys: [...duplicateKeys], groups } };
}

async function readConnections(
  { es, products, backoff }: Catalogue,
  query: QueryClause,
  size: number,
): Promise<Connections[]> {
  const { hits } = await backoff.retry(() =>
    es.search<StoredListing>({
      index: products,
      query,
      size,
      sort: [{ _score: { order: 'desc' } }, { id: 'asc' }],
      _source: [
        'id',
        'source',
        ...['gtins', 'twin', 'group_id', 'price_units'].map((name) => `internal.${name}`),
      ],
      track_total_hits: false,
      allow_partial_search_results: false,
    }),
  );
  backoff.reset();
  return hits.hits.flatMap(({ _source }) => (_source === undefined ? [] : [connectionsOf(_source)]));
}
