import type { estypes } from '@elastic/elasticsearch';
import { LEXICON } from '../../naming/lexicon.js';
import { foldValue } from '../../text/fold.js';
import { blankedStopWords } from '../../text/stop-words.js';
import {
  hasWrongFirstLetter,
  isInflection,
  soundsLike,
  isTypo,
  isTypoInName,
  MIN_CORRECTED_LENGTH,
} from '../../text/typo.js';
import { SEARCH_TUNING } from './tuning.js';

const OPTIONS = 5;
/** The maximum number of words of a text for which suggestions that differ by two edits are requested. */
const SHORT = 6;
/** The maximum length of a word whose spelling is corrected, because Elasticsearch takes very long for longer words. */
const MAX_CORRECTED_LENGTH = 30;
/** A suggestion that sounds like the typed word is preferred to the nearest one, unless that is this many times as frequent. */
const RARER = 10;

const WORDS = 'internal.words';

/**
 * Asks for spelling suggestions for the words of `q` that no listing has in its name, brand, category or
 * attributes: words one edit away, or two if the text is short. Unlike a fuzzy query, this costs next to
 * nothing if all words are known. Words with a digit are never corrected: XM4 is not XM5.
 */
export function spellingSuggestion(q: string): estypes.SearchSuggester {
  return {
    spelling: {
      text: withoutLongWords(firstWords(q, SEARCH_TUNING.maxLookupWords)),
      term: {
        field: WORDS,
        suggest_mode: 'missing',
        // In long texts, only suggestions that differ by one edit are requested, because two edits cost twice as much.
        max_edits: q.trim().split(/\s+/).length <= SHORT ? 2 : 1,
        // No beginning of a word needs to be equal, because typos in the first letter are corrected, too.
        prefix_length: 0,
        // The minimum length is reduced by one letter, because Elasticsearch compares the length of the stem:
        // "keys" has four letters, but its stem three.
        min_word_length: MIN_CORRECTED_LENGTH - 1,
        size: OPTIONS,
      },
    },
  };
}

/** Asks for spelling suggestions for those words of a text that no listing has. A stop word is never a typo. */
export function suggestionFor(plain: string): { suggest?: estypes.SearchSuggester } {
  const text = blankedStopWords(plain);
  return text.trim() === '' ? {} : { suggest: spellingSuggestion(text) };
}

/** Matches sequences of characters that may be one word for the analyzer and are too long to be corrected. */
const LONG_WORDS = new RegExp(
  `[\\p{L}\\p{M}\\p{N}\\p{Pc}\\p{Cf}.,:;·'’]{${MAX_CORRECTED_LENGTH + 1},}`,
  'gu',
);

/** Replaces long words with blanks, so that the other words keep their offsets. */
const withoutLongWords = (text: string): string =>
  text.replace(LONG_WORDS, (word) => ' '.repeat(word.length));

/** The first words of `q` with all white space, so that the words keep their offsets. */
function firstWords(q: string, count: number): string {
  return new RegExp(`^(?:\\s*\\S+(?=\\s|$)){0,${count}}`).exec(q)?.[0] ?? '';
}

/** The words with suggestions, aggregations that count the listings that have them, and the suggestions without those words. */
export function unknownWords(suggest: estypes.SearchResponse['suggest']) {
  const entries = entriesOf(suggest);
  const words = entries.filter((entry) => optionsOf(entry).length > 0).map(({ text }) => text);
  const aggs = Object.fromEntries(
    words.map((word, at) => [`word_${at}`, { filter: { term: { [WORDS]: word } } }]),
  );
  const without = (counted: estypes.SearchResponse['aggregations']): estypes.SearchResponse['suggest'] => {
    type Counted = estypes.AggregationsFilterAggregate | undefined;
    const known = new Set(
      words.filter((_, at) => ((counted?.[`word_${at}`] as Counted)?.doc_count ?? 0) > 0),
    );
    return { spelling: entries.filter(({ text }) => !known.has(text)) };
  };
  return { words, aggs, without };
}

/**
 * Corrects the unknown words of a query text.
 * @param suggest the answer to `spellingSuggestion(q)`.
 * @returns `q` with suggestions, which are stems and not meant for display; null if nothing is corrected.
 */
export function correctedText(q: string, suggest: estypes.SearchResponse['suggest']): string | null {
  return replaced(q, entriesOf(suggest), correctionOf);
}

type SuggestEntry = NonNullable<estypes.SearchResponse['suggest']>[string][number];
type SuggestOption = estypes.SearchTermSuggestOption;

