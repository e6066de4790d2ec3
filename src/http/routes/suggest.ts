import { errors, type estypes } from '@elastic/elasticsearch';
import { Type } from 'typebox';
import type { Context } from '../../usecases/context.js';
import { endpoint } from '../endpoint.js';
import { noSuggestions } from '../../platform/errors.js';
import { searchOf, suggestionsRequest } from '../../engine/queries/suggestions.js';
import { matchedParts } from '../../usecases/suggest/matched-parts.js';
import {
  MAX_TYPED,
  type StoredSuggestion,
  SUGGESTION_TYPES,
  type Suggestion,
  SuggestionsSchema,
} from '../../schemas/suggestion.js';
import { Enum, List } from '../../schemas/types.js';

export const suggest = endpoint({
  tag: 'Listings',
  summary: 'What somebody may be about to type',
  description:
    'For each letter that is typed into a search field. First come suggestions that begin as typed, then those with a word ' +
    'that begins so, then those where only what the thing is for does (a case for a phone), then those that differ by one ' +
    'typo behind the first letter of a word of 4 to 30 letters; among these, those that most listings have come first. Upper ' +
    'case, accents and hyphens do not count. All suggestions are made by `npm run suggest` and after each `npm run ingest`; ' +
    'new brands, categories and models of `POST /v1/listings` are added some seconds later. Counted in a window of its own, ' +
    'of ten times the requests of the tier.',
  query: Type.Object({
    q: Type.String({
      minLength: 1,
      maxLength: MAX_TYPED,
      description: 'What was typed so far; the last word may be its beginning',
      examples: ['wirel'],
    }),
    types: Type.Optional(
      List(',|', Enum(SUGGESTION_TYPES), {
        maxItems: 20,
        description: 'The types of suggestions; all of them by default',
        examples: [['brand', 'category']],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, default: 8, description: 'Most suggestions' }),
    ),
  }),
  cached: true,
  responses: {
    200: {
      description: 'Suggestions',
      schema: SuggestionsSchema,
      example: {
        q: 'wirel',
        items: [
          {
            type: 'category',
            text: 'Wireless Earbuds',
            matched: [[0, 5]],
            count: 128,
            search: { category: 'Wireless Earbuds' },
          },
        ],
      },
    },
  },
  async handle(context, { query }) {
    const { q, limit = 8, types = SUGGESTION_TYPES } = query;
    const request = suggestionsRequest(q, { types, limit });
    const found = request === null ? [] : await read(context, request);
    const items = found.map(({ type, text, count }): Suggestion => ({
      type,
      text,
      matched: matchedParts(text, q),
      count,
      search: searchOf(type, text),
    }));
    return { body: { q, items } };
  },
});

/** @throws ApiError 503 where none were ever made, unless there is nothing to make them of. */
async function read(
  { es, products, suggestions }: Context,
  request: NonNullable<ReturnType<typeof suggestionsRequest>>,
): Promise<StoredSuggestion[]> {
  const search = () => es.search<StoredSuggestion>({ index: suggestions, ...request });
  try {
    // The index that the alias led to a moment ago may just have been removed for a newer one.
    const found: { hits?: estypes.SearchHitsMetadata<StoredSuggestion> } = await search().catch(
      (error: unknown) => {
        if (isMissing(error)) return search();
        throw error;
      },
    );
    return (found.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const { count } = await es.count({ index: products, terminate_after: 1 });
    if (count > 0) throw noSuggestions();
    return [];
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof errors.ResponseError && error.statusCode === 404;
