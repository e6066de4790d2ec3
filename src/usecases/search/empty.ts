import type { Static } from 'typebox';
import type { Context } from '../context.js';
import type { TextSearch } from './find-by-text.js';
import { searchEach } from '../../engine/search-each.js';
import { textSelections } from '../../engine/queries/by-text.js';
import { BY_RELEVANCE, type Refinement } from '../../engine/queries/listings.js';
import { asWritten } from '../../engine/queries/as-written.js';
import { guessedText } from '../../engine/queries/spelling.js';
import { readWording } from '../../engine/queries/wording.js';
import type { Addition, PageAnswer } from './additions.js';
import type { EmptySchema } from '../../schemas/explain.js';

/** Of so many filters each is left out. */
const MOST_LEFT_OUT = 4;

/** So many listings tell how a word is written. */
const READ = 3;

/** The parameters that narrow what is not called as they are. */
const PARAMETERS: Readonly<Record<string, string>> = {
  path: 'category_path',
  availability: 'in_stock',
  rating: 'min_rating',
  age: 'max_age_s',
  image: 'has_image',
};

/** A search that finds nothing. */
interface Asked {
  text: string;
  match: TextSearch['match'];
  /** All filters of the request. */
  all: readonly Refinement[];
}

/** Adds to a page without listings why there are none. */
export const whyNothing = (context: Pick<Context, 'es' | 'products'>, asked: Asked): Addition => ({
  page: async (answer) => (answer.total === 0 ? { empty: await whyEmpty(context, asked, answer) } : {}),
});

/** Why a search finds nothing, by one request of at most six searches. */
async function whyEmpty(
  { es, products }: Pick<Context, 'es' | 'products'>,
  { text, match, all }: Asked,
  { suggest, corrected, mode, unfiltered }: Pick<PageAnswer, 'suggest' | 'corrected' | 'mode' | 'unfiltered'>,
): Promise<Static<typeof EmptySchema>> {
  const among = (filters: readonly Refinement[]) => ({
    bool: { filter: [unfiltered, ...filters.map(({ clause }) => clause)] },
  });
  const filters = [...new Set(all.map(({ of }) => of))];
  const leftOut = filters.slice(0, MOST_LEFT_OUT);
  const guess = corrected ?? guessedText(readWording(text).plain, suggest);
  const guessed = (words: string) =>
    textSelections(words, { filter: all.map(({ clause }) => clause), match: match === 'all' ? 'all' : 'any' })
      .typed.query;
  const [alone, meant, ...fewer] = await searchEach(
    es,
    products,
    [
      filters.length === 0 ? null : among([]),
      guess === null ? null : guessed(guess),
      ...leftOut.map((left) => among(all.filter(({ of }) => of !== left))),
    ],
    { sort: BY_RELEVANCE, size: READ },
  );
  const hits = (meant?.listings ?? []).map((listing) => ({ _source: listing }));
  const withoutFilters = alone?.total ?? 0;
  return {
    reason: withoutFilters > 0 ? 'filters' : mode === 'any' ? 'unknown_words' : 'nothing',
    without: leftOut.map((of, at) => ({ parameter: PARAMETERS[of] ?? of, total: fewer[at]?.total ?? 0 })),
    did_you_mean: guess === null || hits.length === 0 ? null : asWritten(guess, text, hits),
  };
}
