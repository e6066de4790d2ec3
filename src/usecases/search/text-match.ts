import type { Client, estypes } from '@elastic/elasticsearch';
import { withClauseNames } from '../../engine/queries/explain.js';
import type {
  MatchMode,
  PhasedSelection,
  SearchTarget,
  Selection,
  QueryClause,
} from '../../engine/queries/selection.js';
import { correctedText } from '../../engine/queries/spelling.js';
import { parseQueryText, type QueryText } from '../../engine/queries/query-text.js';
import { wordQueries } from '../../engine/queries/query-words.js';
import { BY_RELEVANCE } from '../../engine/queries/sorts.js';
import {
  type ActingRules,
  actingRules,
  changesFoundListings,
  NO_ACTING_RULES,
  type RuleSet,
  withAlternatives,
} from '../../engine/queries/rules.js';
import { textCounts, wordCounts } from '../../engine/queries/text-counts.js';
import {
  AS_TYPED,
  type Meaning,
  suggestionFor,
  textSelections,
  withAllWords,
} from '../../engine/queries/text-selections.js';
import { linkedOffers, type LinkedOffers, mayBeIdentifier } from '../../engine/queries/linked-offers.js';
import { withoutKnownWords } from '../../engine/unknown-words.js';
import { isPhased, searchInPhases } from '../../engine/phased-search.js';
import { type FoundListings, type PageOptions, searchListings } from '../../engine/search-listings.js';
import { isExactName, mayBeExactName } from '../../matching/requested/requested-product.js';

/**
 * With `match=auto`, listings that lack some of the words are left out if at least this number of listings
 * has all words.
 */
const ENOUGH = 20;

export interface TextSearch {
  /** The text to search for. If it is empty, all listings that pass the filters are found. */
  text: string;
  match: MatchMode | 'auto';
  /** The sort order; null for relevance, which needs a search text. */
  sort: estypes.Sort | null;
  filter: QueryClause[];
  /** Whether the request has any filter, also one of those in `postFilter`. */
  isFiltered: boolean;
  /** Filters that are applied to the found listings only after facets and totals are counted. */
  postFilter?: { post_filter?: QueryClause };
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
  isFiltered: false,
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
  corrected?: string;
  matched?: MatchedSet;
  /** Whether the found listings have all words of the text or at least one. */
  mode: MatchMode;
  /** With `match=all`: whether no listing has all words because no listing has one of them. */
  lacksWord?: boolean | undefined;
  /** Builds the query that finds the same listings without the filters of the request. */
  unfiltered: () => QueryClause;
  /** The merchandising rules that acted. */
  rules: ActingRules;
}

/**
 * Finds listings by text. Sorted by relevance, this takes one request; a second one if a word is misspelt or
 * the text is the name of the first listing; and up to three more if few listings have all the words. In other orders, the best
 * match need not come first, so the listings are counted before: this takes one request, a second one if words are misspelt, and a third
 * one if no listing has some of the words.
 */
export async function findByText(es: Client, search: TextSearch): Promise<TextSearchResult> {
  const { text, sort, match, filter, findsLinkedOffers, schema } = search;
  const queryText = parseQueryText(text, schema);
  const parsed = withRules(
    { ...search, es, queryText, linked: null, acting: NO_ACTING_RULES },
    queryText.plain,
  );
  if (text === '') {
    const found = await readSelection(parsed, { query: { bool: { filter } }, sort: sort ?? BY_RELEVANCE });
    return { ...found, mode: 'all', unfiltered: () => ({ match_all: {} }), rules: NO_ACTING_RULES };
  }
  const linked = match !== 'all' && findsLinkedOffers ? await findLinkedOffers(parsed) : null;
  const find = sort !== null && match === 'auto' ? findByKind : findByWords;
  return find({ ...parsed, linked });
}

interface ParsedSearch extends TextSearch {
  es: Client;
  queryText: QueryText;
  linked: LinkedOffers | null;
  acting: ActingRules;
}

