import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { MAX_TYPED, SUGGESTION_TYPES, SuggestionsSchema } from '../../schemas/suggestion.js';
import { countParameter, Enum, optional } from '../../schemas/types.js';
import { findSuggestions } from '../../usecases/suggest/find-suggestions.js';

export const suggest = endpoint({
  tag: 'Listings',
  summary: 'Suggest completions for a text that is being typed',
  description:
    'Call it for each letter that is typed into a search field. Suggestions that begin with the text come first, then those ' +
    'that contain a word beginning with it, then those where only the product that an accessory is for matches (a case for a ' +
    'phone), then those that match with one typo. A typo is allowed after the first letter of a word of 4 to 30 letters. ' +
    'Within each group, suggestions that more listings have come first. Case, accents and hyphens are ignored. Suggestions ' +
    'of brands, categories and models follow each load by `npm run ingest` and, a few seconds later, `POST /v1/listings`; all ' +
    'others are rebuilt once a day. Requests count in a separate rate limit window, of ten times the ' +
    'requests of the tier.',
  query: Type.Object({
    q: Type.String({
      minLength: 1,
      maxLength: MAX_TYPED,
      description: 'The text typed so far. The last word may be incomplete',
      examples: ['wirel'],
    }),
    types: optional.List(',|', Enum(SUGGESTION_TYPES), {
      maxItems: 20,
      description: 'The types of suggestions to return; all types by default',
      examples: [['brand', 'category']],
    }),
    limit: countParameter(20, 8, 'The maximum number of suggestions'),
  }),
  cached: true,
  responses: {
    200: {
      description: 'The suggestions',
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
  handle: (context, { query }) => findSuggestions(context, query),
});
