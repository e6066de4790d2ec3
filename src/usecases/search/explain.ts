import type { estypes } from '@elastic/elasticsearch';
import type { Static } from 'typebox';
import { searchEach } from '../../engine/multi-search.js';
import { WORD } from '../../engine/queries/explain.js';
import type { Refinement } from '../../engine/queries/filters.js';
import { parseQueryText } from '../../engine/queries/query-text.js';
import { type ActingRules, NO_ACTING_RULES, withAlternatives } from '../../engine/queries/rules.js';
import { withWord } from '../../engine/queries/search.js';
import { wordQueries } from '../../engine/queries/query-words.js';
import type { SearchTarget, QueryClause } from '../../engine/queries/selection.js';
import { BY_RELEVANCE } from '../../engine/queries/sorts.js';
import { asListingsWriteIt, guessedText, type WrittenTexts } from '../../engine/queries/spelling.js';
import { textSelections, withAllWords } from '../../engine/queries/text-selections.js';
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

/**
 * Explains how a search treated its text: which words the catalogue has, how many listings match, and how
 * Elasticsearch splits and stems the text.
 */
export async function explainText(
  { es, products, learnedVersions }: ExplainContext,
  { typed, corrected, filter, target, query, hits = [], rules = NO_ACTING_RULES }: ExplainedSearch,
): Promise<Static<typeof ExplanationSchema>> {
  const queryText = withAlternatives(parseQueryText(typed), rules);
  const { text, plain, phrases } = queryText;
  // Counting the listings for each word of a longer text would cost Elasticsearch more than the search.
  const countedWords = (all: string) => wordQueries(all).slice(0, SEARCH_TUNING.maxLookupWords);
  const words = countedWords(text);
  const searched = searchedText(typed, corrected);
  const correctedForm = corrected === undefined ? null : asListingsWriteIt(searched, text, hits);
  const correctedWords = correctedForm === null ? [] : countedWords(correctedForm);
  const correctionOf = (at: number) => {
    const other = correctedWords.length === words.length ? correctedWords[at] : undefined;
    return other === undefined || other === words[at] ? null : other;
  };
  const meaning = { corrected: corrected ?? null, unknown: [] };
  const any = textSelections(
    corrected === undefined ? typed : searched,
    { filter },
    withAlternatives(parseQueryText(corrected === undefined ? typed : searched), rules),
  ).typed.query;
  const [counts, { tokens = [] }] = await Promise.all([
    // A word is known if any listing of the catalogue contains it, regardless of the filters.
    countMatches(
      es,
      target,
      { query },
      {
        catalogue: {
          global: {},
          aggs: {
            ...Object.fromEntries(words.map((word, at) => [`${at}`, { filter: withWord(word) }])),
            all: { filter: { bool: { filter: [...withAllWords(queryText, meaning), ...filter] } } },
            any: { filter: any },
          },
        },
      },
    ),
    // A text of punctuation alone has no words, and Elasticsearch does not analyze an empty list, so it is
    // not asked.
    words.length === 0
      ? { tokens: [] }
      : es.indices.analyze({ index: products, analyzer: 'product_query', text: words }),
  ]);
  const counted = counts?.['catalogue'] as Record<string, { doc_count?: number } | undefined> | undefined;
  const countOf = (name: string) => counted?.[name]?.doc_count ?? 0;
  const starts = words.map((_, at) => words.slice(0, at).reduce((sum, word) => sum + word.length + 1, 0));
  const synonymsOf = (at: number) =>
    tokens
      .filter(({ type, start_offset: start }) => {
        const from = starts[at] ?? 0;
        return type === 'SYNONYM' && start >= from && start < from + (words[at]?.length ?? 0);
      })
      .map(({ token }) => token);
  return {
    words: words.map((word, at) => ({
      word,
      known: countOf(`${at}`) > 0,
      read_as: correctionOf(at),
      synonyms: synonymsOf(at),
    })),
    identifiers: wordQueries(plain).flatMap((word) => gtinOf(word) ?? []),
    phrases,
    corrected_query: correctedForm,
    found_all: countOf('all'),
    found_any: countOf('any'),
    learned: await learnedVersions(),
    rules: [...rules.names],
  };
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
 * Explains the rank of a search result by the names of the query clauses that it matched.
 * @param searched the texts that were searched for. Of these, the one of which the listing lacks the fewest words
 * counts.
 */
export function explainHit(
  { matched_queries: matched, _score: score }: ListingHit,
  ...searched: readonly string[]
): Static<typeof WhySchema> {
  const scores = new Map(Object.entries((matched ?? {}) as unknown as Record<string, number>));
  const has = (word: string) => scores.has('joined') || scores.has(`${WORD}${word}`);
  const [missing = []] = searched
    .map((text) => wordQueries(text).filter((word) => !has(word)))
    .sort((a, b) => a.length - b.length);
  const others = [...scores].filter(
    ([name]) => !name.startsWith(WORD) && name !== 'joined' && name !== 'pinned',
  );
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
}

/**
 * To explain an empty result, the search is repeated without each of its filters in turn. This is the maximum
 * number of filters for which that is done.
 */
const MAX_FILTERS = 4;

/** The number of found listings that are read to find out how a corrected word is written. */
const READ_LISTINGS = 3;

/** Explains why a search found nothing, by one request with at most six searches. */
export async function explainNoResults(
  { es, products }: Pick<Context, 'es' | 'products'>,
  { text, match }: Pick<TextSearch, 'text' | 'match'>,
  refinements: readonly Refinement[],
  { suggest, corrected, mode, unfiltered }: TextSearchResult,
): Promise<Static<typeof EmptySchema>> {
  const query = unfiltered();
  const among = (filters: readonly Refinement[]): estypes.QueryDslQueryContainer => ({
    bool: { filter: [query, ...filters.map(({ clause }) => clause)] },
  });
  const filters = [...new Set(refinements.map(({ name }) => name))];
  const leftOut = filters.slice(0, MAX_FILTERS);
  const guess = corrected ?? guessedText(parseQueryText(text).plain, suggest);
  const guessedQuery = (words: string) =>
    textSelections(words, {
      filter: refinements.map(({ clause }) => clause),
      match: match === 'all' ? 'all' : 'any',
    }).typed.query;
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
    reason: isFiltered ? 'filters' : mode === 'any' ? 'unknown_words' : 'nothing',
    without: leftOut.map((parameter, at) => ({ parameter, total: withoutOne[at]?.total ?? 0 })),
    did_you_mean: guess === null || hits.length === 0 ? null : asListingsWriteIt(guess, text, hits),
  };
}