const entriesOf = (suggest: estypes.SearchResponse['suggest']): SuggestEntry[] =>
  [suggest?.['spelling'] ?? []].flat();
const optionsOf = (entry: SuggestEntry): SuggestOption[] => [entry.options].flat() as SuggestOption[];

/**
 * The correction of an unknown word; null if there is none. It is the nearest suggestion if this differs by a
 * typo. A homophone is preferred if it is as near and not much rarer, or if the nearest one is not a typo.
 * @param typed the word as typed. The analyzer removes the last letter of "wireles" like a plural ending.
 */
function correctionOf(entry: SuggestEntry, typed: string): string | null {
  const options = optionsOf(entry);
  const clipped = options.find(({ text }) => text.endsWith('ss') && text === `${typed.toLowerCase()}s`);
  if (clipped !== undefined) return clipped.text;
  const [nearest] = options;
  if (nearest === undefined || options.some(({ text }) => isInflection(entry.text, text))) return null;
  const isNearestTypo = isTypo(entry.text, nearest.text);
  const homophone = options.find(
    (option) =>
      soundsLike(entry.text, option.text) &&
      !(isNearestTypo && (option.score < nearest.score || option.freq * RARER < nearest.freq)),
  );
  return homophone?.text ?? (isNearestTypo ? nearest.text : null);
}

function replaced(
  q: string,
  entries: readonly SuggestEntry[],
  correct: (entry: SuggestEntry, typed: string) => string | null,
): string | null {
  let corrected = '';
  let end = 0;
  for (const entry of entries) {
    const word = correct(entry, q.slice(entry.offset, entry.offset + entry.length));
    if (word === null) continue;
    corrected += q.slice(end, entry.offset) + word;
    end = entry.offset + entry.length;
  }
  return end === 0 ? null : corrected + q.slice(end);
}

/** Corrects the text of a search that finds nothing, for the hint "did you mean", also by uncertain corrections. */
export function guessedText(q: string, suggest: estypes.SearchResponse['suggest']): string | null {
  return replaced(q, entriesOf(suggest), (entry, typed) => {
    const other = optionsOf(entry).find(({ text }) => hasWrongFirstLetter(entry.text, text));
    return correctionOf(entry, typed) ?? other?.text ?? null;
  });
}

/**
 * Corrects typos in a text that may be the name of a product: clear typos, and typos of words in the lexicon, such as
 * "keyboard", as a search does. Other words may be names, so they stay: "Lenova" is not a typo of "Lenovo", and "iPhone" none of
 * "phone".
 */
export function correctedName(q: string, suggest: estypes.SearchResponse['suggest']): string | null {
  return replaced(q, entriesOf(suggest), (entry, typed) => {
    const [nearest] = optionsOf(entry);
    if (nearest !== undefined && isTypoInName(entry.text, nearest.text)) return nearest.text;
    const word = correctionOf(entry, typed);
    return word !== null && LEXICON.has(word) && entry.text.slice(1) !== word ? word : null;
  });
}

/** The texts of a found listing from which the written forms of corrected words are taken. */
export interface WrittenTexts {
  _source?: { name?: string | null; brand?: string | null; category?: string | null } | undefined;
}

const LETTERS = /[\p{L}\p{M}]+/gu;

/**
 * The displayed form of a corrected text. Elasticsearch suggests stems ("watche"); listings have the words ("watches").
 * @param typed the text before the correction; its words stay unchanged.
 * @param hits listings that the corrected text found.
 */
export function asListingsWriteIt(corrected: string, typed: string, hits: readonly WrittenTexts[]): string {
  const kept = new Set(typed.match(LETTERS));
  const written = [
    ...new Set(hits.flatMap(({ _source: source }) => (source === undefined ? [] : wordsOfListing(source)))),
  ];
  return corrected.replace(LETTERS, (stem) =>
    kept.has(stem) || written.includes(stem) ? stem : (written.find((word) => stemOf(word) === stem) ?? stem),
  );
}

const wordsOfListing = ({ name, brand, category }: NonNullable<WrittenTexts['_source']>): string[] =>
  foldValue([name, brand, category].join(' ')).match(LETTERS) ?? [];

/** Computes the stem of a word as the analyzer `spelling` does (Lucene's `minimal_english`). */
function stemOf(word: string): string {
  if (/[^ae]ies$/.test(word)) return word.replace(/ies$/, 'y');
  return /(?:[us]s|[aeio]es)$/.test(word) ? word : word.replace(/s$/, '');
}
