import { phrasesOfMarkets } from '../text/market-words.js';
import { foldProse } from '../text/fold.js';
import { oneOf } from '../text/goods.js';
import { UNITS } from '../text/units.js';

/** The quantities that a name states: capacities, sizes, and the number of pieces in the box. */
export interface Measures {
  /** For each kind of quantity (`storage`, `length`, …), the stated values in the base unit of the kind. */
  values: ReadonlyMap<string, readonly number[]>;
  /** The number of pieces, users or licences, or null if the name states none. */
  count: number | null;
  /** Whether the count is the number of pieces in a pack, which the name of a pack always states. */
  pack: boolean;
  /** The name without its quantities. */
  rest: string;
  /** Canonical words for the quantities, such as `storage1000`. */
  words: readonly string[];
}

/** Kinds of quantity for which shops state different values for one product, such as the base or the turbo clock of a processor. */
const VAGUE_KINDS =
  'cache frequency pixels turns resolution response heat voltage cores threads pins rate pressure light area';
const VAGUE = new Set(VAGUE_KINDS.split(' '));
/** In GB: memory has at most the first capacity, storage at least the second, so one of each is not a conflict. */
const MOST_MEMORY = 12;
const LEAST_STORAGE = 64;
/** The maximum relative difference of two values that count as equal, because values are rounded and converted. */
const TOLERANCE: Record<string, number> = {
  pixels: 0.06,
  room: 0.03,
  length: 0.02,
  inches: 0.02,
  mass: 0.02,
  volume: 0.02,
};
const DEFAULT_TOLERANCE = 0.001;

const unitPattern = [...UNITS.keys()]
  .filter((name) => /^[a-z]/.test(name))
  .sort((a, b) => b.length - a.length)
  .map((name) => name.replace(' ', '\\.?\\s?'))
  .join('|');
const MEASURE = new RegExp(
  `(?<![\\p{L}\\d.])(\\d+(?:[.,]\\d+)?|(?:\\d+(?:[- ]\\d+)?|[- ]\\d+)/\\d+)[\\s-]?(?:(${unitPattern})(?:e?s)?(?![\\p{L}\\d])|(''|["'])(?!\\p{L}))`,
  'gu',
);
const PACKS = [
  /(?<![\p{L}\d.])(\d{1,4})[\s-]?(?:pack|packs|pk|pks|ct|count|rolls?|pairs?)(?![\p{L}\d])/gu,
  /(?<![\p{L}])(?:pack|packs|box|set|case|carton)\s?(?:of|x)\s?(\d{1,4})(?![\p{L}\d.])/gu,
  /(?<=\)\s?|\d\s?(?:g|kg|l|ml|oz|mm|cm|m|pcs?|pieces?|sheets?)\s?)x\s?(\d{1,3})(?![\p{L}\d."'])/gu,
  /(?<![\p{L}\d.])(\d{1,2})\s?x\s?(?=\d+(?:[.,]\d+)?\s?(?:ml|cl|l|g|kg|oz|mg|pcs?|sheets?|tablets?|capsules?)(?![\p{L}\d]))/gu,
  /(?<=\p{L}{3,}\s)x\s?([2-9]|1[0-2]|2[04])(?=\s*(?:$|[)(\]|,/]|-(?![\p{L}\d])))/gu,
];
/** Matches every text that a pattern in `PACKS` matches. Most names have no pack, and one test is cheaper than five. */
const MAY_BE_PACK = /p(?:ac)?k|ct|count|roll|pair|box|set|case|carton|x/;
/** Matches memory and storage that share one unit, as in `6/128GB`. */
const TWO_AMOUNTS = /(?<![\p{L}\d./+])(\d{1,2})\s?(?:gb)?\s?[/+|]\s?(\d{2,4})\s?(gb|tb)(?![\p{L}\d])/gu;
/** Matches the number and size of memory modules, as in `2x16GB`, which other names state as their total. */
const SO_MANY_TIMES = /(?<![\p{L}\d.])(\d{1,2})\s?[x*]\s?(\d{1,3})\s?(gb|tb)(?![\p{L}\d])/gu;
const product = (_: string, times: string, each: string, unit: string): string =>
  ` ${Number(times) * Number(each)}${unit} `;
const SO_MANY_IN_ONE = /(?<![\p{L}\d])(\d{1,2})[\s-]in[\s-](?:1|one)(?!\d)/gu;
/** The system of sizes of clothes or shoes that each folded word states: `eu` for "Größe". */
const wornSizes = (list: 'worn_size' | 'worn_size_after'): ReadonlyMap<string, string> =>
  new Map(phrasesOfMarkets(list).map(({ phrase, first }) => [foldProse(phrase).trim(), first]));
