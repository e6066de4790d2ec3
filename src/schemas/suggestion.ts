import { Type, type Static } from 'typebox';
import { component, Enum, integer, listOf, text } from './types.js';

export const SUGGESTION_TYPES = ['query', 'brand', 'category', 'model', 'product'] as const;
export type SuggestionType = (typeof SUGGESTION_TYPES)[number];

/** The maximum length of a suggestion and of the text typed by a user, in characters. */
export const MAX_TYPED = 100;

const SuggestionSchema = component('Suggestion', 'A completion of a text that is being typed', {
  type: Enum(SUGGESTION_TYPES, {
    description:
      '`query`: a text that at least three developers searched for. `brand`, `category`, `model`: a value that listings state. ' +
      '`product`: a phrase that at least three listings have in their names',
  }),
  text: text('The text to display'),
  matched: listOf(
    Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }),
    'The parts of `text` that match the typed text: start and end (exclusive) of each, in UTF-16 code units',
  ),
  count: integer(
    'The number of listings that had the whole text when they were last counted. `search` may also find listings with some of its words',
  ),
  search: Type.Record(Type.String(), Type.String(), {
    description: 'The parameters of `GET /v1/search` that find these listings',
  }),
});
export type Suggestion = Static<typeof SuggestionSchema>;

export const SuggestionsSchema = component('Suggestions', 'Suggestions, the best first', {
  q: text('The `q` of the request'),
  items: Type.Array(SuggestionSchema),
});

/** A document of the suggestions index. */
export interface StoredSuggestion {
  type: SuggestionType;
  text: string;
  /** The text folded by `foldWords`. A search returns only one of the suggestions with the same key. */
  key: string;
  count: number;
  /** Whether a single owner of several states the suggestion, which then ranks last. Indices of earlier versions lack it. */
  alone?: boolean;
  /** Variants of the whole suggestion, of which a typed text may be the beginning. */
  whole: string[];
  /** The words of the suggestion, of which a typed word may be the beginning. */
  words: string[];
  /** The words after "for", which name the product that an accessory is for. */
  served: string[];
  /** The words of the suggestion that also match with one typo. */
  letters: string[];
}
