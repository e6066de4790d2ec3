import type { Client } from '@elastic/elasticsearch';
import type { Static } from 'typebox';
import type { Context } from '../../usecases/context.js';
import type { Cost } from '../../usecases/shared/cost.js';
import { endpoint } from '../endpoint.js';
import type { Engine, First, FirstListing, FoundByText } from '../../usecases/search/find-by-text.js';
import {
  countMatches,
  type Found,
  type FoundBytes,
  type FoundHits,
  page as pageIn,
  searchHits,
  searchPage,
} from '../../engine/pages.js';
import type { ValidationIssue } from '../../platform/errors.js';
import { postFilter } from '../../engine/queries/facets.js';
import type { Place, Selection, Slice } from '../../engine/queries/selection.js';
import {
  type Addition,
  leavesItems,
  pageMembers,
  queryOf,
  requestOf,
  toItem,
} from '../../usecases/search/additions.js';
import type { Hit } from '../../engine/pages.js';
import { onlyFields, shownFields } from '../../usecases/search/fields.js';
import { highlighted } from '../../usecases/search/highlight.js';
import { pageFrame } from '../../usecases/shared/page.js';
import { type ListingBytes, withItems } from '../../engine/passthrough.js';
import { ATTRIBUTE_FACETS } from '../../schemas/facets.js';
import { changesWithTime } from '../../schemas/filters.js';
import { MAX_OFFSET } from '../../schemas/page.js';
import {
  FoundPageSchema,
  type InterpretedSchema,
  type SearchParameters,
  searchParameters,
} from '../../schemas/search.js';
import { type Asked, find, readSearch } from '../../usecases/search/asked-search.js';
import { cursorIssues, type Page as PagePlace, readCursor, walk } from '../../usecases/search/cursor.js';
import { whyNothing } from '../../usecases/search/empty.js';
import { explained } from '../../usecases/search/explain.js';
import { facetIssues, withFacets } from '../../usecases/search/facets.js';
import { checkSchema, filterIssues } from '../../usecases/shared/filters.js';
import { groupedByProduct } from '../../usecases/search/groups.js';
import { checkReach, oneMore } from '../../usecases/shared/product-groups.js';
import { interpreted, readsDiscount } from '../../usecases/search/interpreted.js';
import { checkOffset, costOfList } from '../../usecases/shared/paging.js';
import { slotsForSpelling, wordsOf } from '../../usecases/shared/text-cost.js';

export const search = endpoint({
  tag: 'Listings',
  summary: 'Search listings by text and filters',
  description:
    'With `q` the best match comes first (of a listing’s very name that listing, then other shops’ offers of it); ' +
    'without it what changed last. `total` is exact, and every offset up to ' +
    `${MAX_OFFSET} works.`,
  query: searchParameters,
  check: issuesOf,
  // Which sources words may name changes with the listings, as all that is kept.
  cached: (query) =>
    !changesWithTime(query) &&
    query.sort !== 'discount' &&
    query.cursor === undefined &&
    !readsDiscount(query),
  cost: ({ query }) => costOfSearch(query),
  responses: {
    200: { description: 'A page of listings', schema: FoundPageSchema },
    400: { description: 'Price limits that cross, or an offset past the last page' },
    410: { description: 'What the cursor goes through is no longer kept' },
  },
  async handle(context, { query: given }, { key }) {
    const { query, interpreted: words } = await interpreted(context, given);
    const { q = '', limit = 20, offset = 0, fields = [] } = query;
    const grouped = query.group === 'product';
    if (grouped) checkReach({ limit, offset });
    const step = query.cursor === undefined ? null : readCursor(context, given, query.cursor);
    const asked = readSearch(query, { rates: context.rates, now: step?.began ?? context.now() });
    checkOffset(offset);
    await checkSchema(context, asked.ofToday);
    const additions = additionsOf(context, query, { asked, words });
    const slice = grouped ? oneMore({ limit, offset }) : { limit, offset };
    const plan = { asked, additions, slice };
    const event = (results: number) => ({ ...(asked.text === '' ? {} : { query: q }), results });
    if (step === null && additions.every(leavesItems)) {
      const { found, members } = await readBytes(context, plan);
      const frame = { ...pageFrame({ total: found.total, items: found.listings.length }, slice), ...members };
      return { body: withItems(frame, found.listings, context.config), event: event(found.total) };
    }
    const { page, next } =
      step === null
        ? { page: await readHits(context, plan, { place: live(context) }), next: undefined }
        : await walk(context, { query: given, step, key }, (place) => readHits(context, plan, place));
    const { total, listings } = page.found;
    const hits = listings.slice(0, limit);
    const shown = { links: context.config, fields: shownFields(fields) };
    const body = JSON.stringify({
      ...pageFrame({ total, items: hits.length }, { limit, offset: step?.seen ?? offset }),
      ...(grouped && { has_more: listings.length > limit }),
      next_cursor: next,
      ...page.members,
      items: hits.map((hit) => toItem(hit, additions, shown)),
    });
    return { body: Buffer.from(body), event: event(total) };
  },
});

/** What is read, and with what beside it. */
interface Plan {
  asked: Asked;
  additions: readonly Addition[];
  slice: Slice;
}

/** The catalogue as it is now; what is asked for often is kept by the engine. */
const live = ({ products }: Context): Place => ({ index: products, request_cache: true });

/** A selection as it goes to the engine. */
const sent =
  ({ asked, additions }: Plan) =>
  (selection: Selection): Selection => ({
    ...selection,
    query: queryOf(additions, selection.query),
    ...postFilter(asked.own),
  });

