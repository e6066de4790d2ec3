import type { Client, estypes } from '@elastic/elasticsearch';
import type { Static } from 'typebox';
import { searchEach } from '../../engine/multi-search.js';
import type { Refinement } from '../../engine/queries/refinements.js';
import { parseQueryText, withSpelling } from '../../engine/queries/query-text.js';
import { type ActingRules, NO_ACTING_RULES, withSynonyms } from '../../engine/queries/rules.js';
import { withWords } from '../../engine/queries/contained-words.js';
import { leftOutWords, wordQueries } from '../../engine/queries/query-words.js';
import type { SearchTarget, QueryClause } from '../../engine/queries/selection.js';
import { BY_RELEVANCE } from '../../engine/queries/sorts.js';
import { asListingsWriteIt, guessedText, type WrittenTexts } from '../../engine/queries/spelling.js';
import { textSelection, withAllWords, WORD } from '../../engine/queries/search.js';
import { SEARCH_TUNING } from '../../engine/queries/tuning.js';
import { countMatches, type ListingHit } from '../../engine/search-listings.js';
import { gtinOf } from '../../listing/gtin.js';
import type { StoredListing } from '../../listing/listing.js';
import type { EmptySchema, ExplanationSchema, WhySchema } from '../../schemas/explain.js';
import type { Context } from '../context.js';
import type { TextSearch, TextSearchResult } from './text-match.js';
import { roundTo } from '../../text/statistics.js';

/** Returns the words that a search looked for: the text as typed, or as corrected. */
export function searchedText(typed: string, corrected: string | undefined): string {
  const { text, phrases } = parseQueryText(typed);
  return corrected === undefined ? text : [corrected, ...phrases].join(' ');
}

type ExplainContext = Pick<Context, 'es' | 'products' | 'learnedVersions'>;

interface ExplainedSearch {
  typed: string;
  corrected: string | undefined;
  filter: QueryClause[];
  /** The index or point in time that was searched, and the query that found the listings. */
  target: SearchTarget;
  query: QueryClause;
  /** The first listings that were found, which show how corrected words are written. */
  hits?: readonly WrittenTexts[];
  /** The merchandising rules that acted on the search; none by default. */
  rules?: ActingRules;
}

/** Explains how a search treated its text: which words are known, what they were read as, and how many listings match. */
export async function explainText(
  { es, products, learnedVersions }: ExplainContext,
  search: ExplainedSearch,
): Promise<Static<typeof ExplanationSchema>> {
  const { typed, corrected, hits = [], rules = NO_ACTING_RULES } = search;
  const { text, plain, phrases } = parseQueryText(typed);
  const words = countedWords(text);
  const quoted = new Set(phrases.flatMap((phrase) => phrase.split(' ')));
  const written =
    corrected === undefined ? null : asListingsWriteIt(searchedText(typed, corrected), text, hits);
  const corrections = correctionsOf(words, written);
  const [countOf, synonyms] = await Promise.all([
    countListings(es, words, search),
    synonymsOf(es, products, words),
  ]);
  return {
    words: words.map((word, at) => ({
      word,
      known: countOf(`${at}`) > 0,
      read_as: corrections[at] ?? null,
      synonyms: synonyms[at] ?? [],
    })),
    left_out: leftOutWords(text).filter((word) => !quoted.has(word)),
    identifiers: wordQueries(plain).flatMap((word) => gtinOf(word) ?? []),
    phrases,
    corrected_query: written,
    found_all: countOf('all'),
    found_any: countOf('any'),
    learned: await learnedVersions(),
    rules: [...rules.names],
  };
}

/** The first words of a text. Counting the listings for each word of a longer one would cost more than the search. */
const countedWords = (text: string): string[] => wordQueries(text).slice(0, SEARCH_TUNING.maxLookupWords);

/** For each typed word, the word that replaces it in the corrected text; null if it stays, or if the texts cannot be aligned. */
function correctionsOf(words: readonly string[], written: string | null): (string | null)[] {
  const others = written === null ? [] : countedWords(written);
  return words.map((word, at) =>
    others.length !== words.length || others[at] === word ? null : (others[at] ?? null),
  );
}

/**
 * Counts the listings of the catalogue with each word, regardless of the filters, and those that pass the filters and have all
 * words (`all`) or at least one (`any`).
 */
async function countListings(
  es: Client,
  words: readonly string[],
  { typed, corrected, filter, target, query, rules = NO_ACTING_RULES }: ExplainedSearch,
): Promise<(name: string) => number> {
  const text = parseQueryText(typed);
  const wording = withSynonyms(corrected === undefined ? text : withSpelling(text, corrected), rules);
  const aggs = {
    ...Object.fromEntries(words.map((word, at) => [`${at}`, { filter: withWords(word) }])),
    all: { filter: { bool: { filter: [withAllWords(wording), ...filter] } } },
    any: { filter: textSelection(wording, { filter }).query },
  };
  const counts = await countMatches(es, target, { query }, { catalogue: { global: {}, aggs } });
  const counted = counts?.['catalogue'] as Record<string, { doc_count?: number } | undefined> | undefined;
  return (name) => counted?.[name]?.doc_count ?? 0;
}