const [WORN_BEFORE, WORN_AFTER] = [wornSizes('worn_size'), wornSizes('worn_size_after')];
/** The systems of sizes that have names. */
export const SIZE_SYSTEMS: readonly string[] = [...new Set(WORN_BEFORE.values())].filter(
  (system) => system !== 'size',
);
/** The folded words for sizes in one of these systems. */
export const SIZE_WORDS: readonly string[] = [...WORN_BEFORE].flatMap(([word, system]) =>
  SIZE_SYSTEMS.includes(system) ? word : [],
);
const worn = (isSpaced: boolean): string =>
  oneOf(
    [...WORN_BEFORE.keys()]
      .filter((word) => /^\p{Script=Latin}/u.test(word) === isSpaced)
      // After a number, an abbreviation such as "gr." is a unit.
      .map((word) => word.replace(/^(.*)\.$/, '(?<!\\d\\s?)$1\\.')),
  );
/** Matches the size of clothes or shoes, as in `UK 9`, `Größe 42` and `42码`. */
const WORN = new RegExp(
  `((?<!\\p{L})${worn(true)}|${worn(false)})\\s?(\\d{1,2}(?:[.,]5)?)(?![\\p{L}\\d/]|[.,]\\d|\\s?zoll(?!\\p{L}))|(?<![\\d.,/])(\\d{2}(?:\\.5)?)\\s?(${oneOf(WORN_AFTER.keys())})`,
  'gu',
);
/** Matches the scale of a model vehicle, as in `1:18`; with a slash, only if it is no common fraction of an inch. */
const SCALE =
  /(?<![\p{L}\d.:/])1\s?(?::\s?(\d{2,3})|\/(10|12|14|18|20|22|24|35|43|48|72|87|144)|\/(\d{1,3})(?=\s?scale\b))(?![\d.:/])/gu;
/** Matches the numbers of cores and threads of a processor, as in `8C/16T`. */
const CORES_AND_THREADS = /(?<![\p{L}\d.])(\d{1,3})c\s?\/\s?(\d{1,3})t(?![\p{L}\d])/gu;
const WARRANTY = /(?<!\d)\d{1,2}[\s-]?(?:years?|yrs?|months?)(?:\s\p{L}+){0,2}\s(?:warranty|guarantee)/gu;
const STATED_IN_PARTS: [needed: RegExp, rewrite: (text: string) => string][] = [
  [/[x*]/, (text) => text.replace(SO_MANY_TIMES, product)],
  [/[gt]b/, (text) => text.replace(TWO_AMOUNTS, '$1gb $2$3')],
  [/\dc/, (text) => text.replace(CORES_AND_THREADS, '$1 core $2 thread')],
  [/in[\s-](?:1|one)/, (text) => text.replace(SO_MANY_IN_ONE, '$1in1')],
  [/warranty|guarantee/, (text) => text.replace(WARRANTY, ' ')],
];
/** Rewrites quantities of several numbers, such as `2x16GB`. Few texts contain any, so a cheap test precedes each pattern. */
const rewriteCompounds = (folded: string): string =>
  STATED_IN_PARTS.reduce((text, [needed, rewrite]) => (needed.test(text) ? rewrite(text) : text), folded);
const OTHER_COUNTS =
  /(?<![\p{L}\d.])(\d{1,4})[\s-]?(?:pieces?|pcs?|users?|usr|u|licen[cs]es?|lic|seats?|computers?|units?)(?![\p{L}\d])/gu;
const COUNT_WORDS: [RegExp, number][] = [
  [/(?<!\p{L})(?:twin|dual|double|two)[\s-]pack(?!\p{L})/u, 2],
  [/(?<!\p{L})(?:triple|three)[\s-]pack(?!\p{L})/u, 3],
];

const MAY_STATE = /\d|pack/;
const NOTHING: Omit<Measures, 'rest'> = { values: new Map(), count: null, pack: false, words: [] };

