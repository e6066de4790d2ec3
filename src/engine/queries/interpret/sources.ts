import {
  COUNTRIES,
  NOT_NEGATED,
  anyWordOf,
  OPTIONAL_GAP,
  pattern,
  type ParameterPhrase,
  WORD_END,
  words,
} from './vocabulary.js';

/** The name of a shop: up to four words of Latin letters and digits, like the codes of sources. */
const NAME = `([a-z0-9]+(?:[ _.-][a-z0-9]+){0,3})`;
const SOLD = pattern(
  `${NOT_NEGATED}(?<![a-z0-9])${anyWordOf(words('soldBy'))}${OPTIONAL_GAP}${NAME}${WORD_END}`,
);
const OR_ANOTHER = new RegExp(`^${OPTIONAL_GAP}${anyWordOf(words('orSoldBy'))}${OPTIONAL_GAP}${NAME}`, 'iu');
const PARTICLES = /^上?[买卖]?的?/u;

/** Whether a text may name a shop. If it does not, it is interpreted without reading the sources of the catalogue. */
export const mayNameSource = (text: string): boolean => text.search(SOLD) !== -1;

/** For each name of a shop, the codes of the sources that are the name or start with it and a separator. */
export type SourceNames = ReadonlyMap<string, readonly string[]>;

/** Builds the table of shop names. @param codes the codes of all sources. */
export function namesOf(codes: readonly string[]): SourceNames {
  const names = new Map<string, string[]>();
  for (const code of codes) {
    const words = wordsOfName(code);
    for (const [at] of words.entries()) {
      const name = words.slice(0, at + 1).join('_');
      // A single letter or a number is left out of the table, because it does not count as the name of a shop.
      if (name.length < 2 || !/[a-z]/.test(name)) continue;
      const known = names.get(name);
      if (known === undefined) names.set(name, [code]);
      else known.push(code);
    }
  }
  return names;
}

/** Finds the sources that a query text names; null if it names no known source. */
export function readSource(text: string, names: SourceNames): ParameterPhrase | null {
  SOLD.lastIndex = 0;
  for (let found = SOLD.exec(text); found !== null; found = SOLD.exec(text)) {
    // The search continues right after the start of this phrase, because a later "from" may be the one that a shop follows.
    SOLD.lastIndex = found.index + 1;
    const [words, name = ''] = found;
    const first = codesOf(name, names);
    if (first === null) continue;
    const codes = new Set(first.codes);
    let to = found.index + words.length - name.length + first.length;
    for (;;) {
      const [another = '', other = ''] = OR_ANOTHER.exec(text.slice(to)) ?? [];
      const next = codesOf(other, names);
      if (next === null) break;
      for (const code of next.codes) codes.add(code);
      to += another.length - other.length + next.length;
    }
    to += PARTICLES.exec(text.slice(to))?.[0].length ?? 0;
    const value = [...codes].sort().join('|');
    return { from: found.index, to, parameters: [{ parameter: 'source', value }] };
  }
  return null;
}

/** Finds the longest start of a name that is the name of a known shop. */
function codesOf(name: string, names: SourceNames): { codes: readonly string[]; length: number } | null {
  const ends = [...name.matchAll(/[ _.-]|$/g)].map(({ index }) => index).reverse();
  for (const length of ends) {
    // If a dot or hyphen follows a known name, it is another shop: `amazon.com` is not `amazon`.
    if (/^[_.-]/.test(name.slice(length))) continue;
    const codes = names.get(wordsOfName(name.slice(0, length)).join('_'));
    // If a country follows the name of the shop and the shop has no source there, no source is named: its
    // sources in other countries do not count.
    const [, next = ''] = /^ ([a-z]+)/i.exec(name.slice(length)) ?? [];
    if (codes !== undefined) return COUNTRIES[next.toLowerCase()] === undefined ? { codes, length } : null;
  }
  return null;
}

const wordsOfName = (name: string): string[] =>
  name
    .toLowerCase()
    .split(/[\s_.-]+/)
    .map((word, at) => (at === 0 ? word : (COUNTRIES[word] ?? word)));
