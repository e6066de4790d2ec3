import { Type, type Static } from 'typebox';
import { Enum } from './types.js';

/** What a suggestion is: something searched for before, or what listings have. */
export const SUGGESTION_TYPES = ['query', 'brand', 'category', 'model', 'product'] as const;
export type SuggestionType = (typeof SUGGESTION_TYPES)[number];

/** No text that is longer is suggested, and no more is typed. */
export const MAX_TYPED = 100;

export const SuggestionSchema = Type.Object(
  {
    type: Enum(SUGGESTION_TYPES, {
      description:
        'query: what keys of three developers or more have searched for; brand, category, model: as listings state it; ' +
        'product: words that three listings or more have in their names',
    }),
    text: Type.String({ description: 'To be shown' }),
    matched: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
      description:
        'The parts of `text` that were typed: from and to (exclusive), in UTF-16 code units, as `slice` of JavaScript and Java’s `substring` take them',
    }),
    count: Type.Integer({
      description: 'Listings that have it, when suggestions were last made; `search` finds at least these',
    }),
    search: Type.Record(Type.String(), Type.String(), {
      description: 'Parameters for `GET /v1/search` that find what is suggested',
    }),
  },
  { $id: 'Suggestion', description: 'What somebody may be about to type' },
);
export type Suggestion = Static<typeof SuggestionSchema>;

export const SuggestionsSchema = Type.Object(
  { q: Type.String({ description: 'As typed' }), items: Type.Array(SuggestionSchema) },
  { $id: 'Suggestions', description: 'The best suggestion first' },
);

/** A suggestion as its index keeps it. */
export interface StoredSuggestion {
  type: SuggestionType;
  text: string;
  /** `text` as `foldTyped` has it: two suggestions of one key are one. */
  key: string;
  count: number;
  /** What it is the beginning of, see `src/engine/queries/suggestions.ts`. */
  whole: string[];
  words: string[];
  /** The words behind "for", which name what the thing serves. */
  served: string[];
  letters: string[];
}
