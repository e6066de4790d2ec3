import type { Client, estypes } from '@elastic/elasticsearch';
import { totalOf } from '../../engine/deep-offset.js';
import { linkedOffers, type LinkedOffers, mayBeIdentifier } from '../../engine/queries/linked-offers.js';
import { parseQueryText, type QueryText, withSpelling } from '../../engine/queries/query-text.js';
import { wordQueries } from '../../engine/queries/query-words.js';
import {
  type ActingRules,
  actingRules,
  changesFoundListings,
  NO_ACTING_RULES,
  type RuleSet,
  withSynonyms,
} from '../../engine/queries/rules.js';
import {
  COUNTS,
  type MatchMode,
  type QueryClause,
  type SearchTarget,
  type Selection,
} from '../../engine/queries/selection.js';
import { BY_RELEVANCE } from '../../engine/queries/sorts.js';
import { correctedText } from '../../engine/queries/spelling.js';
import { textCounts, unknownWordsRequest } from '../../engine/queries/text-counts.js';
import { type TextClauses, textClauses, textSelection, withAllWords } from '../../engine/queries/search.js';
import { type FoundListings, type PageOptions, searchListings } from '../../engine/search-listings.js';
import { withoutKnownWords } from '../../engine/unknown-words.js';
import { isExactName, mayBeExactName } from '../../text/exact-name.js';

/** With `match=auto`, listings that lack some of the words are left out if at least this number of listings has all words. */
const ENOUGH = 20;

export interface TextSearch {
  /** The text to search for. If it is empty, all listings that pass the filters are found. */
  text: string;
  match: MatchMode | 'auto';
  /** The sort order; null for relevance, which needs a search text. */
  sort: estypes.Sort | null;
  filter: QueryClause[];
  /** Filters that are applied to the found listings only after facets and totals are counted. */
  postFilter?: { post_filter?: QueryClause };
  /**
   * Whether all found listings are counted. If not, `total` is exact up to one more than the page's last listing, which shows
   * whether there is a next page, and Elasticsearch skips listings that cannot be on the page.
   */
  isCounted: boolean;
  /** Whether the result states which set of listings it contains (`matched`), which may take a further request. */
  reportsMatch: boolean;
  /** Whether offers of other shops for the same product come first if the text is the exact name of a listing. */
  recognizesNames: boolean;
  /** Whether an identifier also finds the offers that are linked to its listings, unless `match` is `all`. */
  findsLinkedOffers: boolean;
  /** The published merchandising rules, and the time at which they are applied; absent: no rules act. */
  rules?: { published: RuleSet; now: Date };
  /** Whether the clauses of the query have names, so that Elasticsearch reports which of them each listing matched. */
  namesClauses: boolean;
  /** The schema version of the index that is searched. */
  schema: number;
  /** Whether the index has several shards, so that suggestions must be checked; absent: they are checked. */
  isSplit?: () => Promise<boolean>;
  target: SearchTarget;
  page: PageOptions;
}

/** The settings of a search by text that has no other parameters. */
export const TEXT_ALONE = {
  match: 'auto',
  sort: null,
  filter: [],
  isCounted: true,
  reportsMatch: false,
  recognizesNames: false,
  findsLinkedOffers: false,
  namesClauses: false,
} satisfies Partial<TextSearch>;

/** Describes the set of listings that a search result contains. */
interface MatchedSet {
  mode: MatchMode;
  /** The number of listings in the whole catalogue that have all the significant words of the text. */
  all_words: number;
  /** The kind of product, such as "laptop", to which the result is narrowed; null if it is not. */
  kind: string | null;
}

/** The listings that a text search found. */
export interface TextSearchResult extends FoundListings {
  /** The corrected text of the search, if a word was misspelt. */
  corrected?: string | undefined;
  matched?: MatchedSet;
  /** Whether the found listings have all words of the text or at least one. */
  mode: MatchMode;
  /** Whether no listing has all words of the text because one of the words is in no listing. */
  lacksWord?: boolean | undefined;
  /** Builds the query that finds the same listings without the filters of the request. */
  unfiltered: () => QueryClause;
  /** The merchandising rules that acted. */
  rules: ActingRules;
}

/**
 * Finds listings by text. Sorted by relevance, this takes one search if enough listings have all words, and a second one for
 * those with some of the words. In other orders, the best match need not come first, so the listings are counted before. If no
 * listing has all words, a further search finds out which words no listing has and how they are spelt.
 */
export async function findByText(es: Client, search: TextSearch): Promise<TextSearchResult> {
  const { text, sort, match, filter, findsLinkedOffers, schema } = search;
  const typed = withText(
    { ...search, es, linked: null, acting: NO_ACTING_RULES },
    parseQueryText(text, schema),
  );
  if (text === '') {
    const found = await readSelection(typed, { query: { bool: { filter } }, sort: sort ?? BY_RELEVANCE });
    return { ...found, mode: 'all', unfiltered: () => ({ match_all: {} }), rules: NO_ACTING_RULES };
  }
  const linked = match !== 'all' && findsLinkedOffers ? await findLinkedOffers(typed) : null;
  const find = sort !== null && match === 'auto' ? findByKind : findByWords;
  return find({ ...typed, linked });
}

