/** Quantities that a name states: capacities, sizes, and how many pieces are in the box. */
export interface Measures {
  /** By kind (`storage`, `length`, …) the values in one unit. */
  values: ReadonlyMap<string, readonly number[]>;
  /** Pieces, users or licences; null: none stated. */
  count: number | null;
  /** Whether the count is one of pieces in a pack, which every name of a pack states. */
  pack: boolean;
  /** The text with the quantities taken out. */
  rest: string;
  /** Canonical words for the quantities, such as `storage1000`. */
  words: readonly string[];
}

interface Unit {
  kind: string;
  factor: number;
}

const UNITS: Record<string, Unit> = {};
const KINDS: Record<string, Record<string, number>> = {
  storage: { tb: 1000, gb: 1, gig: 1, gigabyte: 1, terabyte: 1000, mb: 0.001 },
  length: { '"': 25.4, "''": 25.4, "'": 25.4, in: 25.4, inch: 25.4, cm: 10, mm: 1, m: 1000, ft: 304.8, feet: 304.8, foot: 304.8, meter: 1000, metre: 1000, yd: 914.4 },
  mass: { kg: 1000, g: 1, gm: 1, mg: 0.001, oz: 28.35, lb: 453.6, kilogram: 1000, gram: 1, ounce: 28.35, pound: 453.6 },
  volume: { l: 1000, ltr: 1000, litre: 1000, liter: 1000, ml: 1, cl: 10, gal: 3785, gallon: 3785, 'fl oz': 29.57 },
  room: { 'cu ft': 1, 'cubic foot': 1, 'cubic feet': 1 },
  power: { w: 1, watt: 1, kw: 1000, va: 1 },
  voltage: { v: 1, volt: 1 },
  charge: { mah: 1, ah: 1000 },
  frequency: { hz: 1, khz: 1e3, mhz: 1e6, ghz: 1e9 },
  pixels: { mp: 1, megapixel: 1, 'mega pixel': 1 },
  heat: { btu: 1 },
  turns: { rpm: 1 },
  sheets: { sheet: 1, page: 1 },
}; // prettier-ignore
for (const [kind, units] of Object.entries(KINDS)) {
  for (const [name, factor] of Object.entries(units)) UNITS[name] = { kind, factor };
}

/** How far two values of a kind may be apart, by rounding and conversion, and still be the same. */
const TOLERANCE: Record<string, number> = {
  pixels: 0.06,
  room: 0.03,
  length: 0.02,
  mass: 0.02,
  volume: 0.02,
};
const DEFAULT_TOLERANCE = 0.001;

const unitPattern = Object.keys(UNITS)
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
  /(?<=[\p{L})] ?)(?<![\d"'.] ?)\bx\s?([2-9]|1[0-2]|2[04])(?![\p{L}\d."'])/gu,
];
const OTHER_COUNTS =
  /(?<![\p{L}\d.])(\d{1,4})[\s-]?(?:pieces?|pcs?|users?|usr|u|licen[cs]es?|lic|seats?|computers?|units?)(?![\p{L}\d])/gu;
const COUNT_WORDS: [RegExp, number][] = [
  [/(?<!\p{L})(?:twin|dual|double|two)[\s-]pack(?!\p{L})/u, 2],
  [/(?<!\p{L})(?:triple|three)[\s-]pack(?!\p{L})/u, 3],
];

/** @param folded text from `fold`. */
export function readMeasures(folded: string): Measures {
  const values = new Map<string, number[]>();
  const found: string[] = [];
  let count: number | null = null;
  let rest = folded;
  const take = (_: string, number: string) => {
    count = Math.max(count ?? 1, Number(number));
    return ' ';
  };
  for (const pattern of PACKS) rest = rest.replace(pattern, take);
  for (const [pattern, number] of COUNT_WORDS) if (pattern.test(rest)) count = Math.max(count ?? 1, number);
  const pack = count !== null;
  rest = rest.replace(OTHER_COUNTS, take);
  if (/\d/.test(rest)) {
    rest = rest.replace(MEASURE, (whole: string, number: string, name?: string, quote?: string) => {
      const unit =
        UNITS[quote ?? (name ?? '').replaceAll('.', ' ').replace(/\s+/g, ' ')] ?? UNITS[spaced(name ?? '')];
      if (unit === undefined) return whole;
      const value = parse(number) * unit.factor;
      values.set(unit.kind, [...(values.get(unit.kind) ?? []), value]);
      found.push(`${unit.kind}${Number(value.toPrecision(3))}`);
      return ' ';
    });
  }
  return { values, count, pack, rest, words: found };
}

/** `cuft` and `cu.ft` are the unit `cu ft`. */
function spaced(name: string): string {
  const bare = name.replace(/[.\s]/g, '');
  return Object.keys(UNITS).find((unit) => unit.replace(' ', '') === bare) ?? name;
}

function parse(number: string): number {
  const fraction = /^(?:(\d+)[- ])?(\d+)\/(\d+)$/.exec(number);
  if (fraction) return Number(fraction[1] ?? 0) + Number(fraction[2]) / Number(fraction[3]);
  return Number(number.replace(',', '.'));
}

/** What two listings say of one kind of quantity. */
export interface Agreement {
  agree: number;
  conflict: number;
}

/** Kinds in which the listings share a value, and kinds in which each has a value that the other has not. */
export function compareMeasures(a: Measures, b: Measures): Map<string, keyof Agreement> {
  const result = new Map<string, keyof Agreement>();
  for (const [kind, ofA] of a.values) {
    const ofB = b.values.get(kind);
    if (ofB === undefined) continue;
    const tolerance = TOLERANCE[kind] ?? DEFAULT_TOLERANCE;
    const same = (x: number, y: number) =>
      Math.abs(x - y) <= tolerance * Math.max(x, y) || binary(kind, x, y);
    const lackA = ofA.some((x) => !ofB.some((y) => same(x, y)));
    const lackB = ofB.some((y) => !ofA.some((x) => same(x, y)));
    if (lackA && lackB) result.set(kind, 'conflict');
    else result.set(kind, 'agree');
  }
  return result;
}

/** 1 TB is 1000 GB on one label and 1024 on another. */
const binary = (kind: string, x: number, y: number): boolean =>
  kind === 'storage' && Math.max(x, y) % 1024 === 0 && Math.min(x, y) === (Math.max(x, y) / 1024) * 1000;
