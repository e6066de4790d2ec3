import { evidenceOf, type Proposals } from '../evidence.js';
import { isIn, isListed } from '../lexicon.js';
import { GAP, type Tokens } from '../tokens.js';

const E = evidenceOf('surroundings', [
  ...(['program', 'optics', 'number of a program', 'unknown word of a program'] as const),
  ...(['letters of optics', 'letters beside a number', 'repeated code', 'repeated word'] as const),
  ...(['accessory later', 'accessory before', 'unknown before noun', 'unknown after noun'] as const),
  ...(['unknown without noun', 'unknown first', 'unknown later part', 'number after unknown'] as const),
  ...(['number after tier', 'number last', 'number before noun', 'number after noun'] as const),
  ...(['number between word and amount'] as const),
]);
const MAX_LETTERS = 3;
const MIN_CODE = 5;
const MAX_RUN = 5;

/** Proposes what the words around a word say: of a program or a lens, a number, the same word. @param signs from `classifyWords`. */
export function classifySurroundings(tokens: Tokens, proposals: Proposals, signs: ReadonlySet<string>): void {
  const { text, gap } = tokens;
  const isProgram = text.some((word) => isIn('program', word));
  const isOptics = !isProgram && text.some((word) => isIn('optics', word));
  const accessories = text.map((word) => isIn('accessory', word));
  const nouns = text.map((word) => isIn('kind', word));
  const [firstNoun, lastNoun] = [nouns.indexOf(true), nouns.lastIndexOf(true)];
  const [firstAccessory, lastAccessory] = [accessories.indexOf(true), accessories.lastIndexOf(true)];
  const seen = new Set<string>();
  let part = 0;
  for (let at = 0; at < text.length; at += 1) {
    const word = text[at] ?? '';
    if (at > 0 && gap[at] === GAP.mark) part += 1;
    const isNumber = /^\d/.test(word);
    const isUnknown = !isListed(word, signs);
    const [previous, next] = [text[at - 1] ?? '', text[at + 1] ?? ''];
    const letters = !/\d/.test(word);
    const found = [
      isProgram ? E.program : isOptics ? E.optics : 0,
      isProgram && isNumber ? E['number of a program'] : 0,
      isProgram && letters && isUnknown ? E['unknown word of a program'] : 0,
      isOptics && letters && word.length <= MAX_LETTERS && !isIn('generation', word)
        ? E['letters of optics']
        : 0,
      letters && isUnknown && word.length <= MAX_LETTERS && (/\d/.test(previous) || /\d/.test(next))
        ? E['letters beside a number']
        : 0,
      word.length > 1 && seen.has(word) ? E['repeated word'] : 0,
      at < lastAccessory ? E['accessory later'] : 0,
      firstAccessory >= 0 && at > firstAccessory ? E['accessory before'] : 0,
    ];
    if (letters && isUnknown)
      found.push(
        at === 0 ? E['unknown first'] : 0,
        firstNoun < 0
          ? E['unknown without noun']
          : at < lastNoun
            ? E['unknown before noun']
            : E['unknown after noun'],
        part > 0 ? E['unknown later part'] : 0,
      );
    if (isNumber)
      found.push(
        previous !== '' && !isListed(previous, signs) && !/\d/.test(previous) ? E['number after unknown'] : 0,
        isIn('tier', previous) ? E['number after tier'] : 0,
        at + 1 === text.length ? E['number last'] : 0,
        /\p{L}$/u.test(previous) && /^\d/.test(next) && gap[at + 1] === GAP.blank
          ? E['number between word and amount']
          : 0,
        firstNoun >= 0 ? (at < lastNoun ? E['number before noun'] : E['number after noun']) : 0,
      );
    for (const kind of found) proposals.add(at, kind);
    if (word.length >= MIN_CODE && /\d/.test(word) && !letters) repeatedCode(text, at, proposals);
    seen.add(word);
  }
}

/** Proposes a run of tokens that the name also contains written as one: `KU 15 LA 60` and `KU15LA60`. */
function repeatedCode(text: readonly string[], code: number, proposals: Proposals): void {
  const word = text[code] ?? '';
  for (let from = 0; from < text.length; from += 1) {
    let joined = '';
    for (let to = from; to < Math.min(text.length, from + MAX_RUN) && joined.length < word.length; to += 1) {
      joined += text[to] ?? '';
      if (joined !== word || (from <= code && code <= to)) continue;
      for (let at = from; at <= to; at += 1) proposals.add(at, E['repeated code']);
      proposals.add(code, E['repeated code']);
    }
  }
}
