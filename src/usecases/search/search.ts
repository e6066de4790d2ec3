import type { Static } from 'typebox';
import {
  facetAggs,
  partitionByFacet,
  postFilter,
  readFacetText,
  schemaOfFacets,
} from '../../engine/queries/facets.js';
import { type Refinement, refinements, schemasOfFilters } from '../../engine/queries/refinements.js';
import { byProduct, productField } from '../../engine/queries/groups.js';
import { currentCatalogue, type SearchTarget } from '../../engine/queries/selection.js';
import { parseQueryText } from '../../engine/queries/query-text.js';
import { productSortBy, schemaOfSort, sortBy } from '../../engine/queries/sorts.js';
import { asListingsWriteIt } from '../../engine/queries/spelling.js';
import type { RuleSet } from '../../engine/queries/rules.js';
import { withItems } from '../../engine/listing-bytes.js';
import { type ListingHit, searchListings } from '../../engine/search-listings.js';
import { conditionsOfBest } from '../../listing/condition.js';
import { GROUPS_SCHEMA } from '../../listing/schema-versions.js';
import { includedFields, includedIn, schemasOfInclude } from '../../products/included.js';
import type { ProductGroup } from '../../schemas/group.js';
import type { FoundPageSchema } from '../../schemas/search.js';
import type { Json } from '../../schemas/types.js';
import type { Caller, Context } from '../context.js';
import { readExcludingText } from '../../products/exclusions.js';
import { checkOffset, checkSchema, pageFrame } from '../../products/list-requests.js';
import {
  checkReach,
  oneMore,
  productGroups,
  sortedGroups,
  totalGroups,
} from '../../products/product-groups.js';
import {
  type CursorPosition,
  nextCursor,
  openSessionPage,
  readCursor,
  type SessionPage,
  sessionError,
} from './cursor.js';
import { mapInSlices } from '../../platform/slices.js';
import { hitExplainer, explainNoResults, explainText, searchedText } from './explain.js';
import { facetNames, facetsOf } from './facets.js';
import { interpretQuery } from './interpret.js';
import { fieldsOfItems, fieldsRequest, highlightOf, highlightRequest, toItem } from './items.js';
import type { SearchParameters } from './parameters.js';
import { findByText, type TextSearchResult } from './text-match.js';

interface SearchAnswer {
  body: Json<Static<typeof FoundPageSchema>>;
  event: { query?: string; results: number };
}

/**
 * Answers `GET /v1/search`: interprets the text, plans the search, reads a page, and shapes the answer.
 * @throws QueryError if the price limits cross; ApiError 400 for a page beyond the last offset, 410 for a cursor that has
 * expired, 422 for a cursor of other parameters, 503 if the index has an earlier schema than the parameters need.
 */
export async function answerSearch(
  context: Context,
  given: SearchParameters,
  caller: Pick<Caller, 'client' | 'key'>,
): Promise<SearchAnswer> {
  const { q: asked = '', ...rest } = given;
  const {
    refinements: exclusions,
    excluded,
    ...text
  } = await readExcludingText(context, asked, given.interpret);
  const { query, interpreted } = await interpretQuery(context, { ...rest, q: text.q });
  const { q = '', limit = 20, offset = 0 } = query;
  if (query.group === 'product') checkReach({ limit, offset });
  const position = query.cursor === undefined ? null : readCursor(context, given, query.cursor);
  const now = position?.began ?? context.now();
  const [published, schema] = await Promise.all([
    rulesOf(context, position),
    // Later pages of a cursor use the schema of the index that its point in time contains.
    position === null || position.id === null ? context.schemaVersion() : position.schema,
  ]);
  const plan = planOf(context, query, { published, schema, seen: position?.seen, now, exclusions });
  checkOffset(offset);
  await checkSchema(context, plan.schemas);

  const session = position === null ? null : await openSessionPage(context, position, caller);
  const page = await readPage(context, plan, session).catch((error: unknown) => {
    throw session === null ? error : sessionError(context, session, error);
  });
  const { found, matched, total_groups, facets, explanation, empty } = page;
  const hits = found.hits.slice(0, limit);
  const frame = {
    ...pageFrame({ total: found.total, items: hits.length }, { limit, offset: position?.seen ?? offset }),
    ...(plan.isGrouped && { has_more: found.hits.length > limit }),
    ...(!plan.isCounted && { total: null }),
    ...(session !== null && {
      next_cursor: nextCursor(context, given, session, {
        ...found,
        schema,
        rules: published.version ?? undefined,
      }),
    }),
    // Members that are undefined do not appear in the JSON of the response.
    matched,
    total_groups,
    facets,
    interpreted,
    excluded,
    explanation,
    empty,
  };
  const body: Buffer = plan.hasPlainItems
    ? withItems(frame, hits, context.config)
    : Buffer.from(
        JSON.stringify({ ...frame, items: await mapInSlices(hits, itemMaker(context, plan, page)) }),
      );
  return {
    body: body as SearchAnswer['body'],
    event: { ...(plan.text === '' ? {} : { query: q }), results: found.total },
  };
}

