import type { estypes } from '@elastic/elasticsearch';
import { isNotFound } from '../../engine/errors.js';
import type { Context } from '../context.js';
import { searchOf, suggestionsRequest } from '../../engine/queries/suggestions.js';
import { noSuggestions } from '../../platform/errors.js';
import {
  type StoredSuggestion,
  SUGGESTION_TYPES,
  type Suggestion,
  type SuggestionType,
} from '../../schemas/suggestion.js';
import { foldWithOffsets, foldWords } from '../../text/fold.js';
import { splitByScript } from '../../text/tokenize.js';
import { isOneEdit } from '../../text/typo.js';

/** Returns suggestions for the text that a shopper has typed so far, the best first. */
export async function findSuggestions(
  context: Context,
  query: { q: string; types?: readonly SuggestionType[]; limit?: number },
) {
  const { q, types = SUGGESTION_TYPES, limit = 8 } = query;
  const request = suggestionsRequest(q, { types, limit });
  const found = request === null ? [] : await read(context, request);
  const items = found.map(({ type, text, count }): Suggestion => ({
    type,
    text,
    matched: matchedRanges(text, q),
    count,
    search: searchOf(type, text),
  }));
  return { body: { q, items } };
}

/** Reads suggestions. @throws ApiError 503 if none were ever built, unless the catalogue is empty. */
async function read(
  { es, products, suggestions }: Context,
  request: NonNullable<ReturnType<typeof suggestionsRequest>>,
): Promise<StoredSuggestion[]> {
  const search = () =>
    es.search<StoredSuggestion>({
      index: suggestions,
      ...request,
      filter_path: ['took', 'hits.hits._source'],
    });
  try {
    // A build may have deleted the index after the alias was resolved, so a 404 is retried once.
    const found: { hits?: estypes.SearchHitsMetadata<StoredSuggestion> } = await search().catch(
      (error: unknown) => {
        if (isNotFound(error)) return search();
        throw error;
      },
    );
    return (found.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const { count } = await es.count({ index: products, terminate_after: 1 });
    if (count > 0) throw noSuggestions();
    return [];
  }
}

/** The start and end (exclusive) of a part of a text, in UTF-16 code units. */
type TextRange = [start: number, end: number];

/** Returns the ranges of a suggestion that match the typed text. A word with a typo matches as far as it was typed. */
export function matchedRanges(text: string, typed: string): TextRange[] {
  const folded = foldWithOffsets(text);
  const foldedTyped = foldWords(typed);
  const rangeOf = (start: number, end: number): TextRange => [
    folded.from[start]?.[0] ?? 0,
    folded.from[end - 1]?.[1] ?? text.length,
  ];
  const whole = endOfMatch(folded.text, 0, foldedTyped.replaceAll(' ', ''));
  if (whole !== null) return [rangeOf(0, whole)];
  // A match in a Chinese or Japanese suggestion may begin at any character; in any other one, at the beginning of a word.
  const starts = splitByScript(folded.text).flatMap(({ text: word, at, isCjk }) =>
    isCjk ? [...word].map((_, index) => at + index) : [at],
  );
  const ranges = splitByScript(foldedTyped).flatMap(({ text: word }) => {
    const match =
      firstMatch(starts, (start) => endOfMatch(folded.text, start, word)) ??
      firstMatch(starts, (start) => endOfFuzzyMatch(folded.text, start, word));
    return match === null ? [] : [rangeOf(...match)];
  });
  return merged(ranges);
}

function firstMatch(starts: readonly number[], endOf: (start: number) => number | null): TextRange | null {
  for (const start of starts) {
    const end = endOf(start);
    if (end !== null) return [start, end];
  }
  return null;
}

/** Returns where the typed text, without its blanks, ends in a suggestion if it starts at a position; otherwise null. */
function endOfMatch(folded: string, start: number, typed: string): number | null {
  let end = start;
  for (const letter of typed) {
    while (end > start && folded[end] === ' ') end += 1;
    if (!folded.startsWith(letter, end)) return null;
    end += letter.length;
  }
  return end;
}

/** Returns where a typed word with one typo ends in a folded suggestion, if it begins at `start`; otherwise null. */
function endOfFuzzyMatch(folded: string, start: number, typed: string): number | null {
  const [word = ''] = folded.slice(start).split(' ', 1);
  // The most frequent typo is a missing letter, so the part of the word with one letter more is tried first.
  const lengths = [typed.length + 1, typed.length, typed.length - 1];
  const length = lengths.find(
    (size) => size <= word.length && isOneEdit(word.slice(0, size), typed, { transposed: true }),
  );
  return length === undefined ? null : start + length;
}

function merged(ranges: readonly TextRange[]): TextRange[] {
  const result: TextRange[] = [];
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
