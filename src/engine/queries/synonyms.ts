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

/** A text that is searched for in the place of words of the query text. */
export interface Synonym {
  other: string;
}

/**
 * Parses a line of synonyms: `a, b, c` for texts that all mean the same, or `a, b => c` if `a` and `b` also find
 * `c`, but not the reverse.
 * @returns pairs of a text and another one for which it also stands; null if the line is invalid.
 */
export function parseSynonyms(line: string): [text: string, other: string][] | null {
  const sides = line.split('=>').map((side) => side.split(',').map((text) => text.trim()));
  const texts = sides.flat();
  const isValid = texts.every((text) => {
    const { length } = ruleWords(text);
    return length > 0 && length <= RULE_LIMITS.words;
  });
  const isShort = sides.every(({ length }) => length <= RULE_LIMITS.synonymsPerWord + 1);
  if (!isValid || !isShort || sides.length > 2) return null;
  const [from = [], to = from] = sides;
  const pairs = from.flatMap((text) =>
    to.flatMap((other): [string, string][] => (ruleKey(other) === ruleKey(text) ? [] : [[text, other]])),
  );
  return pairs.length === 0 ? null : pairs;
}

/** The words of a text as rules compare them, without case, accents, punctuation and plural. Each ideograph is a word. */
export const ruleWords = (text: string): string[] =>
  splitByScript(foldWords(text)).flatMap((run) => (run.isCjk ? [...run.text] : [singular(run.text)]));

/** The words of a text as rules compare them, separated by blanks. */
export const ruleKey = (text: string): string => ruleWords(text).join(' ');

/** For each word, the texts of the adjacent words that begin with it and that a rule may name, the longest first. */
export const runsOf = (words: readonly string[]): string[][] =>
  words.map((first, start) => {
    const keys = [first];
    for (const word of words.slice(start + 1, start + RULE_LIMITS.words)) keys.unshift(`${keys[0]} ${word}`);
    return keys;
  });

/** Adjacent words of a query text that have synonyms. */
interface SynonymSlot<Entry extends Synonym> {
  /** The index of the first of the words in the text. */
  start: number;
  /** The number of words. */
  length: number;
  entries: Entry[];
}

/**
 * Finds the words of a query text that have synonyms. Where several runs of words begin with the same word, the longest one
 * counts.
 * @param runs the runs of words, as `runsOf` returns them.
 * @param entriesOf returns the synonyms of a run.
 */
export function synonymSlots<Entry extends Synonym>(
  runs: readonly (readonly string[])[],
  entriesOf: (key: string) => Entry[],
): SynonymSlot<Entry>[] {
  const slots: SynonymSlot<Entry>[] = [];
  for (let start = 0; start < runs.length; start += 1) {
    const keys = runs[start] ?? [];
    for (const [shorter, key] of keys.entries()) {
      const entries = entriesOf(key);
      if (entries.length === 0) continue;
      const length = keys.length - shorter;
      slots.push({ start, length, entries });
      start += length - 1;
      break;
    }
  }
  return slots;
}

/**
 * Returns the synonyms of the words of a query text, and the query text without these words, whose spelling is not corrected.
 * @param plain the query text outside of quotes.
 */
export function readSynonyms(
  plain: string,
  slots: readonly SynonymSlot<Synonym>[],
): { synonyms: WordSynonyms[]; correctable: string } {
  const ranges = slots.length === 0 ? [] : wordRanges(plain);
  let left = MAX_SYNONYMS;
  const synonyms = slots.map((slot) => {
    const [from, to] = rangeOf(slot, ranges);
    const others = slot.entries.slice(0, left).map(({ other }) => other);
    left -= others.length;
    return { from, to, others };
  });
  return { synonyms, correctable: withoutRanges(plain, synonyms) };
}

type TextRanges = readonly (readonly [from: number, to: number])[];

/** Returns the start and end offsets, in the query text, of the words that belong to a slot. */
function rangeOf({ start, length }: SynonymSlot<Synonym>, ranges: TextRanges): [from: number, to: number] {
  const [from = 0] = ranges[start] ?? [];
  const [, to = from] = ranges[start + length - 1] ?? [];
  return [from, to];
}

/** Replaces the words that have synonyms with blanks. All other words keep their positions. */
const withoutRanges = (plain: string, ranges: readonly WordSynonyms[]): string =>
  ranges.reduce((text, { from, to }) => text.slice(0, from) + ' '.repeat(to - from) + text.slice(to), plain);

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
