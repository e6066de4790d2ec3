import { type Language, languageNamed, readTable } from './tables.js';
import type { SampleProduct } from './product.js';
import { at } from './random.js';

/** A market of the sample catalogue beside Singapore; markets.yaml describes the members. */
interface MarketDefinition {
  language: string;
  currency: string;
  country: string;
  rate: number;
  ending: number;
  decimal: '.' | ',';
  delivery: { price: string; free_from: string };
  sources: Readonly<Record<string, string>>;
  departments: Readonly<Record<string, string>>;
  for: string;
  compatible: string;
  inches: string;
  pack: string;
  units: Readonly<Record<string, string>>;
  talk: readonly string[];
  about: readonly string[];
  example: string;
}

export interface Market extends Omit<MarketDefinition, 'language'> {
  language: Language;
}

const DEFINITIONS = readTable<Record<string, MarketDefinition>>('markets');

/** The default market of the sample catalogue. */
export const SINGAPORE = 'sg';
export const MARKET_NAMES: readonly string[] = [SINGAPORE, ...Object.keys(DEFINITIONS)];

/** Returns the market with this name; null for Singapore. @throws RangeError if there is no such market. */
export function marketNamed(name: string): Market | null {
  if (name === SINGAPORE) return null;
  const definition = DEFINITIONS[name];
  if (definition === undefined) throw new RangeError(`no market ${name}`);
  return { ...definition, language: languageNamed(definition.language) };
}

const UNIT = /(?<=\d ?)\p{L}+(?![\p{L}\d])/gu;

/** Writes a size as shops of the market do: `5,5 l` for `5.5 L`. */
export const spelledIn = ({ decimal, inches, units, pack }: Market, value: string): string =>
  value
    .replace(/\(Pack of (\d+)\)/, (_, count: string) => pack.replace('#', count))
    .replace(/(?<=\d)\.(?=\d)/g, decimal)
    .replace(/[ -]inch\b/i, inches)
    .replace(UNIT, (unit) => units[unit] ?? unit);

export const EXAMPLE_SEARCH = 'wireless headphones';

/** The path of a product's category: its department and its usual noun. */
export const categoryPathIn = (market: Market, { type }: SampleProduct): string[] => [
  market.departments[type.department.name] ?? type.department.name,
  at(market.language.nouns(type.id), 0),
];