/** A page of listings as the bytes that they are stored as. */
async function readBytes(context: Context, plan: Plan) {
  const { es, products } = context;
  const { asked, additions, slice } = plan;
  const [place, narrow, request] = [live(context), sent(plan), requestOf(additions)];
  const found = await find<ListingBytes, FoundBytes>(asked, {
    read: (selection) => searchPage(es, products, narrow(selection), slice, request),
    first: firstOf(slice.offset === 0, bytesOf, lookIn(es, place, narrow)),
    count: countIn(es, place),
  });
  return { found, members: await membersOf(es, place, additions, found) };
}

/** The same as hits, to which items add. */
async function readHits({ es }: Context, plan: Plan, { place, after }: PagePlace) {
  const { asked, additions, slice } = plan;
  const [narrow, request] = [sent(plan), requestOf(additions)];
  const from = { slice, request, ...(after === undefined ? {} : { after }) };
  const found = await find<Hit, FoundHits>(asked, {
    read: (selection) => searchHits(es, place, narrow(selection), from),
    first: firstOf(slice.offset === 0 && after === undefined, sourceOf, lookIn(es, place, narrow)),
    count: countIn(es, place),
  });
  return { found, members: await membersOf(es, place, additions, found, found.listings) };
}

const membersOf = async (
  es: Client,
  place: Place,
  additions: readonly Addition[],
  found: (FoundBytes | FoundHits) & FoundByText,
  hits?: readonly Hit[],
) => ({
  ...(found.matched && { matched: found.matched }),
  ...(await pageMembers(additions, {
    ...found,
    ...(hits && { hits }),
    count: (aggs) => countMatches(es, place, found.selection, aggs),
  })),
});

/** Listings whose texts are marked or scores told, and facets counted, for a place more: what is usual takes none. */
const A_PLACE = { highlighted: 25, explained: 25, facets: 10 };

/** Marking a listing, or explaining its score, takes as long again for each so many words of the text. */
const WORDS_OF_A_LISTING = 20;

/** The cost of reaching the page, of looking up spellings, and of what the parameters add. */
function costOfSearch(query: SearchParameters): Cost {
  const { q, limit = 20, offset = 0, highlight, explain, facets = [] } = query;
  const { pool, slots } = costOfList({ limit, offset });
  const attributes = facets.includes('attributes') ? ATTRIBUTE_FACETS.most : 0;
  const counted = Math.floor((facets.length + attributes) / A_PLACE.facets);
  const looked = limit * (1 + Math.floor(wordsOf(q) / WORDS_OF_A_LISTING));
  const marked = highlight === true ? Math.floor(looked / A_PLACE.highlighted) : 0;
  const told = explain === true ? Math.floor(looked / A_PLACE.explained) : 0;
  return { pool, slots: slots + slotsForSpelling(q) + counted + marked + told };
}

/** What parameters add to the request and to the answer; none: the listings go on as the bytes they are stored as. */
function additionsOf(
  context: Context,
  query: SearchParameters,
  { asked, words }: { asked: Asked; words: Static<typeof InterpretedSchema>[] | undefined },
): Addition[] {
  const { facets, own, kept, text, all } = asked;
  const pageFilters = own.map(({ clause }) => clause);
  const fields = shownFields(query.fields ?? []);
  const { facet_limit: limit = 20 } = query;
  return [
    ...(fields === null ? [] : [onlyFields(fields)]),
    ...(query.highlight === true ? [highlighted] : []),
    ...(query.group === 'product' ? [groupedByProduct(context, pageFilters)] : []),
    ...(facets.length === 0 ? [] : [withFacets(context, facets, { kept, own, filters: query, limit })]),
    ...(words === undefined ? [] : [{ page: () => ({ interpreted: words }) }]),
    ...(query.explain === true && text !== ''
      ? [
          explained(
            context,
            text,
            all.map(({ clause }) => clause),
          ),
        ]
      : []),
    whyNothing(context, asked),
  ];
}

/** What is wrong with parameters that are each right. */
function issuesOf(query: SearchParameters, context: Pick<Context, 'sealed'>): ValidationIssue[] {
  const { q = '', sort, facets = [], group, cursor, offset = 0 } = query;
  const wrong = (name: string, why: string) => [
    { loc: ['query', name], msg: `Value error, ${why}`, type: 'value_error' },
  ];
  return [
    ...filterIssues(query),
    ...facetIssues(facets),
    ...(sort === 'relevance' && q.trim() === '' ? wrong('sort', 'relevance needs q') : []),
    ...cursorIssues(context, cursor),
    ...(group !== undefined && cursor !== undefined ? wrong('group', 'goes with no cursor') : []),
    ...(offset > 0 && cursor !== undefined ? wrong('offset', 'a cursor tells where to go on') : []),
  ];
}

/** How the first listing of all is known: where the page begins with it, of the page. */
const firstOf = <T>(
  isFirst: boolean,
  ofPage: (found: Found<T>) => FirstListing | null,
  look: (selection: Selection) => Promise<FirstListing | null>,
): First<T> => (isFirst ? { ofPage } : { look });

const ONE = { limit: 1, offset: 0 };

const lookIn =
  (es: Client, place: Place, narrow: (selection: Selection) => Selection) => async (selection: Selection) =>
    bytesOf(await pageIn(es, place, narrow(selection), ONE));

const countIn =
  (es: Client, place: Place): Engine<unknown, unknown>['count'] =>
  (request) =>
    es.search({ ...place, ...request });

/** What tells whether a text is the name of the first listing of a page. */
const bytesOf = ({ listings: [bytes] }: Found<ListingBytes>): FirstListing | null =>
  bytes === undefined ? null : (JSON.parse(bytes.toString()) as FirstListing);

const sourceOf = ({ listings: [hit] }: Found<Hit>): FirstListing | null => hit?._source ?? null;

/** The same under another name, as the spec has it. */
export const listProducts = { ...search, summary: 'List listings; the same parameters and page as search' };
