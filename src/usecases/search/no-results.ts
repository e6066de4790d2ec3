import type { estypes } from '@elastic/elasticsearch';
import type { Static } from 'typebox';
import { searchEach } from '../../engine/multi-search.js';
import type { Refinement } from '../../engine/queries/filters.js';
import { parseQueryText } from '../../engine/queries/query-text.js';
import { BY_RELEVANCE } from '../../engine/queries/sorts.js';
import { asListingsWriteIt, guessedText } from '../../engine/queries/spelling.js';
import { textSelections } from '../../engine/queries/text-selections.js';
import type { EmptySchema } from '../../schemas/explain.js';
import type { Context } from '../context.js';
import type { TextSearch, TextSearchResult } from './text-match.js';

/** The maximum number of filters without each of which the search is repeated, to count the listings. */
const MAX_FILTERS = 4;

/** The number of listings that are read to find out how a word is written. */
const READ_LISTINGS = 3;

/** Explains why a search found nothing, by one request with at most six searches. */
export async function explainNoResults(
  { es, products }: Pick<Context, 'es' | 'products'>,
  { text, match }: Pick<TextSearch, 'text' | 'match'>,
  refinements: readonly Refinement[],
  { suggest, corrected, mode, unfiltered }: TextSearchResult,
): Promise<Static<typeof EmptySchema>> {
  const among = (filters: readonly Refinement[]): estypes.QueryDslQueryContainer => ({
    bool: { filter: [unfiltered, ...filters.map(({ clause }) => clause)] },
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
