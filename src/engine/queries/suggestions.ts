import type { estypes } from '@elastic/elasticsearch';
import { foldedText, foldJoined, startsOf, wordsTyped } from '../../text/folding.js';
import { MAX_TYPED, type StoredSuggestion, type SuggestionType } from '../../schemas/suggestion.js';

type Query = estypes.QueryDslQueryContainer;

/**
 * Suggestions that begin as typed come first, then those with a word that begins so, then those where only what the thing
 * is for does (a case for a phone), then those that differ by one typo.
 */
const TIERS = { whole: 4, word: 3, served: 2, typo: 1 };

/** The words behind these name the thing that it is for. */
const SERVES = /\s(?:for|untuk)\s/i;

/** Of a longer text each further word makes a typo likelier to be none, and the search dearer. */
const MOST_WORDS_WITH_TYPO = 6;

/** A typo is forgiven in a word of 4 to 30 letters and nothing else; in Chinese and Japanese a letter is a word. */
export const mayHaveTypo = (word: { text: string; isCjk: boolean }): boolean =>
  !word.isCjk && /^\p{L}{4,30}$/u.test(word.text);

/** Two neighbours as one word, letters or letters and a number: `airfryer` begins a word of "digital air fryer". */
function pairsIn(key: string): string[] {
  const words = wordsTyped(key);
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

/** A suggestion as it is indexed: with all that may be the beginning of it. */
export function indexedSuggestion({
  type,
  text,
  count,
}: Pick<StoredSuggestion, 'type' | 'text' | 'count'>): StoredSuggestion {
  const key = foldedText(text);
  const words = startsOf(text);
  const served = SERVES.exec(text);
  return {
    type,
    text,
    key,
    count,
    words: [...new Set([...words, ...pairsIn(key)])],
    served: served === null ? [] : startsOf(text.slice(served.index + served[0].length)),
    whole: [...new Set([key, foldJoined(text), key.replaceAll(' ', '')])],
    letters: wordsTyped(key)
      .filter(mayHaveTypo)
      .map((word) => word.text),
  };
}

/**
 * Suggestions for what was typed so far, one of each key.
 * @returns null where no letter or digit was typed.
 */
export function suggestionsRequest(
  typed: string,
  { types, limit }: { types: readonly SuggestionType[]; limit: number },
): estypes.SearchRequest | null {
  const folded = foldedText(typed).slice(0, MAX_TYPED);
  const words = wordsTyped(folded);
  if (words.length === 0) return null;
  const tier = (boost: number, filter: Query): Query => ({ constant_score: { filter, boost } });
  const starts = words.map(({ text }): Query => ({ term: { words: text } }));
  const typos =
    words.length > MOST_WORDS_WITH_TYPO
      ? []
      : words.flatMap((word, at): Query[] =>
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
    sort: [{ _score: { order: 'desc' } }, { count: 'desc' }, { key: 'asc' }, { type: 'asc' }],
    size: limit,
    track_total_hits: false,
    allow_partial_search_results: false,
    _source: ['type', 'text', 'count'],
    filter_path: ['hits.hits._source'],
  };
}

/** The first letter must be right: "iphone" is not a typo of "phone". */
const oneTypo = (value: string): Query => ({ fuzzy: { letters: { value, fuzziness: 1, prefix_length: 1 } } });

/** What `GET /v1/search` is to be asked for a suggestion. */
export function searchOf(type: SuggestionType, text: string): Record<string, string> {
  if (type === 'category') return { category: text };
  // A filter takes several values, and what parts them.
  return type === 'brand' && !text.includes('|') ? { brand: text } : { q: text };
}
