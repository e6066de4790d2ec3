import { hash } from 'node:crypto';

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

/** Longer ones are no model numbers but descriptions in the wrong field; and one listing has not hundreds. */
const MAX_MODEL_LENGTH = 100;
const MAX_EACH = 50;

/** Collects a listing's identifiers. Malformed ones in metadata are not used. */
export function identifiersOf(sku: string, declaredGtins: string[], metadata: unknown): Identifiers {
  const written = [...declaredGtins, ...textsAt(metadata, GTIN_KEYS)].map(normaliseIdentifier);
  const valid = written.filter((text) => toGtin(text) !== null);
  const gtins = unique(valid.flatMap((text) => toGtin(text) ?? []));
  const models = unique(
    textsAt(metadata, MODEL_KEYS)
      .map(normaliseIdentifier)
      .filter((model) => model !== '' && model.length <= MAX_MODEL_LENGTH),
  );
  const identifiers = unique([normaliseIdentifier(sku), ...gtins, ...valid, ...models]);
  return { identifiers: identifiers.filter((text) => text !== ''), gtins, models };
}

const unique = (values: string[]): string[] => [...new Set(values)].slice(0, MAX_EACH);

function texts(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((item) => typeof item === 'string');
}

function textsAt(metadata: unknown, names: string[]): string[] {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return [];
  return Object.entries(metadata).flatMap(([name, value]) =>
    names.includes(name.toLowerCase()) ? texts(value) : [],
  );
}

/**
 * A GTIN of 8, 12, 13 or 14 digits, or an ISBN-10, as 14 digits.
 * @param text digits alone (the last of an ISBN-10 may be `x`).
 * @returns null unless the check digit is right.
 */
export function toGtin(text: string): string | null {
  if (/^\d{9}[\dx]$/.test(text)) return isbnToGtin(text);
  if (!/^(\d{8}|\d{12,14})$/.test(text) || /^0+$/.test(text)) return null;
  const gtin = text.padStart(14, '0');
  return checkDigit(gtin.slice(0, 13)) === gtin.at(-1) ? gtin : null;
}

/** GS1: the digits from the right weigh 3, 1, 3, … */
function checkDigit(digits: string): string {
  const sum = [...digits].reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1),
    0,
  );
  return String((10 - (sum % 10)) % 10);
}

function isbnToGtin(isbn: string): string | null {
  const sum = [...isbn].reduce((total, c, index) => total + (c === 'x' ? 10 : Number(c)) * (10 - index), 0);
  if (sum % 11 !== 0) return null;
  const body = `0978${isbn.slice(0, 9)}`;
  return body + checkDigit(body);
}
