import type { estypes } from '@elastic/elasticsearch';
import { allWords, identified, wordClauses } from './search.js';
import { SEARCH_TUNING, type SearchTuning } from './tuning.js';

/** A shorter word has too many neighbours for one of them to be meant. */
const MIN_CORRECTED_LENGTH = 4;

/**
 * Asks the engine, in the request that searches, for words of `q` that no listing's name, brand, category or
 * attribute has, and for a word one typo away. It costs next to nothing where all words are known, which a fuzzy
 * query does not. Words with a digit are never corrected: XM4 is not XM5.
 */
export function spellingSuggestion(q: string, tuning: SearchTuning = SEARCH_TUNING): estypes.SearchSuggester {
  return {
    spelling: {
      text: firstWords(q, tuning.maxLookupWords),
      term: {
        field: 'internal.words',
        suggest_mode: 'missing',
        max_edits: 1,
        // Typos in the first letter count too.
        prefix_length: 0,
        // Of the stem: "keys" has four letters, its stem three.
        min_word_length: MIN_CORRECTED_LENGTH - 1,
        size: 1,
      },
    },
  };
}

/** The beginning of `q`, as typed, so that places in it are places in `q`. */
function firstWords(q: string, count: number): string {
  return new RegExp(`^(?:\\s*\\S+(?=\\s|$)){0,${count}}`).exec(q)?.[0] ?? '';
}

/**
 * @param suggest the `suggest` part of the answer to `spellingSuggestion(q)`.
 * @returns `q` with its unknown words replaced by their neighbours (stems, made for the engine and not to be shown),
 * or null where nothing is to be corrected.
 */
export function correctedText(q: string, suggest: estypes.SearchResponse['suggest']): string | null {
  let corrected = '';
  let end = 0;
  for (const entry of suggest?.['spelling'] ?? []) {
    const best = [entry.options].flat()[0];
    if (best === undefined || entry.length < MIN_CORRECTED_LENGTH) continue;
    corrected += q.slice(end, entry.offset) + best.text;
    end = entry.offset + entry.length;
  }
  return end === 0 ? null : corrected + q.slice(end);
}

/**
 * The search to send when words as typed are unknown: the corrected text, and before it the listings in which all
 * words as typed do occur (in a description, which the spelling does not know) or which they identify.
 */
export function correctedQuery(
  q: string,
  corrected: string,
  tuning: SearchTuning = SEARCH_TUNING,
): estypes.QueryDslQueryContainer {
  const asTyped = [allWords(q, 2 * tuning.allWords, tuning), identified(q, tuning)];
  return { bool: { should: [...wordClauses(corrected, tuning), ...asTyped] } };
}

/** In a name a word is another thing more often than a slip of the pen, so that only plain slips are corrected. */
const MIN_PLAIN_LENGTH = 8;

/**
 * The same for a text that names a product: a word begins with the same letter, and either has two letters swapped or
 * is long. "Pampers" is not paper.
 */
export function correctedName(q: string, suggest: estypes.SearchResponse['suggest']): string | null {
  const entries = [suggest?.['spelling'] ?? []].flat().filter(({ text, options }) => {
    const best = [options].flat()[0]?.text ?? '';
    const swapped = [...text].sort().join('') === [...best].sort().join('');
    return text.charAt(0) === best.charAt(0) && (swapped || text.length >= MIN_PLAIN_LENGTH);
  });
  return correctedText(q, { spelling: entries });
}
