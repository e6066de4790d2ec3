import { evidenceOf, type Proposals } from '../evidence.js';
import { isIn } from '../lexicon.js';
import { GAP, type Tokens } from '../tokens.js';

const E = evidenceOf('position', [
  ...(['first', 'second', 'last', 'part first', 'part last', 'part alone', 'first part'] as const),
  ...(['second part', 'later part', 'bracket', 'after for', 'after with', 'after noun'] as const),
  ...(['before noun', 'after slash', 'after dash', 'short name', 'no noun', 'always'] as const),
]);
const SHORT_NAME = 3;

/** Proposes roles by the position of a token: first, in brackets, after "for", after the noun. @param signs from `classifyWords`. */
export function classifyPositions(tokens: Tokens, proposals: Proposals, signs: ReadonlySet<string>): void {
  const { text, gap, bracket, between } = tokens;
  const nouns = text.map((word) => isIn('kind', word));
  const [firstNoun, lastNoun] = [nouns.indexOf(true), nouns.lastIndexOf(true)];
  let [part, clause] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const starts = at > 0 && gap[at] === GAP.mark;
    const ends = at + 1 === text.length || gap[at + 1] === GAP.mark;
    if (starts) {
      part += 1;
      if (!/^[\s,/]*$/.test(between[at] ?? '')) clause = 0;
    }
    const found = [
      E.always,
      at === 0 ? E.first : at === 1 ? E.second : 0,
      at + 1 === text.length ? E.last : 0,
      (starts || at === 0) && ends
        ? E['part alone']
        : starts || at === 0
          ? E['part first']
          : ends
            ? E['part last']
            : 0,
      part === 0 ? E['first part'] : part === 1 ? E['second part'] : E['later part'],
      (bracket[at] ?? 0) > 0 ? E.bracket : 0,
      clause === 0 ? 0 : clause,
      /[/&+]/.test(between[at] ?? '') ? E['after slash'] : 0,
      /\s[-–—]\s/.test(between[at] ?? '') ? E['after dash'] : 0,
      text.length <= SHORT_NAME ? E['short name'] : 0,
      firstNoun < 0 ? E['no noun'] : at > firstNoun ? E['after noun'] : 0,
      at < lastNoun ? E['before noun'] : 0,
    ];
    for (const kind of found) if (kind !== 0) proposals.add(at, kind);
    const word = text[at] ?? '';
    if (isIn('target', word, signs)) clause = E['after for'];
    else if (isIn('with', word, signs)) clause = E['after with'];
  }
}
