/** Readers of the values of the options of `npm run ingest`. Each throws a `UsageError` if the value is invalid. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type FeedMap, MapError, readFeedMap, RECORD_FIELDS } from '../../src/feeds/map/feed-map.js';
import { isTimezone } from '../../src/feeds/map/time.js';
import { isEncoding } from '../../src/feeds/read/feed.js';
import { isCurrency } from '../../src/listing/currency.js';
import { parseInstant } from '../../src/listing/instant.js';
import { UsageError } from '../shared/exit.js';
import { fromCaller } from '../shared/terminal.js';

/** The maximum number of aliases in a YAML map file, so that a small file cannot expand to a huge one. */
const MAX_ALIASES = 100;

/** Reads a map of a feed. @throws UsageError that lists its errors. */
export function readMapFile(name: string, option: string): FeedMap {
  try {
    return readFeedMap(parse(readFileSync(fromCaller(name), 'utf8'), { maxAliasCount: MAX_ALIASES }));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof MapError) throw new UsageError(`${option} ${name} is invalid:\n${message}`);
    throw new UsageError(code === 'ENOENT' ? `${name}: no such file.` : `${name} cannot be read: ${message}`);
  }
}

export function encoding(name: string, option: string): string {
  if (isEncoding(name)) return name;
  throw new UsageError(`${option} must be an encoding such as latin1, utf-16 or shift_jis, not "${name}".`);
}

/** Reads an ISO 4217 code of a currency, in upper or lower case. */
export function currency(given: string, option: string): string {
  const code = given.toUpperCase();
  if (isCurrency(code)) return code;
  throw new UsageError(`${option} must be an ISO 4217 code such as SGD, not "${given}".`);
}

export function timezone(name: string, option: string): string {
  if (isTimezone(name)) return name;
  throw new UsageError(`${option} must be a time zone such as Asia/Singapore, not "${name}".`);
}

/** Reads a time in ISO 8601 that is not in the future. */
export function pastTime(given: string, option: string): Date {
  const ms = parseInstant(given);
  if (ms === null)
    throw new UsageError(`${option} must be a time such as 2026-11-22T06:00:00Z, not "${given}".`);
  if (ms > Date.now()) throw new UsageError(`${option} must not be in the future: "${given}".`);
  return new Date(ms);
}

/** Reads the beginning of the URLs of a shop, without a slash at its end. */
export function shopUrl(given: string, option: string): string {
  if (URL.canParse(given) && /^https?:/.test(given)) return given.endsWith('/') ? given.slice(0, -1) : given;
  throw new UsageError(`${option} must be a URL such as https://shop.example, not "${given}".`);
}

const REQUIRED_FIELDS: readonly string[] = ['sku', 'source', 'name'];

/** Reads the fields without which a record is loaded if they are invalid: `gtin,image_url=drop`. */
export function droppable(given: string, option: string): Set<string> {
  const [names = '', what] = given.split('=');
  const fields = names.split(',').map((name) => name.trim());
  const wrong = fields.find(
    (name) => REQUIRED_FIELDS.includes(name) || !RECORD_FIELDS.some((target) => target === name),
  );
  if (what !== 'drop' || wrong !== undefined)
    throw new UsageError(`${option} must list optional fields, such as gtin,image_url=drop, not "${given}".`);
  return new Set(fields);
}

/** Reads a percentage from 0 to a maximum, with or without a percent sign. */
export function percent(given: string, option: string, max = 100): number {
  const [, digits] = /^(\d{1,6}(?:\.\d{1,4})?)\s?%?$/.exec(given) ?? [];
  if (digits === undefined || Number(digits) > max) {
    throw new UsageError(`${option} must be a percentage from 0 to ${max}, not "${given}".`);
  }
  return Number(digits);
}

/** Reads a two-letter country code, in upper or lower case. */
export function country(code: string, option: string): string {
  if (/^[A-Za-z]{2}$/.test(code)) return code.toUpperCase();
  throw new UsageError(`${option} "${code}" is not a two-letter ISO 3166-1 country code.`);
}
