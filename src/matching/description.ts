import { foldProse } from '../text/fold.js';
import { lazy } from '../text/memoize.js';
import { splitWords, tokenize } from '../text/tokenize.js';
import { conceptsOf, PLATFORMS } from '../text/vocabulary.js';
import { readMeasures } from './measures.js';

/** The maximum length of a description that is read, in characters. The rest is ignored. */
const MAX_DESCRIPTION = 200;

/** Reads the facts at the beginning of a description that the listing's name may leave out. */
export const readDescription = (description: string | null) =>
  description === null || description === '' ? NOTHING : readText(description.slice(0, MAX_DESCRIPTION));

function readText(beginning: string) {
  const folded = foldProse(beginning);
  const tokens = tokenize(folded);
  const words = new Set<string>();
  /** The model and part numbers, including those that are written as two or three words. */
  const codes = new Set<string>();
  tokens.forEach(({ text, kind, pieces }, at) => {
    words.add(text);
    for (const piece of pieces) words.add(piece);
    if (kind === 'word') return;
    if (kind === 'code') codes.add(text);
    const before = tokens[at - 1]?.text ?? '';
    const after = tokens[at + 1]?.text ?? '';
    for (const joined of [before + text, text + after, before + text + after]) codes.add(joined);
  });
  return {
    words,
    codes,
    platforms: conceptsOf(PLATFORMS, splitWords(folded)),
    /** Reads the quantities on demand, because few comparisons need them. */
    measures: lazy(() => readMeasures(folded)),
  };
}

const NOTHING = readText('');
