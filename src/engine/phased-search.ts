import type { Client } from '@elastic/elasticsearch';
import type { Product } from '../schemas/product.js';
import { distinctBy } from '../platform/distinct.js';
import { totalOf } from './deep-offset.js';
import { succeeded } from './multi-search.js';
import {
  countRequest,
  type MatchMode,
  pageRequest,
  type PhasedSelection,
  type QueryClause,
  SCORED_GLOBALLY,
  type SearchTarget,
  type Selection,
  windowRequest,
} from './queries/selection.js';
import { SEARCH_TUNING as tuning } from './queries/tuning.js';
import {
  type AdditionalRequest,
  type FoundListings,
  type ListingHit,
  type PageOptions,
  searchListings,
} from './search-listings.js';

/**
 * Searches by relevance, so that the cost depends on the answer and not on the number of listings that have one of
 * the words. All found listings have one total order:
 *
 * - Up to `SEARCH_TUNING.whole` listings are ordered by the score of the full relevance query, then by id, in one request. It
 *   ends as soon as it has found more.
 * - More listings are ordered in two phases. The coarse query, of which Elasticsearch can skip most listings, finds
 *   the window: the best `SEARCH_TUNING.window` listings. They are ordered by the score of the full relevance query, then by id.
 *   All others follow, ordered by the score of the coarse query, then by id.
 *
 * The order depends on the total, which is not known in advance, so one phase is usually tried first; see `largeShare`. In two
 * phases, one request finds the window and, beside it, the exact total and the facets; another one reads the
 * listings of the page. A cursor in the window continues at an offset. After the window, it continues after the
 * coarse score and the id of the last listing, so only hits after the window have sort keys.
 *
 * If listings are grouped by product, the products of the window come first, each where its first listing is. The
 * others follow without the listings of these products.
 */
export async function searchInPhases(
  es: Client,
  target: SearchTarget,
  selection: PhasedSelection,
  page: PageOptions,
): Promise<FoundListings> {
  const { slice, after, request = {} } = page;
  const whole = wholeSelection(selection);
  const inOnePhase = async (limit: AdditionalRequest = {}): Promise<FoundListings> => {
    const found = await searchListings(es, target, whole, { ...page, request: { ...request, ...limit } });
    return { ...found, hits: found.hits.map(withoutSortKeys) };
  };
  const mayBeOnePhase = after === undefined && slice.offset < tuning.whole;
  const { match } = selection.phases;
  if (mayBeOnePhase && largeShare[match] < 0.5) {
    const found = await inOnePhase({ terminate_after: tuning.whole + 1 });
    if (found.total <= tuning.whole) {
      noteTotal(match, found.total);
      return found;
    }
  }
  const { total, window, ...counted } = await countAndFindWindow(es, target, selection, request);
  const found = { total, ...counted, selection: whole };
  if (mayBeOnePhase) noteTotal(match, total);
  if (total <= tuning.whole) return mayBeOnePhase ? inOnePhase() : { ...found, hits: [] };

  const field = request.collapse?.field;
  const first = field !== undefined ? distinctBy(window, ({ group }) => group) : window;
  const shown = after === undefined ? first.slice(slice.offset, slice.offset + slice.limit) : [];
  const others = withoutWindow(selection, window, field);
  const further = { limit: slice.limit - shown.length, offset: Math.max(0, slice.offset - first.length) };
  const { aggs: _, ...members } = request;
  const [hits, behind] = await Promise.all([
    readWindow(es, target, selection, shown, members),
    further.limit === 0
      ? null
      : searchListings(es, target, others, { slice: further, after, request: members }),
  ]);
  const explained = request.include_named_queries_score === true;
  const hitsBehind =
    behind !== null && explained
      ? await explainHits(es, target, selection, behind.hits, members)
      : behind?.hits;
  return { ...found, pitId: behind?.pitId ?? found.pitId, hits: [...hits, ...(hitsBehind ?? [])] };
}

export const isPhased = (selection: Selection | PhasedSelection): selection is PhasedSelection =>
  'phases' in selection;

/**
 * The share of recent searches that found more than `SEARCH_TUNING.whole` listings, as a moving average, by whether listings
 * must have all words. While most do, as those for any word in a catalogue of millions of listings, one phase is not tried
 * first, because its ranking of thousands of listings would be discarded. The share affects only the order of the requests, and not
 * the results of searches.
 */
const largeShare = { any: 0, all: 0 };

function noteTotal(match: MatchMode, total: number): void {
  largeShare[match] += (Number(total > tuning.whole) - largeShare[match]) / 10;
}

