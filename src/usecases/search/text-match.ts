import type { Client, estypes } from '@elastic/elasticsearch';
import { withClauseNames } from '../../engine/queries/explain.js';
import type { SearchTarget, Selection, QueryClause } from '../../engine/queries/selection.js';
import { correctedText } from '../../engine/queries/spelling.js';
import { parseQueryText, type QueryText } from '../../engine/queries/query-text.js';
import { BY_RELEVANCE } from '../../engine/queries/sorts.js';
import { kindCount, textCounts, wordCounts } from '../../engine/queries/text-counts.js';
import {
  AS_TYPED,
  type MatchMode,
  type Meaning,
  suggestionFor,
  type TextFilter,
  textSelections,
  withAllWords,
} from '../../engine/queries/text-selections.js';
import { linkedOffers, type LinkedOffers, mayBeIdentifier } from '../../engine/queries/linked-offers.js';
import { type FoundListings, type PageOptions, searchListings } from '../../engine/search-listings.js';
import { isExactName, mayBeExactName } from '../../matching/requested/requested-product.js';

/** If this many listings have all words of the text, `match=auto` leaves out listings that lack some of them. */
const ENOUGH = 20;

export interface TextSearch {
  /** The search text. Empty to find all listings that pass the filters. */
  text: string;
  match: MatchMode | 'auto';
  /** The sort order; null for relevance, which needs a search text. */
  sort: estypes.Sort | null;
  filter: QueryClause[];
  /** Whether the request has any filter, including those in `postFilter`. */
  isFiltered: boolean;
  /** Filters that are applied to the found listings only after facets and totals are counted. */
  postFilter?: { post_filter?: QueryClause };
  /** Whether the result states which set of listings it contains (`matched`), which may take a further request. */
  reportsMatch: boolean;
  /** Whether offers of other shops for the same product come first if the text is the exact name of a listing. */
  recognizesNames: boolean;
  /** Whether an identifier also finds the offers that are linked to its listings, provided that `match` is `auto`. */
  findsLinkedOffers: boolean;
  /** Whether the clauses of the query have names, so that Elasticsearch reports which of them each listing matched. */
  namesClauses: boolean;
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
  /** The corrected search text, if a word was misspelt. */
  corrected?: string;
  matched?: MatchedSet;
  /** Whether the found listings have all words of the text or at least one. */
  mode: MatchMode;
  /** The query that finds the same listings without the filters of the request. */
  unfiltered: QueryClause;
}

/**
 * Finds listings by text. Sorted by relevance, this takes one request; a second one if a word is misspelt or
 * the text is the name of the first listing; and up to three more if few listings have all the words, or
 * none of them is of the kind that the words name. In other orders, the best match need not come first, so
 * the listings are counted before: this takes one request, a second one if words are misspelt, and a third
 * one if no listing has some of the words.
 */
export async function findByText(es: Client, search: TextSearch): Promise<TextSearchResult> {
  const { text, sort, match, filter } = search;
  if (text === '') {
    const found = await readPage(es, search, { query: { bool: { filter } }, sort: sort ?? BY_RELEVANCE });
    return { ...found, mode: 'all', unfiltered: { match_all: {} } };
  }
  const linked = match === 'auto' && search.findsLinkedOffers ? await findLinkedOffers(es, search) : null;
  return sort !== null && match === 'auto'
    ? findByKind(es, search, sort, linked)
    : findByWords(es, search, linked);
}

/**
 * Returns the linked offers of the listings that the text identifies, regardless of filters; null if there are none.
 */
async function findLinkedOffers(es: Client, { text, target }: TextSearch): Promise<LinkedOffers | null> {
  if (!mayBeIdentifier(text) || parseQueryText(text).phrases.length > 0) return null;
  const { request, read } = linkedOffers(text);
  return read((await es.search({ ...target, ...request })).aggregations);
}

/**
 * Finds the listings of the kind of product that the text names: those with all words of the text, otherwise those with
 * the most words. Filters do not affect which of these sets is listed.
 */
