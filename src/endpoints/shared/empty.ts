import type { Static } from 'typebox';
import type { Context } from '../../context.js';
import type { Found } from '../../elasticsearch/pages.js';
import { searchEach } from '../../elasticsearch/search-each.js';
import { type TextFilter, textSelections } from '../../queries/by-text.js';
import { BY_RELEVANCE, type Refinement } from '../../queries/listings.js';
import { asWritten } from '../../queries/as-written.js';
import { guessedText } from '../../queries/spelling.js';
import type { Addition } from '../../results/additions.js';
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

/** Adds to a page without listings why there are none. */
export const whyNothing = (
  context: Pick<Context, 'es' | 'products'>,
  asked: { text: string; match: 'any' | 'all'; all: readonly Refinement[] },
): Addition => ({
  page: async (answer) => (answer.total === 0 ? { empty: await whyEmpty(context, asked, answer) } : {}),
});

/** Why a search finds nothing, by one request of at most six searches. */
async function whyEmpty(
  { es, products }: Pick<Context, 'es' | 'products'>,
  { text, match, all }: { text: string; match: 'any' | 'all'; all: readonly Refinement[] },
  { suggest, corrected }: Pick<Found<unknown>, 'suggest' | 'corrected'>,
): Promise<Static<typeof EmptySchema>> {
  const query = (q: string, filter: TextFilter['filter']) =>
    q === '' ? { bool: { filter } } : textSelections(q, { filter, match }).typed.query;
  // As the search itself read the text, so that a filter left out finds what a search without it does.
  const again = (filter: TextFilter['filter']) =>
    corrected === undefined
      ? query(text, filter)
      : textSelections(text, { filter, match }).corrected(corrected).query;
  const without = (left: string) => all.filter(({ of }) => of !== left).map(({ clause }) => clause);
  const filters = [...new Set(all.map(({ of }) => of))];
  const leftOut = filters.slice(0, MOST_LEFT_OUT);
  const guess = corrected ?? guessedText(textSelections(text, { filter: [] }).plain, suggest);
  const [alone, meant, ...fewer] = await searchEach(
    es,
    products,
    [
      filters.length === 0 ? null : again([]),
      guess === null
        ? null
        : query(
            guess,
            all.map(({ clause }) => clause),
          ),
      ...leftOut.map((of) => again(without(of))),
    ],
    { sort: BY_RELEVANCE, size: READ },
  );
  const hits = (meant?.listings ?? []).map((listing) => ({ _source: listing }));
  const unfiltered = alone?.total ?? 0;
  return {
    reason: unfiltered > 0 ? 'filters' : text !== '' && match === 'any' ? 'unknown_words' : 'nothing',
    without: leftOut.map((of, at) => ({ parameter: PARAMETERS[of] ?? of, total: fewer[at]?.total ?? 0 })),
    did_you_mean: guess === null || hits.length === 0 ? null : asWritten(guess, text, hits),
  };
}
