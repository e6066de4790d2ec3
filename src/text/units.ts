/** One quantity, in the units that shops state it in. */
interface Kind {
  /** How many of the least unit each is, the name that analysis leaves of it first. */
  units: Readonly<Record<string, number>>;
  /** Of the commonest spellings of these. */
  spelled: Readonly<Record<string, string>>;
}

const KINDS: readonly Kind[] = [
  {
    units: { ml: 1, cl: 10, l: 1000 },
    spelled: { 'lit(?:re|er)s?|ltrs?': 'l', 'millilit(?:re|er)s?': 'ml' },
  },
  { units: { g: 1, kg: 1000 }, spelled: { 'grams?|gms?': 'g', 'kilo(?:gram)?s?|kgs': 'kg' } },
  { units: { gb: 1, tb: 1000 }, spelled: { 'gigabytes?|gigs?': 'gb', 'terabytes?': 'tb' } },
  { units: { mah: 1, ah: 1000 }, spelled: {} },
  { units: { w: 1, kw: 1000 }, spelled: { 'watts?': 'w', 'kilowatts?': 'kw' } },
  {
    units: { mm: 1, cm: 10, m: 1000, in: 25.4 },
    spelled: { 'inch(?:es)?|″|["”]': 'in', 'met(?:re|er)s?': 'm', 'centimet(?:re|er)s?|cms': 'cm' },
  },
];

const UNITS = new Map(KINDS.flatMap((kind) => Object.keys(kind.units).map((unit) => [unit, kind] as const)));
const SPELLED = KINDS.flatMap(({ spelled }) =>
  Object.entries(spelled).map(([pattern, unit]) => [new RegExp(`^(?:${pattern})$`, 'i'), unit] as const),
);
const names = [...UNITS.keys(), ...KINDS.flatMap(({ spelled }) => Object.keys(spelled))];
const MEASURE = new RegExp(
  `(?<![\\p{L}\\p{N}.,/-])(\\d{1,5}(?:\\.\\d{1,2})?)[\\s-]?(${names.join('|')})(?![\\p{L}\\p{N}/]|-\\p{N})`,
  'giu',
);
/** A metric size and one in inches are the same within this part. */
const TOLERANCE = 0.012;
/** Nobody writes less, or more, of a unit. */
const [LEAST, MOST] = [0.1, 99_999];

/**
 * The text with a size as others state it: `1700 ml` as `1.7l`, `109 cm` as `43in`, `1024 GB` as `1tb`. None where it has
 * no size, or several.
 */
export function inOtherUnits(text: string): string[] {
  const found = [...text.matchAll(MEASURE)];
  const [measure] = found;
  if (measure === undefined || found.length > 1) return [];
  const [whole, number = '', name = ''] = measure;
  const unit = SPELLED.find(([pattern]) => pattern.test(name))?.[1] ?? name.toLowerCase();
  const kind = UNITS.get(unit);
  if (kind === undefined) return [];
  const others = Object.keys(kind.units).flatMap((other) => amountsIn(Number(number), { kind, unit, other }));
  const written = `${number}${unit}`;
  const texts = [...new Set(others)].filter((one) => one !== written || !UNITS.has(name.toLowerCase()));
  return texts.map((one) => text.slice(0, measure.index) + one + text.slice(measure.index + whole.length));
}

/** An amount of one unit in another, as it is written there: with few digits, or not at all. */
function amountsIn(
  amount: number,
  { kind: { units }, unit, other }: { kind: Kind; unit: string; other: string },
) {
  if (unit === other) return [`${amount}${other}`];
  const exact = (amount * (units[unit] ?? 1)) / (units[other] ?? 1);
  const isNear = unit === 'in' || other === 'in';
  // Millimetres and metres are no sizes of what is stated in inches.
  if (isNear && unit !== 'cm' && other !== 'cm') return [];
  const binary = unit === 'gb' && other === 'tb' && amount % 1024 === 0 ? [amount / 1024] : [];
  const values = isNear ? [Math.round(exact), Math.round(exact * 10) / 10] : [Number(exact.toPrecision(6))];
  return [...values, ...binary]
    .filter(
      (value) => value >= LEAST && value <= MOST && Math.abs(value * 100 - Math.round(value * 100)) < 1e-6,
    )
    .filter((value) => !isNear || Math.abs(value - exact) <= TOLERANCE * exact)
    .filter((value) => !(other === 'tb' && value < 1))
    .map((value) => `${value}${other}`);
}