/** Reads the quantities that a text from `foldProse` states. */
export function readMeasures(folded: string): Measures {
  if (!MAY_STATE.test(folded)) return { ...NOTHING, rest: folded };
  const values = new Map<string, number[]>();
  const found: string[] = [];
  let count: number | null = null;
  let rest = /\d/.test(folded) ? rewriteCompounds(folded) : folded;
  const take = (_: string, number: string) => {
    count = Math.max(count ?? 1, Number(number));
    return ' ';
  };
  const add = (kind: string, value: number, word: string) => {
    values.set(kind, [...(values.get(kind) ?? []), value]);
    found.push(word);
    return ' ';
  };
  if (MAY_BE_PACK.test(rest)) for (const pattern of PACKS) rest = rest.replace(pattern, take);
  for (const [pattern, number] of COUNT_WORDS) if (pattern.test(rest)) count = Math.max(count ?? 1, number);
  const pack = count !== null;
  rest = rest.replace(OTHER_COUNTS, take);
  if (/\d/.test(rest)) {
    rest = rest.replace(MEASURE, (whole: string, number: string, name?: string, quote?: string) => {
      const unit = BARE_UNITS.get(quote ?? (name ?? '').replace(/[.\s]/g, ''));
      if (unit === undefined) return whole;
      const value = parse(number) * unit.factor;
      return add(unit.kind, value, `${unit.kind}${Number(value.toPrecision(3))}`);
    });
    rest = rest.replace(SCALE, (_, ...some: (string | undefined)[]) => {
      const value = Number(some.slice(0, 3).find((one) => one !== undefined));
      return add('scale', value, `scale${value}`);
    });
    rest = rest.replace(WORN, (_, before?: string, size?: string, number = size ?? '', behind = '') => {
      const system = WORN_BEFORE.get(before ?? '') ?? WORN_AFTER.get(behind) ?? '';
      return add(`size ${system}`, parse(number), `${system}${number.replace(',', '.')}`);
    });
  }
  return { values, count, pack, rest, words: found };
}

/** The units by their names without blanks, because names contain `cuft`, `cu ft` and `cu.ft`. */
const BARE_UNITS = new Map([...UNITS].map(([name, unit]) => [name.replace(' ', ''), unit]));

function parse(number: string): number {
  const fraction = /^(?:(\d+)[- ])?(\d+)\/(\d+)$/.exec(number);
  if (fraction) return Number(fraction[1] ?? 0) + Number(fraction[2]) / Number(fraction[3]);
  return Number(number.replace(',', '.'));
}

type Values = Pick<Measures, 'values'>;

/** Compares the quantities of two texts by kind: `agree` if they share a value, `conflict` if each has one the other lacks. */
export function compareMeasures(a: Values, b: Values): Map<string, 'agree' | 'conflict'> {
  const result = new Map<string, 'agree' | 'conflict'>();
  for (const [kind, ofA] of a.values) {
    const ofB = b.values.get(kind);
    if (ofB === undefined) {
      const others = LENGTHS.get(kind);
      const values = others === undefined ? undefined : b.values.get(others);
      if (values?.some((y) => ofA.some((x) => isSame(kind, x, y)))) result.set(kind, 'agree');
      continue;
    }
    const lackA = ofA.some((x) => !ofB.some((y) => isSame(kind, x, y)));
    const lackB = ofB.some((y) => !ofA.some((x) => isSame(kind, x, y)));
    if (!lackA || !lackB) result.set(kind, 'agree');
    else if (kind !== 'storage' || !(isMemoryAndStorage(ofA, ofB) || isMemoryAndStorage(ofB, ofA)))
      result.set(kind, 'conflict');
  }
  return result;
}

/** Kinds of quantity that measure the same dimension in different units. */
export const LENGTHS: ReadonlyMap<string, string> = new Map([
  ['inches', 'length'],
  ['length', 'inches'],
]);

/** Counts the kinds of quantity that agree, and marks (1) conflicts. One in `length` is weak: of one name it may be the width. */
export function weighMeasures(a: Values, b: Values) {
  const result = { agree: 0, storage: 0, size: 0, length: 0, vague: 0 };
  for (const [kind, what] of compareMeasures(a, b)) {
    if (what === 'agree') result.agree += 1;
    else if (kind === 'storage' || kind === 'length') result[kind] = 1;
    else result[VAGUE.has(kind) ? 'vague' : 'size'] = 1;
  }
  return result;
}

function isSame(kind: string, x: number, y: number): boolean {
  const tolerance = TOLERANCE[kind] ?? DEFAULT_TOLERANCE;
  return Math.abs(x - y) <= tolerance * Math.max(x, y) || isBinaryMultiple(kind, x, y);
}

const isMemoryAndStorage = (some: readonly number[], others: readonly number[]): boolean =>
  Math.max(...some) <= MOST_MEMORY && Math.min(...others) >= LEAST_STORAGE;

/** Whether two storage capacities are equal if 1 TB is 1000 GB in one listing and 1024 GB in the other. */
const isBinaryMultiple = (kind: string, x: number, y: number): boolean =>
  kind === 'storage' && Math.max(x, y) % 1024 === 0 && Math.min(x, y) === (Math.max(x, y) / 1024) * 1000;