/**
 * Applies the merchandising rules for a text, which is the query text outside of quotes or its corrected spelling.
 * Those for the text as typed stay if there are none for the corrected one.
 */
function withRules(search: ParsedSearch, text: string): ParsedSearch {
  const { rules, sort, queryText } = search;
  if (rules === undefined) return search;
  const acting = actingRules(rules.published, text, { now: rules.now, byRelevance: sort === null });
  return acting === NO_ACTING_RULES
    ? search
    : { ...search, acting, queryText: withAlternatives(queryText, acting) };
}

/** How the text of a search is understood, which determines the listings that it finds. */
interface Understanding {
  mode: MatchMode;
  meaning: Meaning;
  /** The listing whose exact name is the text of the search. */
  named: NamedListing | null;
  /** Clauses that listings must match: those for the kind of product that the text names. */
  ofKind?: QueryClause[];
}

interface NamedListing {
  id: number;
  source: string;
  name: string;
}

/** A page of found listings, and how the text of the search was understood. */
interface FoundPage extends Understanding {
  found: FoundListings;
  matched?: MatchedSet;
  /** With `match=all`: whether no listing has all words because no listing has one of them. */
  lacksWord?: boolean;
}

/** Returns the linked offers of the listings that the text identifies, regardless of filters; null if there are none. */
async function findLinkedOffers({ es, text, target, queryText }: ParsedSearch): Promise<LinkedOffers | null> {
  if (!mayBeIdentifier(text) || queryText.phrases.length > 0) return null;
  const { request, read } = linkedOffers(text);
  return read((await es.search({ ...target, ...request })).aggregations);
}

/**
 * Finds the listings of the kind of product that the text names: those with all words of the text, otherwise those with
 * the most words. Filters do not affect which of these sets is listed.
 */
async function findByKind(search: ParsedSearch): Promise<TextSearchResult> {
  const typed = await countText(search, AS_TYPED, { kinds: true });
  const suggest = await checkedSuggestions(search, typed.suggest);
  const corrected = correctedText(search.queryText.plain, suggest);
  const meant = corrected === null ? search : withRules(search, corrected);
  const { meaning, counts } =
    corrected === null ? typed : await countText(meant, { corrected, unknown: [] }, { kinds: true });
  const { mode, all, kind, filter } = counts;
  const understood = { mode, meaning, named: null, ofKind: filter };
  const found = await readPage(meant, understood);
  const matched = { mode, all_words: all, kind: kind?.kind ?? null };
  return toResult(meant, { ...understood, found, matched }, suggest);
}

const checkedSuggestions = (
  { es, target, isSplit }: ParsedSearch,
  suggest: FoundListings['suggest'],
): Promise<FoundListings['suggest']> => withoutKnownWords(es, target, suggest, isSplit);

/**
 * Finds the listings with all words of the text, or with at least one, as the parameter `match` demands. With
 * `match=auto`, finds those with all words if there are enough of them.
 */
async function findByWords(search: ParsedSearch): Promise<TextSearchResult> {
  const { text, match, page, queryText, acting } = search;
  const mayBeName = search.recognizesNames && mayBeExactName(text);
  // Pins and boosts may put another listing first.
  const startsAtFirst =
    page.slice.offset === 0 && page.after === undefined && acting.pins.length + acting.boosts.length === 0;

  // The text may be the name of the first listing. If the page does not start with it, it is read separately.
  const named = mayBeName && !startsAtFirst ? await readNamed(search) : null;
  const typed: Understanding = { mode: match === 'any' ? 'any' : 'all', meaning: AS_TYPED, named };
  const first = await readCounted(search, typed, named === null ? suggestionFor(queryText.correctable) : {});
  const suggest = await checkedSuggestions(search, first.found.suggest);
  const corrected = named === null ? correctedText(queryText.plain, suggest) : null;
  const meant = corrected === null ? search : withRules(search, corrected);
  const read =
    corrected === null ? first : await readCounted(meant, { ...typed, meaning: { corrected, unknown: [] } });
  const chosen = await chooseSet(meant, read);
  if (!mayBeName || !startsAtFirst || corrected !== null) return toResult(meant, chosen, suggest);
  const understood = { ...chosen, named: namedListing(chosen.found.hits[0]?._source, text) };
  if (understood.named === null) return toResult(search, chosen, suggest);
  return toResult(search, { ...understood, found: await readPage(search, understood) }, suggest);
}

