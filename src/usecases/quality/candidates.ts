import type { estypes } from '@elastic/elasticsearch';
import { CONNECTION_FIELDS, type Connections, connectionsOf } from '../../listing/connections.js';
import type { StoredListing } from '../../listing/listing.js';
import type { Flag } from '../../schemas/quality.js';
import {
  bestOfMany,
  type Catalogue,
  duplicateCounts,
  emptyScope,
  type Evidence,
  type Scope,
  sharedPrices,
} from './evidence.js';
import { MAX_COPIES_STATED } from './rules.js';
import type { QueryClause } from '../../engine/queries/selection.js';
import type { VersionedListing } from '../../engine/listing-store.js';
import { scanListings, versionedPages } from '../../engine/search-pages.js';
import { chunksOf } from '../../platform/chunks.js';

const DEPENDENT_FLAGS: readonly Flag[] = [
  'price_placeholder',
  'price_outlier',
  'price_disputed',
  'price_low',
  'gtin_conflict',
  'duplicate',
];

const PAGE_SIZE = 1_000;

const READ_FIELDS = 'id source name brand category image_url price currency metadata internal'.split(' ');

/**
 * Yields the listings whose flags may have to change, in sets that are checked together: those of each group with uneven prices,
 * then one by one those that depend on others or on the evidence (`single`). One may be returned twice.
 */
