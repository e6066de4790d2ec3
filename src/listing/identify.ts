import { hash } from 'node:crypto';
import { isJsonObject } from '../schemas/json-object.js';
import { gtinOf } from './gtin.js';

const ID_BITS_END = 2n ** 53n - 1n;

/**
 * Computes the id of a listing, so that independent loads agree without a look-up. If it is taken, the next `attempt` (0, 1, 2, …)
 * is used (open addressing). A deleted listing leaves a tombstone, so an id remains valid.
 * @param ids the number of possible ids; tests use a small one.
 */
export function listingId(source: string, sku: string, attempt: number, ids: bigint = ID_BITS_END): number {
  const key = attempt === 0 ? `${source}\0${sku}` : `${source}\0${sku}\0${attempt}`;
  const digest = hash('sha256', key, 'hex');
  return Number(BigInt(`0x${digest.slice(0, 16)}`) % ids) + 1;
}

export const listingKey = ({ source, sku }: { source: string; sku: string }): string => `${source}\0${sku}`;

/** Reduces an identifier to lower-case letters and digits in NFKC: `WH-1000XM5` is `wh1000xm5`. */
export function normaliseIdentifier(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

const GTIN_KEYS = ['gtin', 'ean', 'upc', 'isbn'];
const MODEL_KEYS = ['model', 'mpn'];

export const isIdentifierKey = (name: string): boolean =>
  [...GTIN_KEYS, ...MODEL_KEYS].includes(name.toLowerCase());

/** The maximum length of a model number. A longer text is a description in the wrong field. */
const MAX_MODEL_LENGTH = 100;

const MAX_EACH = 50;

/** Collects the normalized SKU, valid GTINs and model numbers of a listing, and its GTINs also as the feed writes them. */
export function identifiersOf(sku: string, declaredGtins: string[], metadata: unknown) {
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

/** The GTINs of a record as the feed writes them, valid or not. */
export const gtinTextsOf = (declaredGtins: readonly string[], metadata: unknown): string[] => [
  ...declaredGtins,
  ...textsAt(metadata, GTIN_KEYS),
];

/** The model numbers in a record's metadata as the feed writes them. */
export const modelsOf = (metadata: unknown): string[] => textsAt(metadata, MODEL_KEYS);

const unique = (values: string[]): string[] => [...new Set(values)].slice(0, MAX_EACH);

function texts(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((item) => typeof item === 'string');
}

function textsAt(metadata: unknown, names: string[]): string[] {
  if (!isJsonObject(metadata)) return [];
  return Object.entries(metadata).flatMap(([name, value]) =>
    names.includes(name.toLowerCase()) ? texts(value) : [],
  );
}
