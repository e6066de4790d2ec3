import type { estypes } from '@elastic/elasticsearch';
import { allWords, identified, wordClauses } from './search.js';
import { isForm, isHeard, isSlip, isSlipOfName, MIN_CORRECTED_LENGTH } from './slip.js';
import { SEARCH_TUNING, type SearchTuning } from './tuning.js';

/** Of so many words near an unknown one the one that was meant is chosen. */
const OPTIONS = 5;
/** A word that sounds the same may be so many times rarer than one that is as near. */
const RARER = 10;

/**
 * Asks the engine, in the request that searches, for words of `q` that no listing's name, brand, category or
 * attribute has, and for a word one typo away, of a long word two. It costs next to nothing where all words are known, which a fuzzy
 * query does not. Words with a digit are never corrected: XM4 is not XM5.
 */
export function spellingSuggestion(q: string, tuning: SearchTuning = SEARCH_TUNING): estypes.SearchSuggester {
  return {
    spelling: {
      text: firstWords(q, tuning.maxLookupWords),
      term: {
        field: 'internal.words',
        suggest_mode: 'missing',
        // Two edits of a word cost twice as much to look for.
        max_edits: q.trim().split(/\s+/).length <= tuning.maxJoinedWords ? 2 : 1,
        // Typos in the first letter count too.
        prefix_length: 0,
        // Of the stem: "keys" has four letters, its stem three.
        min_word_length: MIN_CORRECTED_LENGTH - 1,
        size: OPTIONS,
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
  const entries = entriesOf(suggest);
  return replaced(q, entries, (entry) => meantBy(entry, entries.length === 1));
}

type Entry = NonNullable<estypes.SearchResponse['suggest']>[string][number];
type Option = estypes.SearchTermSuggestOption;

const entriesOf = (suggest: estypes.SearchResponse['suggest']): Entry[] =>
  [suggest?.['spelling'] ?? []].flat();
const optionsOf = (entry: Entry): Option[] => [entry.options].flat() as Option[];

/** The nearest word, or one that sounds the same if it is as near or the nearest cannot be meant; null: none is meant. */
function meantBy(entry: Entry, isAlone: boolean): string | null {
  const options = optionsOf(entry);
  const [nearest] = options;
  if (nearest === undefined || options.some(({ text }) => isForm(entry.text, text))) return null;
  const isMeant = isSlip(entry.text, nearest.text, isAlone);
  const heard = options.find(
    (option) =>
      isHeard(entry.text, option.text) &&
      !(isMeant && (option.score < nearest.score || option.freq * RARER < nearest.freq)),
  );
  return heard?.text ?? (isMeant ? nearest.text : null);
}

function replaced(
  q: string,
  entries: readonly Entry[],
  meant: (entry: Entry) => string | null,
): string | null {
  let corrected = '';
  let end = 0;
  for (const entry of entries) {
    const word = meant(entry);
    if (word === null) continue;
    corrected += q.slice(end, entry.offset) + word;
    end = entry.offset + entry.length;
  }
  return end === 0 ? null : corrected + q.slice(end);
}

/** What may have been meant where nothing is found: the nearest word for each unknown one, slip or not. */
export function guessedText(q: string, suggest: estypes.SearchResponse['suggest']): string | null {
  return replaced(
    q,
    entriesOf(suggest),
    (entry) => meantBy(entry, false) ?? optionsOf(entry)[0]?.text ?? null,
  );
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

/** The same for a text that names a product, where a word must be plainly misspelt. "Pampers" is not paper. */
export function correctedName(q: string, suggest: estypes.SearchResponse['suggest']): string | null {
  return replaced(q, entriesOf(suggest), (entry) => {
    const [nearest] = optionsOf(entry);
    return nearest !== undefined && isSlipOfName(entry.text, nearest.text) ? nearest.text : null;
  });
}
