import { evidence, evidenceOf, type Proposals } from '../evidence.js';
import { type Entry, fits, LEXICON, LISTS, listsIn, MAX_PHRASE, signsIn } from '../lexicon.js';
import { GAP, type Tokens } from '../tokens.js';

const FIRST = LISTS.map((list) => evidence(`lexicon ${list}`));
const INSIDE = LISTS.map((list) => evidence(`lexicon ${list} (continued)`));
const PHRASE = LISTS.map((list) => evidence(`lexicon phrase ${list}`));
const ONLY = LISTS.map((list) => evidence(`lexicon only ${list}`));
const { last, unknown } = evidenceOf('lexicon', ['last', 'unknown']);

/** A run of tokens of a name with its entry in the lexicons; undefined for a word that no lexicon contains. */
interface Found {
  from: number;
  end: number;
  entry: Entry | undefined;
}

/** The words and phrases of a name. The longest phrase of the lexicons at a place wins. */
function phrasesIn({ text, gap }: Tokens): Found[] {
  const phrases: Found[] = [];
  for (let from = 0; from < text.length; from = phrases.at(-1)?.end ?? 0) {
    let key = '';
    const found: Found = { from, end: from + 1, entry: undefined };
    for (let to = from; to < Math.min(text.length, from + MAX_PHRASE); to += 1) {
      if (to > from && gap[to] === GAP.mark) break;
      key += text[to] ?? '';
      const entry = LEXICON.get(key) ?? (key.endsWith('+') ? LEXICON.get(key.slice(0, -1)) : undefined);
      if (entry !== undefined && fits(entry, key, to - from + 1))
        Object.assign(found, { entry, end: to + 1 });
    }
    phrases.push(found);
  }
  return phrases;
}

/** Proposes the roles of the words and phrases of the lexicons. @returns the signs of languages (`signsIn`). */
export function classifyWords(tokens: Tokens, proposals: Proposals): ReadonlySet<string> {
  const phrases = phrasesIn(tokens);
  const signs = signsIn(phrases.flatMap(({ entry }) => entry ?? []));
  for (const { from, end, entry } of phrases) {
    const lists = entry === undefined ? [] : listsIn(entry, signs);
    for (const list of lists) proposals.addSpan(from, end, FIRST[list] ?? 0, INSIDE[list] ?? 0);
    const [list] = lists;
    if (lists.length === 1 && list !== undefined)
      for (let at = from; at < end; at += 1) {
        proposals.add(at, ONLY[list] ?? 0);
        if (end > from + 1) proposals.add(at, PHRASE[list] ?? 0);
      }
    if (lists.length === 0) proposals.add(from, unknown);
    else proposals.add(end - 1, last);
  }
  return signs;
}
