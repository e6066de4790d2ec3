import type { estypes } from '@elastic/elasticsearch';
import type { Static } from 'typebox';
import type { Context } from '../context.js';
import { explanationOf, searchedFor, whyOf } from './explained.js';
import { countMatches } from '../../engine/pages.js';
import type { StoredListing } from '../../listing/listing.js';
import { withNames } from '../../engine/queries/explain.js';
import { BY_RELEVANCE } from '../../engine/queries/listings.js';
import type { Addition, PageAnswer } from './additions.js';
import type { ExplanationSchema } from '../../schemas/explain.js';

/** Adds to the page what was made of a text, and to each item why it stands where it does. */
export function explained(
  context: Context,
  text: string,
  filter: estypes.QueryDslQueryContainer[],
): Addition {
  let searched = text;
  return {
    query: withNames,
    request: { include_named_queries_score: true, track_scores: true },
    async page(answer) {
      searched = searchedFor(text, answer);
      return { explanation: await explanationOf(context, text, answer, { ...answer, filter }) };
    },
    item: (hit) => ({ why: whyOf(hit, searched) }),
  };
}

/** The same of a text that names a product, counted as a search would. */
export async function explanationOfProduct(
  context: Pick<Context, 'es' | 'products'>,
  typed: string,
  {
    corrected,
    filter,
    offers,
  }: {
    corrected: string | undefined;
    filter: estypes.QueryDslQueryContainer[];
    offers: readonly StoredListing[];
  },
): Promise<Static<typeof ExplanationSchema>> {
  const { es, products: index } = context;
  // There a phrase in quotes is words like others.
  const text = typed.replace(/["“”]/gu, ' ').trim();
  const everything = { query: { match_all: {} }, sort: BY_RELEVANCE };
  const count: PageAnswer['count'] = (aggs) => countMatches(es, { index }, everything, aggs);
  const hits = offers.map((listing) => ({ _source: listing }));
  return explanationOf(context, text, corrected === undefined ? {} : { corrected }, { filter, count, hits });
}
