import type { Profile } from './profile.js';

/** What the model and part numbers of two listings say. Each 0 to 1: how much the strongest such number weighs. */
export interface CodeComparison {
  /** The same number, whatever its spelling. */
  exact: number;
  /** One is the other with letters after it: a colour, a market. */
  prefix: number;
  /** The same stem with different letters after it: often another colour of the same model. */
  sibling: number;
  /** A number of one name is in the description of the other. */
  described: number;
  /** Written another way: a barcode with the item number inside, a slip of the pen, or made of the other's words. */
  akin: number;
  /** Each listing has a number that the other has not. */
  conflict: number;
  /** Two numbers of one series: the same letters, other digits. */
  series: number;
  /** 1: two numbers of the same length that differ in one character, as neighbours of a series do. */
  neighbour: 0 | 1;
  /** 1: a long number that they share is of the thing itself, and not of what the thing is for. */
  own: 0 | 1;
}

const MIN_STEM = 4;
const MAX_SUFFIX = 4;
const MIN_LONG = 5;
/** So many other codes may stand beside a product's own: shops have numbers of their own. */
const FEW_CODES = 3;
/** No shop makes longer ones of words. */
const MAX_COMPOSED = 24;

/** A family's name and a number, as shops state for a model: `orbit5`. */
const LINE = /^\p{L}{4,}\d{1,2}$/u;

/** Short codes are words of a line (PS3, CS3), as are a family and its number; long ones name one product. */
function strength(code: string): number {
  if (LINE.test(code)) return 0.6;
  if (code.length >= MIN_LONG) return 1;
  return code.length === 4 ? 0.6 : 0.25;
}

type Relation = 'exact' | 'prefix' | 'sibling' | 'described' | 'akin';

