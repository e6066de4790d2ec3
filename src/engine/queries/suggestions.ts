import type { estypes } from '@elastic/elasticsearch';
import { FOR } from '../../naming/target-words.js';
import { foldWords, foldJoined } from '../../text/fold.js';
import { typingStarts, splitByScript } from '../../text/tokenize.js';
import { MAX_TYPED, type StoredSuggestion, type SuggestionType } from '../../schemas/suggestion.js';
import type { QueryClause } from './selection.js';

/**
 * The scores of suggestions by how they match: they start with the typed text; one of their words does; only
 * a word after "for" does ("case for a phone"); they match with one typo.
 */
const TIERS = { whole: 4, word: 3, served: 2, typo: 1 };

const SERVES = new RegExp(String.raw`\s${FOR}\s`, 'iu');

/** The maximum number of typed words for which suggestions with typos are searched, because the search is slow for more words. */
const MAX_WORDS_WITH_TYPO = 6;

/** Whether a typed word may contain a typo. A Chinese or Japanese one may not, because a single character can be a word. */
const mayHaveTypo = (word: { text: string; isCjk: boolean }): boolean =>
  !word.isCjk && /^\p{L}{4,30}$/u.test(word.text);

/** Joins adjacent words of a suggestion: `airfryer` for "digital air fryer". The second word may be a number. */
function pairsIn(key: string): string[] {
  const words = splitByScript(key);
  return words.slice(1).flatMap((word, at) => {
    const before = words[at];
    const isPair =
      before !== undefined &&
      !before.isCjk &&
      /^\p{L}{2,}$/u.test(before.text) &&
      /^(?:\p{L}{2,}|\p{Nd}+)$/u.test(word.text);
    return isPair && !word.isCjk ? [before.text + word.text] : [];
  });
}

/** The document that is indexed for a suggestion, with all beginnings of texts that may be typed for it. */
export function indexedSuggestion({
  type,
  text,
  count,
  alone,
}: Pick<StoredSuggestion, 'type' | 'text' | 'count' | 'alone'>): StoredSuggestion {
  const key = foldWords(text);
  const words = typingStarts(text);
  const served = SERVES.exec(text);
  return {
    type,
    text,
    key,
    count,
    ...(alone !== undefined && { alone }),
    words: [...new Set([...words, ...pairsIn(key)])],
    served: served === null ? [] : typingStarts(text.slice(served.index + served[0].length)),
    whole: [...new Set([key, foldJoined(text), key.replaceAll(' ', '')])],
    letters: splitByScript(key)
      .filter(mayHaveTypo)
      .map((word) => word.text),
  };
}

/**
 * A search request for the suggestions that fit the text typed so far. Suggestions with the same key are returned once.
 * @returns null if the text has neither a letter nor a digit.
 */
export function suggestionsRequest(
  typed: string,
  { types, limit }: { types: readonly SuggestionType[]; limit: number },
): estypes.SearchRequest | null {
  const folded = foldWords(typed).slice(0, MAX_TYPED);
  const words = splitByScript(folded);
  if (words.length === 0) return null;
  const tier = (boost: number, filter: QueryClause): QueryClause => ({ constant_score: { filter, boost } });
  const starts = words.map(({ text }): QueryClause => ({ term: { words: text } }));
  const typos =
    words.length > MAX_WORDS_WITH_TYPO
      ? []
      : words.flatMap((word, at): QueryClause[] =>
          mayHaveTypo(word) ? [{ bool: { filter: starts.with(at, oneTypo(word.text)) } }] : [],
        );
  return {
    query: {
      bool: {
        filter: { terms: { type: [...types] } },
        must: {
          dis_max: {
            queries: [
              tier(TIERS.whole, {
                terms: { whole: [...new Set([folded, foldJoined(typed), folded.replaceAll(' ', '')])] },
              }),
              tier(TIERS.word, {
                bool: { filter: starts, must_not: words.map(({ text }) => ({ term: { served: text } })) },
              }),
              tier(TIERS.served, { bool: { filter: starts } }),
              ...typos.map((query) => tier(TIERS.typo, query)),
            ],
          },
        },
      },
    },
    collapse: { field: 'key' },
    sort: [
      { alone: { order: 'asc', missing: '_first', unmapped_type: 'boolean' } },
      { _score: { order: 'desc' } },
      { count: 'desc' },
      { key: 'asc' },
      { type: 'asc' },
    ],
    size: limit,
    track_total_hits: false,
    allow_partial_search_results: false,
    _source: ['type', 'text', 'count'],
    filter_path: ['hits.hits._source'],
  };
}

/** A clause for the suggestions with a word that differs from the typed word by one typo, but not in the first letter. */
const oneTypo = (value: string): QueryClause => ({
  fuzzy: { letters: { value, fuzziness: 1, prefix_length: 1 } },
});

/** The parameters of `GET /v1/search` that a client sends when a suggestion is chosen. */
export function searchOf(type: SuggestionType, text: string): Record<string, string> {
  if (type === 'category') return { category: text };
  // A chosen brand is searched as text if it contains `|`, because `|` separates the values of a filter.
  return type === 'brand' && !text.includes('|') ? { brand: text } : { q: text };
}
