import { shippedJson } from '../platform/shipped-files.js';
import { phrasesOfMarkets } from './market-words.js';

interface Unit {
  kind: string;
  /** The number of base units in one unit. The base unit of lengths is a millimetre. */
  factor: number;
}

/** The kinds of units, and the units that are converted to each other. */
const { convertible, ...kinds } = shippedJson('src/text/vocabularies/units.json') as {
  convertible: readonly string[];
};

/** The names and symbols of units, in the singular. */
export const UNITS: ReadonlyMap<string, Unit> = new Map(
  Object.entries(kinds as Record<string, Record<string, number>>).flatMap(([kind, units]) =>
    Object.entries(units).map(([name, factor]) => [name, { kind, factor }] as const),
  ),
);

/** The source of a regular expression for a word that is a unit if it stands after a number. */
export const UNIT_WORDS =
  '(?:in|inch(?:es)?|[tgmk]b|ml|cl|l|lit(?:re|er)s?|kg|g|grams?|mg|mm|cm|m|ft|oz|lbs?|sqm|k?w|watts?|v|m?ah|[kmg]?hz|mp|dpi|rpm|btu)';

const CONVERTIBLE = convertible.map((units) => units.split(' '));
const UNIT_OF_SPELLING = new Map(
  phrasesOfMarkets('unit_in_searches').map(({ phrase, first }) => [phrase, first]),
);
/** The names that listings write after a number, and that the analyzers do not convert to the symbol of the unit. */
const NAMES_IN_LISTINGS = phrasesOfMarkets('unit_in_listings').filter(
  ({ phrase, first }) => phrase !== first,
);
const MEASURE = new RegExp(
  `(?<![\\p{L}\\p{N}.,/-])(\\d{1,5}(?:\\.\\d{1,2})?)[\\s-]?(${[...CONVERTIBLE.flat(), ...UNIT_OF_SPELLING.keys()].join('|')})(?![\\p{L}\\p{N}/]|-\\p{N})`,
  'giu',
);
/** The maximum relative difference between a metric size and a size in inches that count as equal. */
const TOLERANCE = 0.012;
/** The smallest and the largest number that shops write before a unit. */
const [LEAST, MOST] = [0.1, 99_999];

/** Converts a size in a text to other units: `1700 ml` to `1.7l`. Empty if there are several sizes. */
export function inOtherUnits(text: string): string[] {
  const found = /\d/.test(text) ? [...text.matchAll(MEASURE)] : [];
  const [measure] = found;
  if (measure === undefined || found.length > 1) return [];
  const [whole, number = '', name = ''] = measure;
  const symbol = name.toLowerCase();
  const unit = UNIT_OF_SPELLING.get(symbol) ?? symbol;
  const units = CONVERTIBLE.find((group) => group.includes(unit)) ?? [];
  const written = `${number}${unit}`;
  const isSymbol = units.includes(symbol);
  const named = NAMES_IN_LISTINGS.filter(({ first }) => first === unit).map(({ phrase }) => number + phrase);
  const others = new Set([...units.flatMap((other) => amountsIn(Number(number), unit, other)), ...named]);
  return [...others]
    .filter((one) => one !== written || !isSymbol)
    .map((one) => text.slice(0, measure.index) + one + text.slice(measure.index + whole.length));
}

/** Formats an amount in another unit as shops write it; empty if it would need more than two decimals. */
function amountsIn(amount: number, unit: string, other: string): string[] {
  if (unit === other) return [`${amount}${other}`];
  const exact = (amount * factorOf(unit)) / factorOf(other);
  const isRounded = unit === 'in' || other === 'in';
  // Of metric units, only centimetres are converted to inches: shops state no size in both inches and mm or m.
  if (isRounded && unit !== 'cm' && other !== 'cm') return [];
  const binary = unit === 'gb' && other === 'tb' && amount % 1024 === 0 ? [amount / 1024] : [];
  const values = isRounded
    ? [Math.round(exact), Math.round(exact * 10) / 10]
    : [Number(exact.toPrecision(6))];
  return [...values, ...binary]
    .filter((value) => value >= LEAST && value <= MOST && hasTwoDecimals(value))
    .filter((value) => !isRounded || Math.abs(value - exact) <= TOLERANCE * exact)
    .filter((value) => !(other === 'tb' && value < 1))
    .map((value) => `${value}${other}`);
}

const factorOf = (unit: string): number => UNITS.get(unit)?.factor ?? 1;
const hasTwoDecimals = (value: number): boolean => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6;