export async function* candidateSets(
  catalogue: Catalogue,
  evidence: Evidence,
  single: readonly QueryClause[] = singleQueries(evidence),
): AsyncGenerator<VersionedListing[][]> {
  for (const groups of chunksOf(evidence.unevenGroups, PAGE_SIZE)) {
    const query = { terms: { 'internal.group_id': groups } };
    let open: VersionedListing[] = [];
    for await (const page of pagesOf(catalogue, query, [{ 'internal.group_id': 'asc' }, { id: 'asc' }])) {
      const complete: VersionedListing[][] = [];
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
    for await (const page of pagesOf(catalogue, { bool: { filter: query } }))
      yield page.map((candidate) => [candidate]);
}

const groupOf = ({ listing }: VersionedListing) => listing.internal.group_id;

function singleQueries(evidence: Evidence): QueryClause[] {
  const { sharedPrices, contestedGtins, duplicates, bestAlike, bestOfSeries } = evidence;
  const shared = sharedPrices.placeholders().map(samePrice);
  return [
    { terms: { 'internal.flags': [...DEPENDENT_FLAGS] } },
    MARKS.crowd,
    ...withOneOf('internal.alike', bestAlike.keys()),
    ...withOneOf('internal.series', bestOfSeries.keys()),
    ...withOneOf('internal.twin', duplicates.keys()),
    ...withOneOf('internal.gtins', contestedGtins.keys()),
    ...chunksOf(shared, 100).map((should): QueryClause => ({ bool: { should } })),
  ];
}

const withOneOf = (field: string, values: Iterable<string | number>): QueryClause[] =>
  chunksOf([...values], PAGE_SIZE).map((some) => ({ terms: { [field]: some } }));

const samePrice = ({ source, units }: { source: string; units: number }): QueryClause => ({
  bool: { filter: [{ term: { source } }, { term: { 'internal.price_units': units } }] },
});

async function* pagesOf(
  { es, products, backoff }: Catalogue,
  query: QueryClause,
  sort?: estypes.SortCombinations[],
): AsyncGenerator<VersionedListing[]> {
  const options = { query, sort, fields: READ_FIELDS, backoff };
  for await (const page of versionedPages(es, products, options)) {
    backoff.reset();
    yield page;
  }
}

/**
 * Finds the listings whose flags may depend on written ones: those that share a GTIN, a duplicate key or a group, and those with
 * a very low price that has become or ceased to be a placeholder.
 * @param written the values before and after the write. @returns their queries, and the values for which evidence is needed.
 */
export async function relatedTo(written: readonly Connections[], catalogue: Catalogue) {
  const ids = new Set<number>();
  const { gtins, groups, ...own } = scopeOf(written);
  const should: QueryClause[] = [
    { terms: { id: written.map(({ id }) => id) } },
    { terms: { 'internal.gtins': [...gtins] } },
    { terms: { 'internal.group_id': [...groups] } },
    ...(await unsettledMarks(written.length, own, catalogue)),
    ...(await turnedPrices(written, catalogue)),
  ];
  const scope = emptyScope();
  for await (const some of connectionPages(catalogue, { bool: { should } })) {
    for (const { id } of some) ids.add(id);
    scopeOf(some, scope);
  }
  // A price is compared with all offers of its product, so the values of these offers are needed as well.
  for (const query of withOneOf('internal.group_id', scope.groups))
    for await (const members of connectionPages(catalogue, query)) scopeOf(members, scope);
  return { single: withOneOf('id', ids), scope };
}

function scopeOf(listings: readonly Connections[], scope = emptyScope()): Scope {
  for (const { source, gtins, duplicateKey, alike, series, group } of listings) {
    scope.sources.add(source);
    for (const gtin of gtins) scope.gtins.add(gtin);
    if (duplicateKey !== null) scope.duplicateKeys.add(duplicateKey);
    if (alike !== undefined) scope.alike.add(alike);
    if (series !== undefined) scope.series.add(series);
    scope.groups.add(group);
  }
  return scope;
}

const MARKS = {
  duplicate: { term: { 'internal.flags': 'duplicate' } },
  crowd: { term: { 'internal.crowd': true } },
} satisfies Record<string, QueryClause>;

/** Clauses for listings that share a key with written ones and whose flag may be wrong now. Thousands may share a key. */
async function unsettledMarks(
  written: number,
  scope: Pick<Scope, 'duplicateKeys' | 'alike' | 'series'>,
  catalogue: Catalogue,
): Promise<QueryClause[]> {
  const [duplicateKeys, alike, series] = [[...scope.duplicateKeys], [...scope.alike], [...scope.series]];
  const { bestAlike, bestOfSeries } = await bestOfMany(catalogue, scope);
  const counts = await duplicateCounts(catalogue, scope);
  // The reason of a duplicate states the number of copies up to this maximum; below it, any write may change the reason.
  const many = new Map([...counts].filter(([, count]) => count - written > MAX_COPIES_STATED));
  return [
    unsettled('internal.twin', duplicateKeys, many, MARKS.duplicate),
    { terms: { 'internal.twin': duplicateKeys.filter((key) => !many.has(key)) } },
    unsettled('internal.alike', alike, bestAlike, MARKS.crowd),
    unsettled('internal.series', series, bestOfSeries, MARKS.crowd),
    { terms: { id: [...bestAlike.values(), ...bestOfSeries.values()] } },
  ];
}

/** Finds listings that are flagged although few share their key, and listings that are not flagged although many do. */
function unsettled(
  field: string,
  keys: readonly string[],
  areMany: ReadonlyMap<string, unknown>,
  mark: QueryClause,
): QueryClause {
  const having = (some: readonly string[]): QueryClause => ({ terms: { [field]: [...some] } });
  const few = having(keys.filter((key) => !areMany.has(key)));
  const lacking = { bool: { filter: [having(keys.filter((key) => areMany.has(key)))], must_not: [mark] } };
  return { bool: { should: [{ bool: { filter: [few, mark] } }, lacking] } };
}

/** Clauses for low prices that became placeholders or ceased to be. The full pass updates numbers in unchanged reasons. */
async function turnedPrices(written: readonly Connections[], catalogue: Catalogue): Promise<QueryClause[]> {
  const changes = new Map<string, number>();
  for (const { source } of written) changes.set(source, (changes.get(source) ?? 0) + 1);
  const shared = await sharedPrices(catalogue, [...changes.keys()]);
  return shared.unsettled(changes).map(samePrice);
}

/** The maximum number of values in one query; Elasticsearch itself allows more in a `terms` query. */
const MAX_SCOPE = 50_000;

/** Finds the listings of groups, as `relatedTo` does. @returns null if there are too many values for one scope. */
export async function inGroups(groups: readonly number[], catalogue: Catalogue) {
  const scope = emptyScope();
  const single = withOneOf('internal.group_id', groups);
  for (const query of single)
    for await (const members of connectionPages(catalogue, query)) scopeOf(members, scope);
  const { gtins, duplicateKeys, alike } = scope;
  const largest = Math.max(groups.length, gtins.size, duplicateKeys.size, alike.size);
  return largest > MAX_SCOPE ? null : { single, scope };
}

async function* connectionPages({ es, products, backoff }: Catalogue, query: QueryClause) {
  const options = { query, fields: CONNECTION_FIELDS, backoff };
  for await (const page of scanListings<StoredListing>(es, products, options)) yield page.map(connectionsOf);
}