/** The merchandising rules: on later pages of a cursor those of the first, so that no page repeats or omits a listing. */
const rulesOf = ({ publishedRules }: Context, position: CursorPosition | null): Promise<RuleSet> =>
  position === null || position.id === null
    ? publishedRules.current()
    : publishedRules.ofVersion(position.rules ?? null);

/** A search that is ready to be sent to Elasticsearch, for any page. */
type SearchPlan = ReturnType<typeof planOf>;

/** What determines a search besides its parameters. */
interface PlanSettings {
  published: RuleSet;
  schema: number;
  /** The number of listings on the pages before, if it pages by cursor. */
  seen: number | undefined;
  now: Date;
  exclusions: readonly Refinement[];
}

/** Plans a search from its parameters. @throws QueryError if the minimum price exceeds the maximum price. */
function planOf(
  { rates, isSplit }: Context,
  query: SearchParameters,
  { published, schema, seen, now, exclusions }: PlanSettings,
) {
  const text = (query.q ?? '').trim();
  const { limit = 20, match = 'auto', facet_limit = 20 } = query;
  const offset = seen ?? query.offset ?? 0;
  const sort = query.sort ?? (text === '' ? 'updated' : 'relevance');
  const isGrouped = query.group === 'product';
  const isExplained = query.explain === true && text !== '';
  const isHighlighted = query.highlight === true;
  const containing = query.facet_q === undefined ? null : readFacetText(query.facet_q);
  const facets = facetNames([...(query.facets ?? []), ...(containing === null ? [] : [containing.facet])]);
  const fields = fieldsOfItems(query.fields);
  const all = [...refinements(query, now, rates), ...exclusions];
  const { shared, ofFacets } = partitionByFacet(facets, all);
  const scope = { shared, ofFacets, filters: query, limit: facet_limit, containing: containing ?? undefined };
  const conditions = conditionsOfBest(query);
  const context = { rates, now, includeFlagged: query.include_flagged, unitPer: query.unit_per, conditions };
  const order =
    sort === 'relevance' ? null : isGrouped ? productSortBy(sort, context) : { sort: sortBy(sort, context) };
  const buckets = order !== null && 'buckets' in order ? order.buckets : undefined;
  const slice = isGrouped ? oneMore({ limit, offset }) : { limit, offset };
  const first = slice.offset + slice.limit;
  const grouping = isGrouped
    ? byProduct(
        productField(schema),
        ofFacets.map(({ clause }) => clause),
        { buckets, first },
      )
    : null;
  const aggs = { ...grouping?.aggs, ...facetAggs(facets, scope) };
  return {
    text,
    match,
    sort: order?.sort ?? null,
    filter: shared,
    postFilter: postFilter(ofFacets),
    isCounted: query.count !== 'none',
    reportsMatch: query.match !== undefined || query.explain === true,
    recognizesNames: true,
    findsLinkedOffers: true,
    rules: { published, now },
    isSplit,
    schema,
    namesClauses: isExplained,
    slice,
    /** Whether Elasticsearch sorts the products by buckets, so that the listings shown for them are read by a second request. */
    sortsBuckets: buckets !== undefined,
    request: {
      ...fieldsRequest(fields, query.include),
      ...(isHighlighted && highlightRequest),
      ...(grouping && { collapse: grouping.collapse }),
      ...(isExplained && { include_named_queries_score: true, track_scores: true }),
      ...(Object.keys(aggs).length > 0 && { aggs }),
    },
    refinements: all,
    facets,
    scope,
    fields,
    isGrouped,
    conditions,
    isExplained,
    isHighlighted,
    include: query.include,
    /** Whether each item on the page is a complete product without additional members. */
    hasPlainItems:
      fields === null &&
      includedFields(query.include).length === 0 &&
      !isHighlighted &&
      !isGrouped &&
      !isExplained,
    /** For each feature that the request uses, the schema version of the index that it needs. */
    schemas: {
      ...schemasOfFilters(query),
      [`sort=${sort}`]: schemaOfSort(sort),
      group: isGrouped ? GROUPS_SCHEMA : 0,
      facets: schemaOfFacets(facets),
      ...schemasOfInclude(query.include),
    },
  };
}

