import type { Hit, Result } from '../../../clients/instantsearch/src/index.js';
import type { PriceBuckets, PriceLimits } from './price-range.js';

/** The members of the API's page that InstantSearch does not know. */
export interface Extras {
  total?: number;
  total_groups?: number;
  prices?: PriceBuckets[];
  empty?: { reason: string; without: { parameter: string; total: number }[]; did_you_mean: string | null };
  /** The words that were applied as parameters, with their place in the text. */
  interpreted?: { parameter: string; value: string; from: number; to: number }[];
  /** Whether the products have all words or any, to which kind of product they are restricted, and the text without typos. */
  matched?: { mode: 'any' | 'all'; all_words: number; kind: string | null; corrected?: string };
  /** The words that products must not have. */
  excluded?: { text: string; from: number; to: number; applied: boolean }[];
}

/** A step of the filter by rating: listings with at least this rating. */
export interface RatingStep {
  value: string;
  name: string;
  count: number | null;
  isRefined: boolean;
}

/** What the components of the search show. */
export interface SearchState {
  query: string;
  hits: Hit[];
  extras: Extras;
  /** The text that `hits` and `extras` answer. */
  answered: string;
  hasSearched: boolean;
  /** Whether an answer is awaited, while the products of the one before are shown. */
  isLoading: boolean;
  failure: Error | null;
  ratings: RatingStep[];
  refineRating(value: string): void;
  /** The order that was chosen, as the name of an index of InstantSearch, and what chooses another one; null until it can be chosen. */
  order: { value: string; refine(value: string): void } | null;
  priceLimits: PriceLimits;
}

/** The members of an answer that are shown besides its products. */
export const shownOf = ({ query, catalogue }: Result): Pick<SearchState, 'answered' | 'extras'> => ({
  answered: query,
  extras: catalogue,
});
