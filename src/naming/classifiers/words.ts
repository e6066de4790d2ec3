import { evidence, evidenceOf, type Proposals } from '../evidence.js';
import { fits, LEXICON, LISTS, MAX_PHRASE } from '../lexicon.js';
import { GAP, type Tokens } from '../tokens.js';

const FIRST = LISTS.map((list) => evidence(`lexicon ${list}`));
const INSIDE = LISTS.map((list) => evidence(`lexicon ${list} (continued)`));
const PHRASE = LISTS.map((list) => evidence(`lexicon phrase ${list}`));
const ONLY = LISTS.map((list) => evidence(`lexicon only ${list}`));
const { last, unknown } = evidenceOf('lexicon', ['last', 'unknown']);

/** Proposes the roles of the words and phrases of the lexicons. The longest phrase at a place wins. */
export function classifyWords(tokens: Tokens, proposals: Proposals): void {
  const { text, gap } = tokens;
  for (let from = 0; from < text.length;) {
    let key = '';
    let end = from + 1;
    let lists: readonly number[] = [];
    for (let to = from; to < Math.min(text.length, from + MAX_PHRASE); to += 1) {
      if (to > from && gap[to] === GAP.mark) break;
      key += text[to] ?? '';
      const entry = LEXICON.get(key) ?? (key.endsWith('+') ? LEXICON.get(key.slice(0, -1)) : undefined);
      if (entry !== undefined && fits(entry, key, to - from + 1)) {
        lists = entry.lists;
        end = to + 1;
      }
    }
    for (const list of lists) proposals.addSpan(from, end, FIRST[list] ?? 0, INSIDE[list] ?? 0);
    const [list] = lists;
    if (lists.length === 1 && list !== undefined)
      for (let at = from; at < end; at += 1) {
        proposals.add(at, ONLY[list] ?? 0);
        if (end > from + 1) proposals.add(at, PHRASE[list] ?? 0);
      }
    if (lists.length === 0) proposals.add(from, unknown);
    else proposals.add(end - 1, last);
    from = end;
  }
}