/** A search whose text was read as typed, or without its unknown words and with corrected spelling. */
interface ParsedSearch extends TextSearch {
  es: Client;
  queryText: QueryText;
  clauses: TextClauses;
  linked: LinkedOffers | null;
  acting: ActingRules;
  /** If no listing has all words: the suggestions for unknown words, and the corrected text outside of quotes. */
  suggest?: FoundListings['suggest'];
  corrected?: string | undefined;
  lacksWord?: boolean | undefined;
}

/**
 * Reads a query text: the merchandising rules for it, and its clauses, which all pages of the search share. Rules for the text as
 * typed stay if there are none for the corrected one.
 */
function withText(search: Omit<ParsedSearch, 'queryText' | 'clauses'>, queryText: QueryText): ParsedSearch {
  const { rules, sort, namesClauses } = search;
  const found =
    rules === undefined
      ? NO_ACTING_RULES
      : actingRules(rules.published, queryText.plain, { now: rules.now, byRelevance: sort === null });
  const acting = found === NO_ACTING_RULES ? search.acting : found;
  const read = found === NO_ACTING_RULES ? queryText : withSynonyms(queryText, found);
  return { ...search, acting, queryText: read, clauses: textClauses(read, namesClauses) };
}

/** Returns the linked offers of the listings that the text identifies, regardless of filters; null if there are none. */
async function findLinkedOffers({ es, text, target, queryText }: ParsedSearch): Promise<LinkedOffers | null> {
  if (!mayBeIdentifier(text) || queryText.phrases.length > 0) return null;
  const { request, read } = linkedOffers(text);
  return read((await es.search({ ...target, ...request })).aggregations);
}

/** Reads the text again if no listing has all of its words: without unknown words, and with corrected spelling. */
async function readAgain(search: ParsedSearch): Promise<ParsedSearch> {
  const { es, target, queryText, isSplit, match } = search;
  const { request, read } = unknownWordsRequest(queryText);
  const answer = await es.search({ ...target, ...request });
  const suggest = await withoutKnownWords(es, target, answer.suggest, isSplit);
  const corrected = correctedText(queryText.plain, suggest) ?? undefined;
  const missing = read(answer.aggregations);
  const meant = corrected === undefined ? queryText : withSpelling(queryText, corrected);
  const left = wordQueries(meant.text).filter((word) => missing.includes(word));
  const unknown = match === 'all' ? [] : left;
  return withText({ ...search, suggest, corrected, lacksWord: left.length > 0 }, { ...meant, unknown });
}

/** The listing whose exact name is the text of a search. */
interface NamedListing {
  id: number;
  source: string;
  name: string;
}

/** The set of listings that a search lists: those with all words or any, and of which kind of product. */
interface ListedSet {
  mode: MatchMode;
  named?: NamedListing | null;
  /** Clauses that listings must match: those for the kind of product that the text names. */
  ofKind?: QueryClause[];
}

/**
 * Finds the listings of the kind of product that the text names: those with all words of the text, otherwise those with
 * the most words. Filters do not affect which of these sets is listed.
 */
async function findByKind(typed: ParsedSearch): Promise<TextSearchResult> {
  const count = async ({ es, target, queryText }: ParsedSearch) => {
    const { request, read } = textCounts(queryText);
    return read((await es.search({ ...target, ...request })).aggregations);
  };
  const counted = await count(typed);
  const search = counted.all > 0 ? typed : await readAgain(typed);
  const isSame = search.corrected === undefined && search.queryText.unknown.length === 0;
  const { mode, all, kind, filter } = isSame ? counted : await count(search);
  const set = { mode, ofKind: filter };
  const matched = { mode, all_words: all, kind: kind?.kind ?? null };
  return toResult(search, set, await readPage(search, set), matched);
}

/**
 * Finds the listings with all words of the text, or with at least one, as the parameter `match` demands. With
 * `match=auto`, finds those with all words if there are enough of them.
 */
async function findByWords(typed: ParsedSearch): Promise<TextSearchResult> {
  const { match, text } = typed;
  const mayBeName = typed.recognizesNames && mayBeExactName(text);
  // The text may be the name of the first listing. If the page does not start with it, it is read separately.
  const isFirst = startsAtFirst(typed);
  const named = mayBeName && !isFirst ? await readNamed(typed) : null;
  let set: ListedSet = { mode: match === 'any' ? 'any' : 'all', named };
  let search = typed;
  let found = await readPage(search, set);
  let all = await countWithAll(search, set, found);
  if (all === 0) {
    search = await readAgain(typed);
    if (search.corrected !== undefined || leavesOutWords(search.queryText)) {
      found = await readPage(search, set);
      all = await countWithAll(search, set, found);
    }
  }
  if (match === 'auto' && all < ENOUGH) {
    set = { ...set, mode: 'any' };
    found = await readPage(search, set);
  }
  if (mayBeName && isFirst && search.corrected === undefined) {
    set = { ...set, named: namedListing(found.hits[0]?._source, text) };
    if (set.named !== null) found = await readPage(search, set);
  }
  return toResult(search, set, found, { mode: set.mode, all_words: all, kind: null });
}