async function readCounted(
  search: ParsedSearch,
  understood: Understanding,
  suggestion: Pick<Selection, 'suggest'> = {},
): Promise<FoundPage> {
  const { queryText, linked, acting } = search;
  const { meaning } = understood;
  // The listings with all words are counted separately if the page also contains others: linked offers, pinned
  // listings, or those with some of the words.
  const isSeparate =
    linked !== null ||
    (understood.mode === 'all' ? changesFoundListings(acting) : search.reportsMatch && !search.isFiltered);
  const allWords = { filter: { bool: { filter: withAllWords(queryText, meaning) } } };
  const more = { ...suggestion, ...(isSeparate && { aggs: { all_words: allWords } }) };
  return { ...understood, found: await readPage(search, understood, more) };
}

/**
 * Decides, by the number of listings with all words of the text, which listings the search finds. If these
 * are others than those on the page, the page is read again.
 */
async function chooseSet(search: ParsedSearch, read: FoundPage): Promise<FoundPage> {
  const { match, reportsMatch, acting } = search;
  // Rules never change which set is listed, so their effect on the number of listings counts as a filter's.
  const isFiltered = search.isFiltered || changesFoundListings(acting);
  const { mode, named, found } = read;
  type FilterAggregate = estypes.AggregationsFilterAggregate | undefined;
  const counted = found.aggregations?.['all_words'] as FilterAggregate;
  const withAll = counted?.doc_count ?? found.total;
  const tooFew = mode === 'all' && withAll < (match === 'auto' ? ENOUGH : 1);
  if (match === 'auto' && tooFew && !isFiltered && !reportsMatch) return withFewerWords(search, read);
  if (!tooFew && !reportsMatch) return read;
  // The request for a page without filters has counted the listings with all words. If there are any, each
  // word occurs in the catalogue, so the words need not be counted.
  const isCounted = (mode === 'all' || counted !== undefined) && !isFiltered && withAll > 0;
  const whole = isCounted ? null : await countText(search, read.meaning, { kinds: false });
  const all = whole?.counts.all ?? withAll;
  const isOtherSet = match === 'auto' && all < ENOUGH;
  const meaning = whole?.meaning ?? read.meaning;
  const understood = { mode: isOtherSet ? ('any' as const) : mode, meaning, named };
  const isReadAgain = isOtherSet || (tooFew && meaning.unknown.length > 0);
  return {
    ...understood,
    found: isReadAgain ? await readPage(search, understood) : found,
    matched: { mode: understood.mode, all_words: all, kind: null },
    lacksWord: match === 'all' && whole?.lacksWord === true,
  };
}

/**
 * Finds the listings that have all words that any listing has, if there are enough of them; otherwise the
 * listings with any of the words.
 */
async function withFewerWords(
  search: ParsedSearch,
  { meaning, named, found }: FoundPage,
): Promise<FoundPage> {
  // If no listing has all words, there may be a word that no listing has, so the words are counted.
  const words = found.total === 0 ? wordCounts(search.queryText, meaning) : null;
  const any = { mode: 'any' as const, meaning, named };
  const withAny = await readPage(search, any, words === null ? {} : { aggs: words.aggs });
  const unknown = words?.unknown(withAny.aggregations) ?? [];
  if (unknown.length === 0 || withAny.total === 0) return { ...any, found: withAny };
  const known = await readCounted(search, { mode: 'all', meaning: { ...meaning, unknown }, named });
  return known.found.total >= ENOUGH ? known : { ...any, found: withAny };
}