async function findByKind(
  es: Client,
  search: TextSearch,
  sort: estypes.Sort,
  linked: LinkedOffers | null,
): Promise<TextSearchResult> {
  const queryText = parseQueryText(search.text);
  const typed = await countText(es, search.target, queryText, AS_TYPED, { kinds: true });
  const corrected = correctedText(queryText.plain, typed.suggest);
  const { meaning, counts } =
    corrected === null
      ? typed
      : await countText(es, search.target, queryText, { corrected, unknown: [] }, { kinds: true });
  const { mode } = counts;
  const select = (filters: QueryClause[]) =>
    selectionOf(search.text, queryText, meaning, {
      filter: [...filters, ...counts.filter],
      match: mode,
      sort,
      linked,
    });
  const found = await readPage(es, search, select(search.filter));
  return {
    ...found,
    suggest: found.suggest ?? typed.suggest,
    ...(corrected !== null && { corrected }),
    mode,
    unfiltered: select([]).query,
    ...(search.reportsMatch && { matched: { mode, all_words: counts.all, kind: counts.kind } }),
  };
}

/**
 * Finds the listings with all words of the text, or with at least one, as `match` demands. With `match=auto`, finds
 * those with all words if there are enough.
 */
async function findByWords(
  es: Client,
  search: TextSearch,
  linked: LinkedOffers | null,
): Promise<TextSearchResult> {
  const { text, filter, isFiltered, match, sort, reportsMatch, target } = search;
  const queryText = parseQueryText(text);
  let mode: MatchMode = match === 'any' ? 'any' : 'all';
  let meaning = AS_TYPED;

  // The text may be the name of the first listing found. If the page does not start with that listing,
  // it is read separately.
  const mayNameListing = search.recognizesNames && mayBeExactName(text);
  const startsAtFirst = search.page.slice.offset === 0 && search.page.after === undefined;
  let named: NamedListing | null = null;
  if (mayNameListing && !startsAtFirst) {
    const first = await readFirst(es, search, textSelections(text, { filter }, queryText).typed);
    named = namedListing(first, text);
  }
  const select = (filters = filter) =>
    selectionOf(text, queryText, meaning, { filter: filters, match: mode, sort, linked }, named);

  // Reads the page. The same request counts the listings of the kind of product that the words name, and
  // asks for spelling suggestions for unknown words.
  const countKind = () => (match === 'auto' ? kindCount(queryText, meaning) : null);
  let kind = countKind();
  const withCounts = (selection: Selection): Selection => {
    const aggs = { ...kind?.aggs, ...(linked && allWordsCount(queryText, meaning)) };
    return Object.keys(aggs).length === 0 ? selection : { ...selection, aggs };
  };
  const suggestion = named === null ? suggestionFor(queryText.plain) : {};
  let found = await readPage(es, search, withCounts({ ...select(), ...suggestion }));
  const { suggest } = found;
  const corrected = named === null ? correctedText(queryText.plain, suggest) : null;
  if (corrected !== null) {
    meaning = { corrected, unknown: [] };
    kind = countKind();
    found = await readPage(es, search, withCounts(select()));
  }

  // Listings with all words may be of another kind: phones that come with a charger have all words of
  // "phone charger", but are not chargers.
  const isOtherKind = kind !== null && kind.read(found.aggregations) === 0;
  const withAll = linked === null ? found.total : readAllWordsCount(found);
  const tooFew = mode === 'all' && withAll < (match === 'auto' ? ENOUGH : 1);
  let matched: MatchedSet | undefined;
  if (match === 'auto' && tooFew && !isFiltered && !reportsMatch) {
    // Without filters, the request for the page has already counted the listings with all words. If there
    // are none, one of the words may be unknown, so the words are counted.
    const words = found.total === 0 ? wordCounts(queryText, meaning) : null;
    mode = 'any';
    found = await readPage(es, search, { ...select(), ...(words && { aggs: words.aggs }) });
    const unknown = words?.unknown(found.aggregations) ?? [];
    if (unknown.length > 0) {
      meaning = { ...meaning, unknown };
      mode = 'all';
      const known = await readPage(es, search, withCounts(select()));
      const hasKind = async () =>
        kind === null ||
        kind.read(known.aggregations) > 0 ||
        (await countText(es, target, queryText, meaning, { kinds: true })).counts.mode === 'all';
      if (known.total >= ENOUGH && (await hasKind())) found = known;
      else mode = 'any';
    }
  } else if (tooFew || isOtherKind || reportsMatch) {
    // If the page was read without filters, its total is the number of listings with all words. If it is
    // above 0, no word is unknown.
    const isCounted = mode === 'all' && !isFiltered && !(isOtherKind && !tooFew) && withAll > 0;
    const whole = isCounted
      ? null
      : await countText(es, target, queryText, meaning, { kinds: kind !== null });
    const all = whole?.counts.all ?? withAll;
    meaning = whole?.meaning ?? meaning;
    if (match === 'auto' && (all < ENOUGH || whole?.counts.mode === 'any')) mode = 'any';
    matched = { mode, all_words: all, kind: null };
    const isOtherSet = match === 'auto' && mode === 'any';
    if (isOtherSet || (tooFew && meaning.unknown.length > 0)) found = await readPage(es, search, select());
  }

  if (mayNameListing && startsAtFirst && corrected === null) {
    named = namedListing(found.hits[0]?._source, text);
    if (named !== null) found = await readPage(es, search, select());
  }
  return {
    ...found,
    suggest: found.suggest ?? suggest,
    ...(corrected !== null && { corrected }),
    mode,
    unfiltered: select([]).query,
    ...(reportsMatch && matched && { matched }),
  };
}

