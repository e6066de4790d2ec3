import { hash } from 'node:crypto';
import { gtinOf } from './gtin.js';

const ID_BITS_END = 2n ** 53n - 1n;

/**
 * The id of a listing, from its (source, sku) alone: nothing has to be counted or looked up, so loads agree on it
 * whenever and wherever they run. Where two listings share an id, the one that came later takes the next attempt
 * (open addressing; listings are never deleted, so the place once found stays).
 * @param attempt 0 first, then counting up.
 * @param ids how many ids there are; tests make it small.
 * @returns an integer from 1 to 2^53 - 1.
 */
export function listingId(source: string, sku: string, attempt: number, ids: bigint = ID_BITS_END): number {
  const key = attempt === 0 ? `${source}\0${sku}` : `${source}\0${sku}\0${attempt}`;
  const digest = hash('sha256', key, 'hex');
  return Number(BigInt(`0x${digest.slice(0, 16)}`) % ids) + 1;
}

/** Letters and digits alone, lower case, in compatibility form: `WH-1000XM5` and `wh 1000xm5` are the same. */
export function normaliseIdentifier(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** What a listing can be found by, besides its words. */
export interface Identifiers {
  /** Normalised SKU, GTINs (as 14 digits and as the feed wrote them) and models. */
  identifiers: string[];
  /** GTINs as 14 digits. */
  gtins: string[];
  /** Normalised model numbers. */
  models: string[];
}

const GTIN_KEYS = ['gtin', 'ean', 'upc', 'isbn'];
const MODEL_KEYS = ['model', 'mpn'];

/** Whether what the metadata state by this name is an identifier. */
export const isIdentifierKey = (name: string): boolean =>
  [...GTIN_KEYS, ...MODEL_KEYS].includes(name.toLowerCase());

/** Longer ones are no model numbers but descriptions in the wrong field; and one listing has not hundreds. */
const MAX_MODEL_LENGTH = 100;
const MAX_EACH = 50;

/** Collects a listing's identifiers. Malformed ones in metadata are not used. */
export function identifiersOf(sku: string, declaredGtins: string[], metadata: unknown): Identifiers {
  const written = gtinTextsOf(declaredGtins, metadata);
  const valid = written.filter((text) => gtinOf(text) !== null).map(normaliseIdentifier);
  const gtins = unique(valid.flatMap((text) => gtinOf(text) ?? []));
  const models = unique(
    modelsOf(metadata)
      .map(normaliseIdentifier)
      .filter((model) => model !== '' && model.length <= MAX_MODEL_LENGTH),
  );
  const identifiers = unique([normaliseIdentifier(sku), ...gtins, ...valid, ...models]);
  return { identifiers: identifiers.filter((text) => text !== ''), gtins, models };
}

/** GTINs as the feed writes them, right or wrong. */
export const gtinTextsOf = (declaredGtins: readonly string[], metadata: unknown): string[] => [
  ...declaredGtins,
  ...textsAt(metadata, GTIN_KEYS),
];

/** Model numbers as the feed writes them. */
export const modelsOf = (metadata: unknown): string[] => textsAt(metadata, MODEL_KEYS);

const unique = (values: string[]): string[] => [...new Set(values)].slice(0, MAX_EACH);

function texts(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((item) => typeof item === 'string');
}

function textsAt(metadata: unknown, names: string[]): string[] {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return [];
  return Object.keys(metadata).flatMap((name) =>
    names.includes(name.toLowerCase()) ? texts((metadata as Record<string, unknown>)[name]) : [],
  );
}