/** The selection of all found listings in the order of the full relevance query. */
const wholeSelection = ({ phases, ...selection }: PhasedSelection): Selection => ({
  ...selection,
  query: { bool: { should: [phases.full], filter: [phases.matching] } },
});

interface WindowListing {
  id: number;
  group: number;
  score: number;
}

/**
 * Counts the found listings, computes the facets and finds the listings of the window, in one request.
 * @returns the listings of the window in the order of the full relevance query.
 */
async function countAndFindWindow(
  es: Client,
  target: SearchTarget,
  selection: PhasedSelection,
  { aggs, collapse }: AdditionalRequest,
) {
  const allow_partial_search_results = false;
  const [header, pit] =
    'pit' in target
      ? [{ allow_partial_search_results }, target]
      : [{ ...target, allow_partial_search_results }, {}];
  const fields = { docvalue_fields: ['id', ...(collapse ? [collapse.field] : [])] };
  const { responses } = await es.msearch({
    searches: [
      header,
      { ...countRequest(selection, aggs), ...pit },
      { ...header, ...SCORED_GLOBALLY },
      { ...windowRequest(selection), ...fields, ...pit },
    ],
    filter_path: COUNT_AND_WINDOW,
  });
  const [counted, found] = responses.map(succeeded);
  const window = (found?.hits?.hits ?? []).map(({ _score: score, fields: values }): WindowListing => {
    const { id: [id = 0] = [], [collapse?.field ?? 'id']: [group = id] = [] } = values as Record<
      string,
      number[]
    >;
    return { id, group, score: score ?? 0 };
  });
  return {
    total: totalOf(counted ?? {}),
    suggest: counted?.suggest,
    aggregations: counted?.aggregations,
    pitId: found?.pit_id,
    window: window.sort((a, b) => b.score - a.score || a.id - b.id),
  };
}

const COUNT_AND_WINDOW = [
  'took',
  'responses.pit_id',
  'responses.hits.total',
  'responses.hits.hits._score',
  'responses.hits.hits.fields',
  'responses.aggregations',
  'responses.suggest',
  'responses.error',
  'responses.status',
];

/** The found listings in the coarse order, without those of the window, or without their products. */
function withoutWindow(
  { phases, sort, post_filter }: PhasedSelection,
  window: readonly WindowListing[],
  field: string | undefined,
): Selection {
  const groups = [...new Set(window.map(({ group }) => group))];
  const must_not = field === undefined ? withIds(window) : { terms: { [field]: groups } };
  return {
    query: { bool: { should: [phases.coarse()], filter: [phases.matching], must_not: [must_not] } },
    sort,
    ...(post_filter && { post_filter }),
  };
}

const withIds = (listings: readonly { id: number }[]): QueryClause => ({
  ids: { values: listings.map(({ id }) => String(id)) },
});

/** Reads listings of the window in their order. */
async function readWindow(
  es: Client,
  target: SearchTarget,
  { phases, sort }: PhasedSelection,
  listings: readonly WindowListing[],
  { collapse, ...request }: Omit<AdditionalRequest, 'aggs'>,
): Promise<ListingHit[]> {
  if (listings.length === 0) return [];
  const isScored = request.highlight !== undefined || request.include_named_queries_score === true;
  const filter = [withIds(listings)];
  const query: QueryClause = { bool: { filter, ...(isScored && { should: [phases.full] }) } };
  const search = {
    ...target,
    ...pageRequest({ query, sort }, { from: 0 }, listings.length),
    track_total_hits: false,
    ...(collapse && { docvalue_fields: [collapse.field] }),
    ...request,
  };
  const { hits } = await es.search<Product>(search);
  const byId = new Map(hits.hits.map((hit) => [Number(hit._id), withoutSortKeys(hit)]));
  return listings.flatMap(({ id }) => byId.get(id) ?? []);
}

/** Adds the names of the clauses of the full relevance query to hits that the coarse query found. */
async function explainHits(
  es: Client,
  target: SearchTarget,
  selection: PhasedSelection,
  hits: readonly ListingHit[],
  request: Omit<AdditionalRequest, 'aggs'>,
): Promise<ListingHit[]> {
  const listings = hits.flatMap(({ _source: source }) =>
    source === undefined ? [] : [{ id: source.id, group: source.id, score: 0 }],
  );
  const { collapse: _, ...members } = request;
  const explained = await readWindow(es, target, selection, listings, members);
  return hits.map((hit, at) => ({ ...explained[at], sort: hit.sort, fields: hit.fields }) as ListingHit);
}

/** A hit without the keys by which it was sorted, so that a cursor continues at an offset. */
function withoutSortKeys(hit: ListingHit): ListingHit {
  if ('bytes' in hit) return hit;
  const { sort: _, ...rest } = hit;
  return rest;
}