/** The codes are taken relation by relation, the surest first; what is left over conflicts. */
export function compareCodes(a: Profile, b: Profile, telling: (code: string) => number): CodeComparison {
  const result: CodeComparison = {
    exact: 0,
    prefix: 0,
    sibling: 0,
    described: 0,
    akin: 0,
    conflict: 0,
    series: 0,
    neighbour: 0,
    own: sharesOwn(a, b) || sharesOwn(b, a) ? 1 : 0,
  };
  const left = (of: Profile, other: Profile) =>
    [...of.codes].filter((code) => {
      const relation = relationTo(code, other);
      if (relation !== null) {
        const weighs = relation === 'exact' ? strength(code) * telling(code) : strength(code);
        result[relation] = Math.max(result[relation], weighs);
      }
      const isOther = relation === null || relation === 'sibling';
      if (isOther && isNeighbour(code, other)) result.neighbour = 1;
      return relation === null && !isPartOfShared(code, of, other);
    });
  const leftA = left(a, b);
  const leftB = left(b, a);
  for (const one of [...leftA]) {
    const other = leftB.find((code) => isMisspelt(one, code) || isMisspelt(code, one) || isInside(one, code));
    if (other === undefined) continue;
    result.akin = 1;
    leftA.splice(leftA.indexOf(one), 1);
    leftB.splice(leftB.indexOf(other), 1);
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

const has = (code: string, { forms, codes }: Profile): boolean => forms.has(code) || codes.has(code);

const sharesOwn = (one: Profile, other: Profile): boolean =>
  [...one.codes].some(
    (code) => code.length >= MIN_LONG && has(code, other) && !one.target.has(code) && !other.target.has(code),
  );

function relationTo(code: string, other: Profile): Relation | null {
  if (has(code, other)) return 'exact';
  if (code.length < MIN_STEM) return other.described().codes.has(code) ? 'described' : null;
  let best: Relation | null = null;
  for (const forms of [other.codes, other.forms]) {
    for (const form of forms) {
      if (form.charCodeAt(0) !== code.charCodeAt(0) || form.length < MIN_STEM) continue;
      const relation = byStem(code, form);
      if (relation === 'prefix') return relation;
      best ??= relation;
    }
  }
  if (best !== null) return best;
  if (other.described().codes.has(code)) return 'described';
  return isComposed(code, other) ? 'akin' : null;
}

/** How two codes with a common beginning relate; the beginning must hold whole numbers and at least one. */
function byStem(one: string, other: string): Relation | null {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  const stem = one.slice(0, length);
  const rests = [one.slice(length), other.slice(length)];
  if (length < MIN_STEM || !/\d/.test(stem)) return null;
  const otherNumber = /\d$/.test(stem) || !rests.includes('');
  if (otherNumber && rests.some((rest) => /^\d/.test(rest))) return null;
  if (rests.includes('') && !rests.some((rest) => /\d/.test(rest))) return 'prefix';
  return rests.every((rest) => rest.length <= MAX_SUFFIX) ? 'sibling' : null;
}

/** Whether the other writes it, with the words around it, as one. */
const isPartOfShared = (code: string, of: Profile, other: Profile): boolean =>
  of.joins.some(
    ({ text, start, end }) =>
      text.length > code.length &&
      other.codes.has(text) &&
      of.words.slice(start, end + 1).some((word) => word.text === code),
  );

/** Whether the other has a number of the same length with one other character, and at least one digit in common. */
function isNeighbour(code: string, { codes, forms }: Profile): boolean {
  if (code.length < MIN_LONG || !/\p{L}/u.test(code)) return false;
  for (const texts of [codes, forms]) {
    for (const text of texts) {
      if (text.length !== code.length || text === code || !/\d/.test(text) || !/\p{L}/u.test(text)) continue;
      let differing = 0;
      let at = 0;
      for (let i = 0; i < code.length && differing < 2; i += 1) {
        if (code[i] === text[i]) continue;
        differing += 1;
        at = i;
      }
      const areDigits = /\d/.test(code[at] ?? '') && /\d/.test(text[at] ?? '');
      if (differing === 1 && (areDigits || /\d/.test(code.slice(0, at) + code.slice(at + 1)))) return true;
    }
  }
  return false;
}

/** The same letters before other digits, as in `kdl46xbr6` and `kdl52xbr6`. */
function sameSeries(one: string, other: string): boolean {
  const letters = /^\p{L}{2,}(?=\d)/u.exec(one)?.[0];
  const isOne = letters !== undefined && letters === /^\p{L}{2,}(?=\d)/u.exec(other)?.[0];
  return isOne && one.replace(/\D/g, '') !== other.replace(/\D/g, '');
}

/** An item number inside of a barcode, as `83015` is in `743840830153`. */
const isInside = (one: string, other: string): boolean => {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return /^\d{5,8}$/.test(short) && /^\d{11,14}$/.test(long) && long.includes(short);
};

/** `long` is `short` with one letter more, or one character doubled; any other digit would be another model. */
function isMisspelt(short: string, long: string): boolean {
  if (short.length < MIN_LONG || long.length !== short.length + 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (short.slice(at) !== long.slice(at + 1)) return false;
  return !/\d/.test(long[at] ?? '') || long[at] === long[at - 1];
}

/** Whether a shop made the code of words of the other's name, as `eos40d28135` of "EOS 40D 28-135". */
function isComposed(code: string, { forms }: Profile): boolean {
  if (code.length < MIN_LONG || code.length > MAX_COMPOSED) return false;
  const reached = [true];
  for (let end = 2; end <= code.length; end += 1) {
    for (let start = 0; start <= end - 2 && !reached[end]; start += 1) {
      if (reached[start] && forms.has(code.slice(start, end))) reached[end] = true;
    }
  }
  return reached[code.length] === true;
}

/**
 * How telling a code is among these listings, 0 to 1: those of one product have one model number, so a code that goes
 * with several other ones is of a series, a chipset or a standard.
 */
export function codeWeight(profiles: readonly Profile[]): (code: string) => number {
  const known = new Map<string, number>();
  const countBeside = (code: string): number => {
    const others = new Set<string>();
    for (const { codes } of profiles) {
      if (!codes.has(code)) continue;
      for (const other of codes) if (other.length >= MIN_LONG && other !== code) others.add(other);
    }
    return others.size;
  };
  return (code) => {
    const others = known.get(code) ?? countBeside(code);
    known.set(code, others);
    return others <= FEW_CODES ? 1 : FEW_CODES / others;
  };
}