/** The corrected text that was searched, in the spelling of the listings; none without a correction or a result. */
function correctionOf(typed: string, { corrected, hits }: TextSearchResult): { corrected?: string } {
  if (corrected === undefined || hits.length === 0) return {};
  const { text } = parseQueryText(typed);
  return { corrected: asListingsWriteIt(searchedText(typed, corrected), text, hits) };
}

type SearchPage = Awaited<ReturnType<typeof readPage>>;

async function readPage(context: Context, plan: SearchPlan, session: SessionPage | null) {
  const { text, slice, request, refinements: all, facets, scope, isGrouped, isExplained } = plan;
  const target = session?.target ?? catalogueOf(context, plan);
  const search = { ...plan, target };
  const found = plan.sortsBuckets
    ? await findSortedProducts(context, search)
    : await findByText(context.es, { ...search, page: { slice, after: session?.after, request } });
  const { corrected, hits, selection } = found;
  const filter = all.map(({ clause }) => clause);
  const [groups, facetMembers, explanation, empty] = await Promise.all([
    isGrouped
      ? productGroups(context, hits.flatMap(keyOfHit(plan)), plan.conditions)
      : new Map<number, ProductGroup>(),
    facets.length === 0 ? undefined : facetsOf(context, found, target, facets, scope),
    isExplained
      ? explainText(context, {
          typed: text,
          corrected,
          filter,
          target,
          query: selection.query,
          hits,
          rules: found.rules,
        })
      : undefined,
    found.total === 0 ? explainNoResults(context, plan, all, found) : undefined,
  ]);
  const { aggregations } = found;
  const matched = found.matched && { ...found.matched, ...correctionOf(text, found) };
  const total_groups = isGrouped ? totalGroups(aggregations) : undefined;
  return { found, groups, matched, total_groups, facets: facetMembers, explanation, empty };
}

/**
 * Where the listings of a plan are searched. Answers with counts for facets or products are cached. A page without counts costs
 * Elasticsearch hardly more than reading its cache.
 */
const catalogueOf = ({ products: index }: Context, { request }: SearchPlan): SearchTarget =>
  request.aggs === undefined ? { index } : currentCatalogue(index);

/** Finds products in an order that differs from that of the listings that represent them, and then reads these listings. */
async function findSortedProducts({ es }: Context, search: SearchPlan & { target: SearchTarget }) {
  const { request, slice, target, schema } = search;
  const keyOf = keyOfHit(search);
  const found = await findByText(es, { ...search, page: { slice: { limit: 0, offset: 0 }, request } });
  const groups = sortedGroups(found.aggregations).slice(slice.offset);
  if (groups.length === 0) return { ...found, hits: [] };
  const { query, sort, post_filter } = found.selection;
  const filter = [{ terms: { [productField(schema)]: groups } }];
  const selection = { query: { bool: { must: [query], filter } }, sort, ...(post_filter && { post_filter }) };
  const { aggs: _, ...members } = request;
  const page = { slice: { limit: groups.length, offset: 0 }, request: members };
  const { hits } = await searchListings(es, target, selection, page);
  const place = new Map(groups.map((group, at) => [group, at]));
  const placeOf = (hit: ListingHit) => place.get(keyOf(hit)[0]?.key ?? 0) ?? 0;
  return { ...found, hits: hits.toSorted((a, b) => placeOf(a) - placeOf(b)) };
}

/** Returns the id of a hit and the key of its product, which a grouped search returns as the value of the grouping field. */
const keyOfHit =
  ({ schema }: Pick<SearchPlan, 'schema'>) =>
  ({ _source: listing, fields }: ListingHit): { id: number; key: number }[] => {
    if (listing === undefined) return [];
    const [key = listing.id] = (fields as Record<string, number[]> | undefined)?.[productField(schema)] ?? [];
    return [{ id: listing.id, key }];
  };

/** Creates a function that makes an item of the answer from a hit. */
function itemMaker(context: Context, plan: SearchPlan, { found, groups }: SearchPage) {
  const explain = plan.isExplained ? hitExplainer(searchedText(plan.text, found.corrected)) : null;
  return (hit: ListingHit): object => ({
    ...toItem(hit, plan.fields, context.config),
    ...includedIn(hit._source, plan.include, context, plan.rules.now),
    ...(plan.isHighlighted && { highlight: highlightOf(hit) }),
    ...(plan.isGrouped && { group: groups.get(hit._source?.id ?? 0) }),
    ...(explain !== null && { why: explain(hit) }),
  });
}
