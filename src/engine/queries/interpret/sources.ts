import { ENDS, MAY_GAP, NOT_DENIED, oneOf, pattern, type Span } from './phrase.js';
import { COUNTRIES, OR_SOLD_BY, SOLD_BY } from './words.js';

/** A name of up to four words, as codes are written: other letters are those of the text around it. */
const NAME = `([a-z0-9]+(?:[ _.-][a-z0-9]+){0,3})`;
const SOLD = pattern(`${NOT_DENIED}(?<![a-z0-9])${oneOf(SOLD_BY)}${MAY_GAP}${NAME}${ENDS}`);
const OR_ANOTHER = new RegExp(`^${MAY_GAP}${oneOf(OR_SOLD_BY)}${MAY_GAP}${NAME}`, 'iu');
const BEHIND = /^上?[买卖]?的?/u;

/** Whether a text may say where to buy, so that it is worth while to ask which sources there are. */
export const maySaySource = (text: string): boolean => text.search(SOLD) !== -1;

/** The codes that go by a name: every one that is it, or begins with it and a separator. */
export type SourceNames = ReadonlyMap<string, readonly string[]>;

/** @param codes of all sources that there are. */
export function namesOf(codes: readonly string[]): SourceNames {
  const names = new Map<string, string[]>();
  for (const code of codes) {
    const words = wordsOf(code);
    for (const [at] of words.entries()) {
      const name = words.slice(0, at + 1).join('_');
      // A letter or a number alone is no name.
      if (name.length < 2 || !/[a-z]/.test(name)) continue;
      const known = names.get(name);
      if (known === undefined) names.set(name, [code]);
      else known.push(code);
    }
  }
  return names;
}

/** Where a text says to buy; null: nowhere, or nowhere that is known. */
export function readSource(text: string, names: SourceNames): (Span & { value: string }) | null {
  const sold = new RegExp(SOLD);
  for (let found = sold.exec(text); found !== null; found = sold.exec(text)) {
    // What looked like a name may hold the next `from`.
    sold.lastIndex = found.index + 1;
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
    to += BEHIND.exec(text.slice(to))?.[0].length ?? 0;
    return { from: found.index, to, value: [...codes].sort().join('|') };
  }
  return null;
}

/** The codes that the longest beginning of a name is that of, and how long it is. */
function codesOf(name: string, names: SourceNames): { codes: readonly string[]; length: number } | null {
  const ends = [...name.matchAll(/[ _.-]|$/g)].map(({ index }) => index).reverse();
  for (const length of ends) {
    // What a dot or hyphen goes on with belongs to the name: `amazon.com` is another shop than `amazon`.
    if (/^[_.-]/.test(name.slice(length))) continue;
    const codes = names.get(wordsOf(name.slice(0, length)).join('_'));
    // The shop of a country where it has none is not that of another.
    const [, next = ''] = /^ ([a-z]+)/i.exec(name.slice(length)) ?? [];
    if (codes !== undefined) return COUNTRIES[next.toLowerCase()] === undefined ? { codes, length } : null;
  }
  return null;
}

const wordsOf = (name: string): string[] =>
  name
    .toLowerCase()
    .split(/[\s_.-]+/)
    .map((word, at) => (at === 0 ? word : (COUNTRIES[word] ?? word)));