/** Whether unknown words are left out of the search. They stay if no word of the text is known, because none would be left. */
function leavesOutWords({ text, unknown }: QueryText): boolean {
  const words = wordQueries(text);
  return unknown.length > 0 && (words.length === 0 || words.some((word) => !unknown.includes(word)));
}

/** Whether the first listing of a page is the most relevant one. Pins and boosts may put another one first. */
const startsAtFirst = ({ page, acting }: ParsedSearch): boolean =>
  page.slice.offset === 0 && page.after === undefined && acting.pins.length + acting.boosts.length === 0;

/**
 * The number of listings in the catalogue that have all words of the text. They are not counted by a request if this number is
 * not reported and the page already shows that there are enough.
 */
async function countWithAll(
  { es, target, match, isCounted, reportsMatch, linked, acting, queryText, ...search }: ParsedSearch,
  { mode }: ListedSet,
  found: FoundListings,
): Promise<number> {
  // With linked or pinned listings, the page contains others as well. With filters, it lacks some of the listings.
  const isWhole =
    !isFiltered(search) && linked === null && !changesFoundListings(acting) && (isCounted || !reportsMatch);
  const counted = found.aggregations?.['all_words'] as estypes.AggregationsFilterAggregate | undefined;
  if (isWhole && counted !== undefined) return counted.doc_count;
  if (isWhole && mode === 'all') return found.total;
  const isEnough = linked === null && found.total - acting.pins.length >= ENOUGH;
  if (match === 'auto' && isEnough && !reportsMatch) return found.total;
  const query = withAllWords(queryText);
  return totalOf(await es.search({ ...target, ...COUNTS, track_total_hits: true, query }));
}

const isFiltered = ({ filter, postFilter }: Pick<TextSearch, 'filter' | 'postFilter'>): boolean =>
  filter.length > 0 || postFilter?.post_filter !== undefined;

function toResult(
  search: ParsedSearch,
  set: ListedSet,
  found: FoundListings,
  matched: MatchedSet,
): TextSearchResult {
  const { acting, suggest, corrected, lacksWord, reportsMatch } = search;
  return {
    ...found,
    suggest,
    corrected,
    lacksWord,
    mode: set.mode,
    unfiltered: () => selectionOf({ ...search, filter: [] }, set).query,
    rules: acting,
    ...(reportsMatch && { matched }),
  };
}

function readPage(search: ParsedSearch, set: ListedSet): Promise<FoundListings> {
  const { match, reportsMatch, isCounted, queryText } = search;
  const selection = selectionOf(search, set);
  const counts = match === 'any' && reportsMatch && !isFiltered(search) && isCounted;
  if (!counts) return readSelection(search, selection);
  return readSelection(search, { ...selection, aggs: { all_words: { filter: withAllWords(queryText) } } });
}

/** Reads the listing of which the text is the exact name; null if the first listing found has another name. */
async function readNamed(search: ParsedSearch): Promise<NamedListing | null> {
  const acting = { ...search.acting, pins: [], boosts: [] };
  const page = { slice: { limit: 1, offset: 0 } };
  const { hits } = await readPage({ ...search, acting, page }, { mode: 'all' });
  return namedListing(hits[0]?._source, search.text);
}

const namedListing = (listing: NamedListing | undefined, text: string): NamedListing | null =>
  listing !== undefined && isExactName(listing, text) ? listing : null;

function readSelection(
  { es, target, page, postFilter, isCounted, acting }: ParsedSearch,
  selection: Selection,
): Promise<FoundListings> {
  const { limit, offset } = page.slice;
  // For `match=auto`, enough listings must be counted, in addition to the pinned ones.
  const track_total_hits = Math.max(offset + limit + 1, ENOUGH + acting.pins.length);
  const request = { ...page.request, ...(!isCounted && { track_total_hits }) };
  return searchListings(es, target, { ...selection, ...postFilter }, { ...page, request });
}

const selectionOf = (
  { queryText, clauses, sort, linked, acting: rules, filter }: ParsedSearch,
  { mode, named = null, ofKind = [] }: ListedSet,
): Selection =>
  textSelection(queryText, {
    filter: [...filter, ...ofKind],
    match: mode,
    linked,
    clauses,
    named,
    rules,
    ...(sort && { sort }),
  });
