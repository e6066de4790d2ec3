import { readMeasures, weighMeasures, type Measures } from './measures.js';
import { memoize } from '../text/memoize.js';
import { foldProse } from '../text/fold.js';

/** One attribute of a listing's metadata, such as `colour: red`. */
export interface Attribute {
  text: string;
  words: readonly string[];
  measures: Measures;
  /** Whether the attribute distinguishes variants of a product, as a size, a capacity or a colour does. */
  isOption: boolean;
  isColour: boolean;
}

const MAX_ATTRIBUTES = 40;
const MAX_VALUE = 80;
/** Matches the metadata keys that describe the offer instead of the product, and those of identifiers. */
const OF_OFFER =
  /shop|seller|merchant|vendor|stock|sold|review|rating|warranty|guarantee|deliver|ship|condition|url|image|price|currency|gtin|ean|upc|isbn|asin|sku|model|mpn|date|time|categor|title|name|description|language|country|origin|warehouse|depot|discount|promo|availab|popularity|(?:^|_)(?:rank|views|id)$/;
const COLOUR = /colou?r/;
const OPTION =
  /colou?r|size|capacity|storage|memory|^ram|weight|volume|length|width|height|thickness|diameter|power|watt|volt|pack|quantity|count|^kit|bundle|fits|compatible|switch|ports|flavou?r|scent|style|edition|version|option|variant/;

/** Reads the text attributes of a listing's metadata, including those nested under `attributes`. */
export function readAttributes(metadata: unknown): Map<string, Attribute> {
  const found = new Map<string, Attribute>();
  if (typeof metadata !== 'object' || metadata === null) return found;
  const nested = 'attributes' in metadata ? metadata.attributes : null;
  for (const object of [metadata, nested]) {
    if (typeof object !== 'object' || object === null || Array.isArray(object)) continue;
    for (const [name, value] of Object.entries(object)) {
      if (found.size >= MAX_ATTRIBUTES) return found;
      if (typeof value !== 'string' || value === '' || value.length > MAX_VALUE) continue;
      const { key, isOfOffer, isOption, isColour } = readKey(name);
      if (isOfOffer) continue;
      found.set(key, { ...readValue(value), isOption, isColour });
    }
  }
  return found;
}

/** Whether an attribute describes the offer, such as the stock, or is an identifier. */
export const describesNoProduct = (name: string): boolean => readKey(name).isOfOffer;

const VALUES = 4_096;
const KEYS = 512;

const readValue = memoize(VALUES, (value): Pick<Attribute, 'text' | 'words' | 'measures'> => {
  const text = foldProse(value);
  const parts = text.split(/[^\p{L}\p{N}.]+/u).filter((word) => word !== '');
  return { text, words: parts, measures: readMeasures(text) };
});

const readKey = memoize(
  KEYS,
  (name): Pick<Attribute, 'isOption' | 'isColour'> & { key: string; isOfOffer: boolean } => {
    const key = name.toLowerCase().replace(/[^a-z0-9]+/g, '_');
    return { key, isOfOffer: OF_OFFER.test(key), isOption: OPTION.test(key), isColour: COLOUR.test(key) };
  },
);

/** The quantities in a listing's name, and those that only its metadata states. */
export function withStatedMeasures(measures: Measures, attributes: ReadonlyMap<string, Attribute>): Measures {
  let { count, pack } = measures;
  const values = new Map(measures.values);
  for (const { isOption, measures: stated } of attributes.values()) {
    if (!isOption) continue;
    count ??= stated.count;
    pack ||= stated.pack;
    for (const [kind, numbers] of stated.values)
      if (!measures.values.has(kind)) values.set(kind, [...(values.get(kind) ?? []), ...numbers]);
  }
  return { ...measures, values, count, pack };
}

/**
 * Compares the attributes that two listings both state, except colours, which `cheapFeatures` compares across languages.
 * @returns `option`: 1 if they differ in one that tells variants apart; `differing`: the share of those in which they differ.
 */
export function compareAttributes(
  a: ReadonlyMap<string, Attribute>,
  b: ReadonlyMap<string, Attribute>,
): { option: 0 | 1; differing: number } {
  const both = [...a].filter(([key, one]) => b.has(key) && !one.isColour);
  const differing = both.filter(([key, one]) => !isSame(one, b.get(key) as Attribute));
  return {
    option: differing.some(([, one]) => one.isOption) ? 1 : 0,
    differing: both.length === 0 ? 0 : differing.length / both.length,
  };
}

function isSame(one: Attribute, other: Attribute): boolean {
  if (one.text === other.text) return true;
  const { count, values } = one.measures;
  const ofOther = other.measures;
  if (count !== null && ofOther.count !== null && count !== ofOther.count) return false;
  if (values.size > 0 && ofOther.values.size > 0) {
    const { storage, size, length, vague } = weighMeasures(one.measures, ofOther);
    return storage + size + length + vague === 0 && (count ?? 1) === (ofOther.count ?? 1);
  }
  const within = (some: readonly string[], all: readonly string[]) =>
    some.every((word) => all.includes(word));
  return within(one.words, other.words) || within(other.words, one.words);
}