function toResult(
  search: ParsedSearch,
  { found, matched, lacksWord, ...understood }: FoundPage,
  suggest: FoundListings['suggest'],
): TextSearchResult {
  const { corrected } = understood.meaning;
  return {
    ...found,
    suggest,
    ...(corrected !== null && { corrected }),
    mode: understood.mode,
    lacksWord,
    unfiltered: () => selectionOf(search, understood, []).query,
    rules: search.acting,
    ...(search.reportsMatch && matched && { matched }),
  };
}

const readPage = (
  search: ParsedSearch,
  understood: Understanding,
  more: Partial<Selection> = {},
): Promise<FoundListings> => readSelection(search, { ...selectionOf(search, understood), ...more });

/** Reads the listing of which the text is the exact name; null if the first listing found has another name. */
async function readNamed({ text, ...search }: ParsedSearch): Promise<NamedListing | null> {
  const rules = { ...search.acting, pins: [], boosts: [] };
  const { typed } = textSelections(text, { filter: search.filter, rules }, search.queryText);
  const page = { slice: { limit: 1, offset: 0 } };
  const { hits } = await readSelection({ ...search, text, page }, typed);
  return namedListing(hits[0]?._source, text);
}

const namedListing = (listing: NamedListing | undefined, text: string): NamedListing | null =>
  listing !== undefined && isExactName(listing, text) ? listing : null;

const readSelection = (
  { es, target, page, namesClauses, postFilter }: ParsedSearch,
  selection: Selection | PhasedSelection,
): Promise<FoundListings> => {
  const filtered = { ...(namesClauses ? withNamedClauses(selection) : selection), ...postFilter };
  return isPhased(filtered)
    ? searchInPhases(es, target, filtered, page)
    : searchListings(es, target, filtered, page);
};

/** The same selection, whose scoring clauses have names. */
function withNamedClauses(selection: Selection | PhasedSelection): Selection | PhasedSelection {
  const named = { ...selection, query: withClauseNames(selection.query) };
  if (!isPhased(named)) return named;
  return { ...named, phases: { ...named.phases, full: withClauseNames(named.phases.full) } };
}

function selectionOf(
  { text, queryText, sort, linked, acting, ...search }: ParsedSearch,
  { mode, meaning: { corrected, unknown }, named, ofKind = [] }: Understanding,
  filters = search.filter,
): Selection | PhasedSelection {
  const filter = [...filters, ...ofKind];
  const options = {
    filter,
    match: mode,
    linked,
    unknown,
    rules: acting,
    namesWords: search.namesClauses,
    ...(sort && { sort }),
  };
  const selections = textSelections(text, options, queryText);
  if (corrected !== null) return selections.corrected(corrected);
  return named === null ? selections.typed : selections.named(named);
}

/**
 * Counts the listings of the catalogue that match a text. If no listing has some of its words, counts without these words,
 * unless `match` is `all`.
 */
async function countText(
  { es, target, queryText, match }: ParsedSearch,
  meaning: Meaning,
  { kinds }: { kinds: boolean },
) {
  const count = async (meant: Meaning) => {
    const { request, read } = textCounts(queryText, meant, { kinds });
    const { aggregations, suggest } = await es.search({ ...target, ...request });
    return { suggest, meaning: meant, counts: read(aggregations), lacksWord: false };
  };
  const counted = await count(meaning);
  if (counted.counts.all > 0 || meaning.unknown.length > 0) return counted;
  // If no listing has all words, there may be a word that no listing has, so the words are counted.
  const words = wordCounts(queryText, meaning);
  if (words === null) return { ...counted, lacksWord: wordQueries(queryText.text).length === 1 };
  const unknown = words.unknown((await es.search({ ...target, ...words.request })).aggregations);
  if (match === 'all') return { ...counted, lacksWord: unknown.length > 0 };
  if (unknown.length === 0 || unknown.length === words.size) return counted;
  return { ...(await count({ ...meaning, unknown })), suggest: counted.suggest };
}