/** Linked offers, which are found as well, need not have all words of the text. */
const allWordsCount = (queryText: QueryText, meaning: Meaning) => ({
  all_words: { filter: { bool: { filter: withAllWords(queryText, meaning) } } },
});

const readAllWordsCount = ({ aggregations, total }: FoundListings): number =>
  (aggregations?.['all_words'] as estypes.AggregationsFilterAggregate | undefined)?.doc_count ?? total;

const readPage = (es: Client, search: TextSearch, selection: Selection): Promise<FoundListings> =>
  searchListings(es, search.target, withOptions(search, selection), search.page);

async function readFirst(es: Client, search: TextSearch, selection: Selection) {
  const page = { slice: { limit: 1, offset: 0 } };
  const { hits } = await searchListings(es, search.target, withOptions(search, selection), page);
  return hits[0]?._source;
}

const withOptions = ({ namesClauses, postFilter }: TextSearch, selection: Selection): Selection => ({
  ...selection,
  query: namesClauses ? withClauseNames(selection.query) : selection.query,
  ...postFilter,
});

interface NamedListing {
  id: number;
  source: string;
  name: string;
}

const namedListing = (listing: NamedListing | undefined, text: string): NamedListing | null =>
  listing !== undefined && isExactName(listing, text) ? listing : null;

function selectionOf(
  text: string,
  queryText: QueryText,
  { corrected, unknown }: Meaning,
  { sort, ...filter }: Omit<TextFilter, 'sort'> & { sort: estypes.Sort | null },
  named: NamedListing | null = null,
): Selection {
  const selections = textSelections(text, { ...filter, unknown, ...(sort && { sort }) }, queryText);
  if (corrected !== null) return selections.corrected(corrected);
  return named === null ? selections.typed : selections.named(named);
}

/**
 * Counts the listings of the catalogue that match a text. If no listing has some of its words, counts without these
 * words.
 */
async function countText(
  es: Client,
  target: SearchTarget,
  queryText: QueryText,
  meaning: Meaning,
  { kinds }: { kinds: boolean },
) {
  const count = async (meant: Meaning) => {
    const { request, read } = textCounts(queryText, meant, { kinds });
    const { aggregations, suggest } = await es.search({ ...target, ...request });
    return { suggest, meaning: meant, counts: read(aggregations) };
  };
  const counted = await count(meaning);
  const { all, unknown, anyKnown } = counted.counts;
  if (all > 0 || unknown.length === 0 || !anyKnown || meaning.unknown.length > 0) return counted;
  return { ...(await count({ ...meaning, unknown })), suggest: counted.suggest };
}
