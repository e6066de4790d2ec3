import { isJsonObject } from '../schemas/json-object.js';
import { isLongerThan, visibleText } from '../text/clean.js';
import { collapseBlanks, foldValue } from '../text/fold.js';
import { isIdentifierKey } from './identify.js';

/** The limits of attributes that can be filtered by, in characters; longer texts are prose. */
const PAIR_LIMITS = { name: 60, value: 100, pairs: 50 };

/** An attribute value that links to an image or a page, which is not useful as a filter. */
const ADDRESS = /^https?:\/\//i;

/** The character between the folded and the written value of an attribute. Folded text never contains it. */
const SEPARATOR = '\t';

export interface AttributePair {
  name: string;
  value: string;
  /** The value of the attribute as the feed writes it, not folded. */
  written: string;
}

/** The values of a listing's attributes, by the names of the attributes. */
export type ValuesByName = Record<string, string[]>;

/** The attributes to filter by: scalars and lists of scalars in `metadata.attributes`, or else in the metadata except identifiers. */
export function attributePairs(metadata: unknown): AttributePair[] {
  const pairs = new Map<string, AttributePair>();
  for (const [key, given] of statedAttributes(metadata)) {
    const name = foldValue(key);
    if (name === '' || isLongerThan(name, PAIR_LIMITS.name)) continue;
    for (const text of scalarTexts(given)) {
      const written = collapseBlanks(visibleText(text)).trim();
      const value = foldValue(written);
      if (value === '' || isLongerThan(value, PAIR_LIMITS.value) || isLongerThan(written, PAIR_LIMITS.value))
        continue;
      if (ADDRESS.test(written)) continue;
      const pair = `${name}${SEPARATOR}${value}`;
      if (!pairs.has(pair)) pairs.set(pair, { name, value, written });
      if (pairs.size === PAIR_LIMITS.pairs) return [...pairs.values()];
    }
  }
  return [...pairs.values()];
}

function statedAttributes(metadata: unknown): [string, unknown][] {
  if (!isJsonObject(metadata)) return [];
  if (isJsonObject(metadata['attributes'])) return Object.entries(metadata['attributes']);
  return Object.entries(metadata).filter(([key]) => !isIdentifierKey(key));
}

/** Converts a scalar or a list of scalars to texts; any other value results in an empty list. */
function scalarTexts(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const texts = values.filter((one) => ['string', 'number', 'boolean'].includes(typeof one)).map(String);
  return texts.length === values.length ? texts : [];
}

/** Groups the folded values of attributes (in lower case, without accents) by the name of the attribute. */
export const valuesByName = (pairs: readonly AttributePair[]): ValuesByName =>
  byName(pairs, ({ value }) => value);

/** For each attribute, its folded values, each followed by a tab and the value as the feed writes it. */
export const writtenValuesByName = (pairs: readonly AttributePair[]): ValuesByName =>
  byName(pairs, ({ value, written }) => `${value}${SEPARATOR}${written}`);

/** Splits a term of `writtenValuesByName` into the folded value and the value as the feed writes it. */
export const parseWrittenValue = (term: string): string[] => term.split(SEPARATOR);

function byName(pairs: readonly AttributePair[], of: (pair: AttributePair) => string): ValuesByName {
  const found = new Map<string, string[]>();
  for (const pair of pairs) {
    const known = found.get(pair.name);
    if (known === undefined) found.set(pair.name, [of(pair)]);
    else known.push(of(pair));
  }
  return Object.fromEntries(found);
}

const MAX_TEXTS = 100;
const MAX_TEXT_LENGTH = 200;

/** The texts in a listing's metadata for full-text search, without URLs and long prose. */
export function attributeTexts(metadata: unknown): string[] {
  const texts: string[] = [];
  collectTexts(metadata, texts);
  return texts;
}

function collectTexts(value: unknown, into: string[]): void {
  if (into.length >= MAX_TEXTS) return;
  if (typeof value === 'string') {
    if (value !== '' && value.length <= MAX_TEXT_LENGTH && !/^https?:/i.test(value)) into.push(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) collectTexts(item, into);
  }
}
