import { RULE_LIMITS } from '../../schemas/rules.js';
import { foldWithOffsets, foldWords } from '../../text/fold.js';
import { singular } from '../../text/singular.js';
import { splitByScript } from '../../text/tokenize.js';

/** The maximum number of synonyms that a search adds to the words of a query text. */
const MAX_SYNONYMS = 40;

/** The part of a query text that has synonyms, by its offsets, and the texts that stand for it. */
export interface WordSynonyms {
  from: number;
  to: number;
  others: readonly string[];
}

/** The words of a text as rules compare them, without case, accents, punctuation and plural. Each ideograph is a word. */
export const ruleWords = (text: string): string[] =>
  splitByScript(foldWords(text)).flatMap((run) => (run.isCjk ? [...run.text] : [singular(run.text)]));

/** The words of a text as rules compare them, separated by blanks. */
export const ruleKey = (text: string): string => ruleWords(text).join(' ');

/** For each word, the runs of words that begin with it and are short enough for a rule, the longest run first. */
export const runsOf = (words: readonly string[]): string[][] =>
  words.map((first, start) => {
    const keys = [first];
    for (const word of words.slice(start + 1, start + RULE_LIMITS.words)) keys.unshift(`${keys[0]} ${word}`);
    return keys;
  });

/**
 * Finds the words of a query text that have synonyms. Where several runs of words begin with the same word, the longest one counts.
 * @param plain the query text outside of quotes.
 * @param runs the runs of its words, as `runsOf` returns them.
 * @param entriesOf returns the synonyms of a run.
 * @returns the synonyms, also as entries, and the query text with blanks in the place of these words, whose spelling is not
 * corrected. All other words keep their positions.
 */
export function readSynonyms<Entry extends { other: string }>(
  plain: string,
  runs: readonly (readonly string[])[],
  entriesOf: (key: string) => readonly Entry[],
): { entries: Entry[]; synonyms: WordSynonyms[]; correctable: string } {
  const entries: Entry[] = [];
  const synonyms: WordSynonyms[] = [];
  let ranges: TextRanges | undefined;
  let correctable = plain;
  let left = MAX_SYNONYMS;
  let start = 0;
  while (start < runs.length) {
    const found = (runs[start] ?? []).map(entriesOf);
    const longest = found.findIndex((some) => some.length > 0);
    const some = found[longest];
    if (some === undefined) {
      start += 1;
      continue;
    }
    const end = start + found.length - longest;
    ranges ??= wordRanges(plain);
    const [from = 0] = ranges[start] ?? [];
    const [, to = from] = ranges[end - 1] ?? [];
    const others = some.slice(0, left).map(({ other }) => other);
    entries.push(...some);
    synonyms.push({ from, to, others });
    correctable = correctable.slice(0, from) + ' '.repeat(to - from) + correctable.slice(to);
    left -= others.length;
    start = end;
  }
  return { entries, synonyms, correctable };
}

type TextRanges = readonly (readonly [from: number, to: number])[];

/** Returns the start and end offsets, in a query text, of each word that `ruleWords` returns for it. */
function wordRanges(plain: string): TextRanges {
  const { text, from } = foldWithOffsets(plain);
  return splitByScript(text).flatMap((run) => {
    let at = run.at;
    return (run.isCjk ? [...run.text] : [run.text]).map((part): [number, number] => {
      const start = at;
      at += part.length;
      return [from[start]?.[0] ?? 0, from[at - 1]?.[1] ?? plain.length];
    });
  });
}
