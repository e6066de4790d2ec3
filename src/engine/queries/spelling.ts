import type { estypes } from '@elastic/elasticsearch';
import { allWords, identified, wordClauses } from './search.js';
import {
  hasWrongStart,
  isForm,
  isHeard,
  isSlip,
  isSlipOfName,
  MIN_CORRECTED_LENGTH,
} from '../../text/typo.js';
import { SEARCH_TUNING, type SearchTuning } from './tuning.js';

/** Of so many words near an unknown one the one that was meant is chosen. */
const OPTIONS = 5;
/** The engine takes very long to find the neighbours of a longer word, and shoppers do not type such words. */
const LONGEST_CORRECTED = 30;
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
      text: withoutLongWords(firstWords(q, tuning.maxLookupWords)),
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

/** What may be one token to the engine: letters, digits, and the marks that join them. */
const LONG_WORDS = new RegExp(`[\\p{L}\\p{M}\\p{N}\\p{Pc}\\p{Cf}.,:;·'’]{${LONGEST_CORRECTED + 1},}`, 'gu');

/** With blanks in place of long words, so that offsets stay those of `text`. */
const withoutLongWords = (text: string): string =>
  text.replace(LONG_WORDS, (word) => ' '.repeat(word.length));

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
  return replaced(q, entriesOf(suggest), meantBy);
}

type Entry = NonNullable<estypes.SearchResponse['suggest']>[string][number];
type Option = estypes.SearchTermSuggestOption;

const entriesOf = (suggest: estypes.SearchResponse['suggest']): Entry[] =>
  [suggest?.['spelling'] ?? []].flat();
const optionsOf = (entry: Entry): Option[] => [entry.options].flat() as Option[];

/**
 * The nearest word, or one that sounds the same if it is as near or the nearest cannot be meant; null: none is meant.
 * @param typed the word of `entry` as typed: analysis takes the last letter of "wireles" for a plural.
 */
function meantBy(entry: Entry, typed: string): string | null {
  const options = optionsOf(entry);
  const clipped = options.find(({ text }) => text.endsWith('ss') && text === `${typed.toLowerCase()}s`);
  if (clipped !== undefined) return clipped.text;
  const [nearest] = options;
  if (nearest === undefined || options.some(({ text }) => isForm(entry.text, text))) return null;
  const isMeant = isSlip(entry.text, nearest.text);
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
  meant: (entry: Entry, typed: string) => string | null,
): string | null {
  let corrected = '';
  let end = 0;
  for (const entry of entries) {
    const word = meant(entry, q.slice(entry.offset, entry.offset + entry.length));
    if (word === null) continue;
    corrected += q.slice(end, entry.offset) + word;
    end = entry.offset + entry.length;
  }
  return end === 0 ? null : corrected + q.slice(end);
}

/**
 * What may be offered where nothing is found: the text with its typos corrected, also those that are too unsure to be
 * searched for. A word that is merely near another one is not offered: "samsung" is no sarung.
 */
export function guessedText(q: string, suggest: estypes.SearchResponse['suggest']): string | null {
  return replaced(q, entriesOf(suggest), (entry, typed) => {
    const started = optionsOf(entry).find(({ text }) => hasWrongStart(entry.text, text));
    return meantBy(entry, typed) ?? started?.text ?? null;
  });
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
