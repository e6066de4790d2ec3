import { foldValue, oneBlank } from '../text/fold.js';
import { isIdentifierKey } from './identify.js';
import { isLongerThan, visibleText } from '../text/clean.js';

/** What is longer is prose, and nobody filters by the fifty-first. */
const LIMITS = { name: 60, value: 100, pairs: 50 };

/** Further pictures and pages of a thing are nothing to filter by. */
const ADDRESS = /^https?:\/\//i;

/** An attribute of a listing: its name folded, its value folded and as the feed writes it. */
export interface AttributePair {
  name: string;
  value: string;
  written: string;
}

/**
 * The attributes that a listing can be filtered by: scalars and lists of scalars in `metadata.attributes`; where there
 * is no such object those of the metadata itself that are no identifiers. Each value once.
 */
export function attributePairs(metadata: unknown): AttributePair[] {
  const pairs = new Map<string, AttributePair>();
  for (const [key, given] of statedIn(metadata)) {
    const name = foldValue(key);
    if (name === '' || isLongerThan(name, LIMITS.name)) continue;
    for (const text of textsOf(given)) {
      const written = oneBlank(visibleText(text)).trim();
      const value = foldValue(written);
      if (value === '' || isLongerThan(value, LIMITS.value) || isLongerThan(written, LIMITS.value)) continue;
      if (ADDRESS.test(written)) continue;
      const pair = `${name}${SEPARATOR}${value}`;
      if (!pairs.has(pair)) pairs.set(pair, { name, value, written });
      if (pairs.size === LIMITS.pairs) return [...pairs.values()];
    }
  }
  return [...pairs.values()];
}

function statedIn(metadata: unknown): [string, unknown][] {
  if (!isObject(metadata)) return [];
  if (isObject(metadata['attributes'])) return Object.entries(metadata['attributes']);
  return Object.entries(metadata).filter(([key]) => !isIdentifierKey(key));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The texts of a scalar, or of a list of nothing else. */
function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const texts = values.filter((one) => ['string', 'number', 'boolean'].includes(typeof one)).map(String);
  return texts.length === values.length ? texts : [];
}

/** Names with what there is of each: the field of an index that keeps it need not know the names. */
export type ByName = Record<string, string[]>;

/** The values of each name. */
export const valuesByName = (pairs: readonly AttributePair[]): ByName => byName(pairs, ({ value }) => value);

/** The same with the value as the feed writes it beside it. */
export const spellingsByName = (pairs: readonly AttributePair[]): ByName =>
  byName(pairs, ({ value, written }) => `${value}${SEPARATOR}${written}`);

/** A value, and how it is written. */
export const readSpelling = (term: string): string[] => term.split(SEPARATOR);

/** No folded text has it. */
const SEPARATOR = '\t';

function byName(pairs: readonly AttributePair[], of: (pair: AttributePair) => string): ByName {
  const found = new Map<string, string[]>();
  for (const pair of pairs) {
    const known = found.get(pair.name);
    if (known === undefined) found.set(pair.name, [of(pair)]);
    else known.push(of(pair));
  }
  return Object.fromEntries(found);
}
