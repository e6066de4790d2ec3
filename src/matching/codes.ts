import type { Profile } from './profile.js';

/** How the codes (model and part numbers) of two listings relate. Each value is the weight of the strongest such code, 0 to 1. */
interface CodeComparison {
  /** Both listings have the code, in any notation. */
  exact: number;
  /** One code is the other with a suffix of letters, which stands for a colour or a market. */
  prefix: number;
  /** The codes have one stem and different suffixes. Often that is another colour of the same model. */
  sibling: number;
  /** A code of one name occurs in the description of the other listing. */
  described: number;
  /** The codes are written differently: a barcode that contains the item number, a typo, or a code made of the other's words. */
  akin: number;
  /** Each listing has a code that the other lacks. */
  conflict: number;
  /** Two codes belong to one series: the same letters with other digits. */
  series: number;
  /** 1 if two codes of one length differ in one character, as neighbours of a series do. */
  neighbour: 0 | 1;
  /** 1 if the listings share a long code that belongs to the product itself, and not to what the product is for. */
  own: 0 | 1;
}

const MIN_STEM = 4;
const MAX_SUFFIX = 4;
const MIN_LONG = 5;
/** The number of other codes that may stand beside a product's own code, because shops add codes of their own. */
const FEW_CODES = 3;
/** The maximum length of a code that a shop composed of words. */
const MAX_COMPOSED = 24;

/** The name of a product family with a number, which shops state as a model: `orbit5`. */
const LINE = /^\p{L}{4,}\d{1,2}$/u;

/** The weight of a code by its form. A short code (PS3, CS3) or a family with a number names a product line; a long code names one product. */
function strength(code: string): number {
  if (LINE.test(code)) return 0.6;
  if (code.length >= MIN_LONG) return 1;
  return code.length === 4 ? 0.6 : 0.25;
}

type Relation = 'exact' | 'prefix' | 'sibling' | 'described' | 'akin';

/** Finds the strongest relation of each code. Codes without a relation conflict. */
export function compareCodes(a: Profile, b: Profile, codeWeight: (code: string) => number): CodeComparison {
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
        const weight = relation === 'exact' ? strength(code) * codeWeight(code) : strength(code);
        result[relation] = Math.max(result[relation], weight);
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

/** How two codes with a common stem relate. The stem must contain a digit and must not end within a number. */
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

/** Whether the other listing writes the code and the words around it as one code. */
const isPartOfShared = (code: string, of: Profile, other: Profile): boolean =>
  of.joins.some(
    ({ text, start, end }) =>
      text.length > code.length &&
      other.codes.has(text) &&
      of.words.slice(start, end + 1).some((word) => word.text === code),
  );

/** Whether the other listing has a code of the same length that differs in one character and shares at least one digit. */
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

/** Whether two codes have the same letters before different digits, as in `kdl46xbr6` and `kdl52xbr6`. */
function sameSeries(one: string, other: string): boolean {
  const letters = /^\p{L}{2,}(?=\d)/u.exec(one)?.[0];
  const isOne = letters !== undefined && letters === /^\p{L}{2,}(?=\d)/u.exec(other)?.[0];
  return isOne && one.replace(/\D/g, '') !== other.replace(/\D/g, '');
}

/** Whether one code is an item number within the other, a barcode: `83015` is in `743840830153`. */
const isInside = (one: string, other: string): boolean => {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return /^\d{5,8}$/.test(short) && /^\d{11,14}$/.test(long) && long.includes(short);
};

/** Whether `long` is `short` with an additional letter or a doubled character. An additional digit would make another model. */
function isMisspelt(short: string, long: string): boolean {
  if (short.length < MIN_LONG || long.length !== short.length + 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (short.slice(at) !== long.slice(at + 1)) return false;
  return !/\d/.test(long[at] ?? '') || long[at] === long[at - 1];
}

/** Whether a shop composed the code of words of the other name: `eos40d28135` of "EOS 40D 28-135". */
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
 * The weight of a code among these listings, 0 to 1. The listings of one product share one model number, so a code that
 * occurs beside several other codes names a series, a chipset or a standard.
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
