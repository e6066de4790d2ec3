import { concepts, PLATFORMS } from '../text/vocabulary.js';
import { readMeasures } from './measures.js';
import { fold, words } from '../text/words.js';

/** What the beginning of a description tells that the name may leave out. */
export interface Described {
  words: ReadonlySet<string>;
  /** Codes, also in two or three words. */
  codes: ReadonlySet<string>;
  platforms: ReadonlySet<string>;
  /** Pieces in the box; null: none stated. Few ask, so it is read when one does. */
  count: () => number | null;
}

const MAX_DESCRIPTION = 200;
const NOTHING: Described = { words: new Set(), codes: new Set(), platforms: new Set(), count: () => null };

export function readDescription(description: string | null): Described {
  if (description === null || description === '') return NOTHING;
  const folded = fold(description.slice(0, MAX_DESCRIPTION));
  const tokens = words(folded);
  const codes = new Set<string>();
  tokens.forEach(({ text, kind }, at) => {
    if (kind === 'word') return;
    if (kind === 'code') codes.add(text);
    const before = tokens[at - 1]?.text ?? '';
    const after = tokens[at + 1]?.text ?? '';
    for (const joined of [before + text, text + after, before + text + after]) codes.add(joined);
  });
  const texts = new Set<string>();
  for (const { text, pieces } of tokens) {
    texts.add(text);
    for (const piece of pieces) texts.add(piece);
  }
  return {
    words: texts,
    codes,
    platforms: concepts(PLATFORMS, folded.split(/[^\p{L}\p{N}]+/u)),
    count: () => readMeasures(folded).count,
  };
}