/** Returns the synonyms of each word, according to the analyzer of queries. */
async function synonymsOf(es: Client, index: string, words: readonly string[]): Promise<string[][]> {
  // A text of punctuation alone has no words, and Elasticsearch does not analyze an empty list.
  if (words.length === 0) return [];
  const { tokens = [] } = await es.indices.analyze({ index, analyzer: 'product_query', text: [...words] });
  let end = -1;
  return words.map((word) => {
    // The analyzer counts offsets through the list of words, with one character between two words.
    const start = end + 1;
    end = start + word.length;
    return tokens
      .filter(({ type, start_offset: at }) => type === 'SYNONYM' && at >= start && at < end)
      .map(({ token }) => token);
  });
}

/** Explains how a text that names a product is understood, as a search for the same text would be explained. */
export async function explainProductText(
  context: ExplainContext,
  typed: string,
  {
    corrected,
    filter,
    offers,
  }: { corrected: string | undefined; filter: QueryClause[]; offers: readonly StoredListing[] },
): Promise<Static<typeof ExplanationSchema>> {
  // A phrase in quotes is explained as single words, because the best-price search treats it so.
  const text = typed.replace(/["“”]/gu, ' ').trim();
  return explainText(context, {
    typed: text,
    corrected,
    filter,
    target: { index: context.products },
    query: { match_all: {} },
    hits: offers.map((listing) => ({ _source: listing })),
  });
}

/**
 * Creates a function that explains the rank of a search result by the names of the query clauses that it matched.
 * @param searched the text that was searched for.
 */
export function hitExplainer(
  searched: string,
): (hit: Pick<ListingHit, 'matched_queries' | '_score'>) => Static<typeof WhySchema> {
  const words = wordQueries(searched);
  return ({ matched_queries: matched, _score: score }) => {
    const scores = new Map(Object.entries((matched ?? {}) as unknown as Record<string, number>));
    const has = (word: string) => scores.has(`${WORD}${word}`);
    const missing = words.filter((word) => !has(word));
    const others = [...scores].filter(([name]) => !name.startsWith(WORD) && name !== 'pinned');
    const rest = (score ?? 0) - others.reduce((sum, [, one]) => sum + one, 0);
    const all = missing.length === 0 ? SEARCH_TUNING.allWords : 0;
    return {
      clauses: {
        ...(all === 0 ? {} : { all_words: all }),
        [scores.has('pinned') ? 'pinned' : 'words']: roundTo(3, rest - all),
        ...Object.fromEntries(others.map(([name, one]) => [name, roundTo(3, one)])),
      },
      missing,
    };
  };
}

/** The maximum number of filters without which a search is repeated in turn, to explain an empty result. */
const MAX_FILTERS = 4;

/** The number of found listings that are read to find out how a corrected word is written. */
const READ_LISTINGS = 3;

/** Explains why a search found nothing, by one request with at most six searches. */
export async function explainNoResults(
  { es, products }: Pick<Context, 'es' | 'products'>,
  { text, match }: Pick<TextSearch, 'text' | 'match'>,
  refinements: readonly Refinement[],
  { suggest, corrected, mode, lacksWord, unfiltered }: TextSearchResult,
): Promise<Static<typeof EmptySchema>> {
  const query = unfiltered();
  const among = (filters: readonly Refinement[]): estypes.QueryDslQueryContainer => ({
    bool: { filter: [query, ...filters.map(({ clause }) => clause)] },
  });
  const filters = [...new Set(refinements.map(({ name }) => name))];
  const leftOut = filters.slice(0, MAX_FILTERS);
  const guess = corrected ?? guessedText(parseQueryText(text).plain, suggest);
  const guessedQuery = (words: string) =>
    textSelection(parseQueryText(words), {
      filter: refinements.map(({ clause }) => clause),
      match: match === 'all' ? 'all' : 'any',
    }).query;
  const [withoutFilters, guessed, ...withoutOne] = await searchEach(
    es,
    products,
    [
      filters.length === 0 ? null : among([]),
      guess === null ? null : guessedQuery(guess),
      ...leftOut.map((left) => among(refinements.filter(({ name }) => name !== left))),
    ],
    { sort: BY_RELEVANCE, size: READ_LISTINGS },
  );
  const hits = (guessed?.listings ?? []).map((listing) => ({ _source: listing }));
  const isFiltered = (withoutFilters?.total ?? 0) > 0;
  return {
    reason: isFiltered ? 'filters' : mode === 'any' || lacksWord ? 'unknown_words' : 'nothing',
    without: leftOut.map((parameter, at) => ({ parameter, total: withoutOne[at]?.total ?? 0 })),
    did_you_mean: guess === null || hits.length === 0 ? null : asListingsWriteIt(guess, text, hits),
  };
}
