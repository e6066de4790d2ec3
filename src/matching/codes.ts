import type { Profile } from './profile.js';

/** What the model and part numbers of two listings say. Each 0 to 1: how much the strongest such number weighs. */
export interface CodeComparison {
  /** The same number, whatever its spelling. */
  exact: number;
  /** One is the other with letters after it: a colour, a market. */
  prefix: number;
  /** The same stem with different letters after it: often another colour of the same model. */
  sibling: number;
  /** Each listing has a number that the other has not. */
  conflict: number;
  /** Two numbers of one series: the same letters, other digits. */
  series: number;
}

const MIN_STEM = 4;
const MAX_SUFFIX = 3;

/** Short codes are words of a line (PS3, CS3); long ones name one product. */
function strength(code: string): number {
  if (code.length >= 5) return 1;
  return code.length === 4 ? 0.6 : 0.25;
}

type Relation = 'exact' | 'prefix' | 'sibling';

export function compareCodes(a: Profile, b: Profile): CodeComparison {
  const result: CodeComparison = { exact: 0, prefix: 0, sibling: 0, conflict: 0, series: 0 };
  const leftA: string[] = [];
  const leftB: string[] = [];
  for (const [codes, other, left] of [
    [a.codes, b, leftA],
    [b.codes, a, leftB],
  ] as const) {
    for (const code of codes) {
      const relation = relationTo(code, other);
      if (relation === null) left.push(code);
      else result[relation] = Math.max(result[relation], strength(code));
    }
  }
  result.conflict = Math.min(heaviest(leftA), heaviest(leftB));
  for (const one of leftA) {
    for (const other of leftB)
      if (sameSeries(one, other)) result.series = Math.max(result.series, strength(one));
  }
  return result;
}

const heaviest = (codes: readonly string[]): number =>
  codes.reduce((most, code) => Math.max(most, strength(code)), 0);

function relationTo(code: string, other: Profile): Relation | null {
  if (other.forms.has(code) || other.codes.has(code)) return 'exact';
  if (code.length < MIN_STEM) return null;
  let best: Relation | null = null;
  for (const forms of [other.codes, other.forms]) {
    for (const form of forms) {
      if (form.charCodeAt(0) !== code.charCodeAt(0) || form.length < MIN_STEM) continue;
      const relation = byStem(code, form);
      if (relation === 'prefix') return relation;
      best ??= relation;
    }
  }
  return best;
}

/** How two codes with a common beginning relate; the beginning must hold whole numbers and at least one. */
function byStem(one: string, other: string): Relation | null {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  const restOne = one.slice(length);
  const restOther = other.slice(length);
  if (length < MIN_STEM || !/\d/.test(one.slice(0, length))) return null;
  if (/^\d/.test(restOne) || /^\d/.test(restOther)) return null;
  if (restOne === '' || restOther === '') return 'prefix';
  return restOne.length <= MAX_SUFFIX && restOther.length <= MAX_SUFFIX ? 'sibling' : null;
}

/** The same letters before other digits, as in `kdl46xbr6` and `kdl52xbr6`. */
function sameSeries(one: string, other: string): boolean {
  const letters = /^\p{L}{2,}(?=\d)/u.exec(one)?.[0];
  return letters !== undefined && letters === /^\p{L}{2,}(?=\d)/u.exec(other)?.[0];
}
