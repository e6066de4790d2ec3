import { LIMITS } from '../schemas/product.js';
import { toGtin } from './gtin.js';
import { normaliseIdentifier } from './identify.js';
import { canonicalInstant, compareInstants, formatInstant } from './instant.js';
import { parsePrice } from './price.js';
import type { FeedRecord, PriceObservation } from './record.js';
import { cleanJson, cleanText, isBlank, isLongerThan } from '../text/clean.js';
import { parseUrl } from './url.js';

const MAX_METADATA_BYTES = 32 * 1024;
const MAX_PATH_LEVELS = 20;
const MAX_HISTORY = 1_000;
const MAX_GTINS = 20;
const MAX_QUOTE = 60;

/** Validation of a record stops after this many reasons. */
export const MAX_REASONS = 20;
const DAY_MS = 86_400_000;

/** Units of account that ISO 4217 lists and feeds price in (Chile's UF, of four decimals), and the runtime leaves out. */
const UNITS_OF_ACCOUNT = ['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW'];

const CURRENCIES = new Set([...Intl.supportedValuesOf('currency'), ...UNITS_OF_ACCOUNT]);

/** A record that may enter the catalogue, or the reasons why it may not: all of them, or the first `MAX_REASONS`. */
export type Validated = { record: FeedRecord } | { reasons: string[] };

/**
 * Checks one record of a feed and brings it into canonical form: clean text, decimal prices, UTC times. Nothing is
 * cut or guessed: what does not fit is a reason. Blanks around `sku` and `source` go, blank optional text counts as
 * unknown, a lower-case currency is written in capitals, and fields that are not the feed's to state (`id`,
 * `updated_at`) or unknown are ignored.
 * @param raw what the feed's JSON or row became.
 * @param context.now no observation may be more than a day later.
 * @returns reasons in the form `price: "$5" is not …`.
 */
export function validateRecord(raw: unknown, { now }: { now: Date }): Validated {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return { reasons: [`record: ${quote(raw)} is not a JSON object`] };
  }
  const check = new Check(raw as Record<string, unknown>, formatInstant(now.getTime() + DAY_MS));
  const record: FeedRecord = {
    sku: check.requiredText('sku', LIMITS.sku).trim(),
    source: check.requiredText('source', LIMITS.source).trim(),
    name: check.requiredText('name', LIMITS.name),
    merchant_id: check.text('merchant_id', LIMITS.merchant_id),
    description: check.text('description', LIMITS.description),
    price: check.price('price'),
    currency: check.currency(),
    buy_url: check.url('buy_url'),
    affiliate_url: check.url('affiliate_url'),
    image_url: check.url('image_url'),
    brand: check.text('brand', LIMITS.brand),
    category: check.text('category', LIMITS.category),
    category_path: check.categoryPath(),
    rating: check.rating(),
    is_available: check.availability(),
    last_checked: check.instant('last_checked'),
    metadata: check.metadata(),
    // What no answer shows, an export cannot state: only these two tell absent from null.
    ...(Object.hasOwn(raw, 'list_price') ? { list_price: check.price('list_price') } : {}),
    ...(Object.hasOwn(raw, 'gtin') ? { gtin: check.gtins() } : {}),
    price_history: check.history(),
  };
  return check.reasons.length > 0 ? { reasons: check.reasons } : { record };
}

/** The (source, sku) of a record even if the rest of it is invalid; null where it cannot be told. */
export function readKey(raw: unknown): { source: string; sku: string } | null {
  if (typeof raw !== 'object' || raw === null) return null;
  const source = keyPart((raw as Record<string, unknown>)['source'], LIMITS.source);
  const sku = keyPart((raw as Record<string, unknown>)['sku'], LIMITS.sku);
  return source === null || sku === null ? null : { source, sku };
}

function keyPart(value: unknown, limit: number): string | null {
  if (typeof value !== 'string') return null;
  const text = cleanText(value);
  return isBlank(text) || isLongerThan(text, limit) ? null : text.trim();
}

/** Whether a record of a feed states when it was observed; without it, the moment of the load counts. */
export function isDated(raw: unknown): boolean {
  const { last_checked } = (raw ?? {}) as Record<string, unknown>;
  return typeof last_checked === 'string' && !isBlank(last_checked);
}

/** The reason without the value it quotes, to count the same findings together. */
export function reasonKind(reason: string): string {
  return reason.replace(/ "(?:[^"\\]|\\.)*"…?/, '').replace(/\[\d+\]/g, '[]');
}

/** The fields of one record, each read at most once, and what was found wrong with them. */
class Check {
  readonly reasons: string[] = [];

  constructor(
    private readonly raw: Record<string, unknown>,
    private readonly latest: string,
  ) {}

  text(field: string, limit: number): string | null {
    return this.cleaned(field, this.field(field), limit);
  }

  requiredText(field: string, limit: number): string {
    const value = this.raw[field] ?? null;
    if (value === null) return this.fail(field, 'is required') ?? '';
    return this.filled(field, value, limit);
  }

  price(field: string): string | null {
    return this.parsedPrice(field, this.field(field));
  }

  currency(): string | null {
    const text = this.text('currency', LIMITS.url);
    if (text === null) return null;
    const code = text.toUpperCase();
    return CURRENCIES.has(code)
      ? code
      : this.fail('currency', `${quote(text)} is not an ISO 4217 currency code`);
  }

  url(field: string): string | null {
    const text = this.text(field, LIMITS.url);
    if (text === null) return null;
    const url = /^https?:\/\/[^\s\\]+$/i.test(text) ? parseUrl(text) : null;
    if (url === null) return this.fail(field, `${quote(text)} is not an http or https URL`);
    if (/["<>]/.test(text))
      return this.fail(field, `${quote(text)} has a quotation mark, < or > that is not percent-encoded`);
    // Not quoted: reasons are kept in logs.
    return url.username + url.password === '' ? text : this.fail(field, 'has a user name or password in it');
  }

  categoryPath(): string[] | null {
    const value = this.field('category_path');
    if (value === null) return null;
    if (!Array.isArray(value))
      return this.fail('category_path', `${quote(value)} is not an array of strings`);
    if (value.length > MAX_PATH_LEVELS) {
      return this.fail('category_path', `has more than ${MAX_PATH_LEVELS} levels`);
    }
    return value.map((level: unknown, index) => {
      const field = `category_path[${index}]`;
      return this.filled(field, level, LIMITS.category_level);
    });
  }

  rating(): string | null {
    const value = this.field('rating');
    if (value === null) return null;
    const text = typeof value === 'number' ? String(value) : value;
    const fine = typeof text === 'string' && /^\d(\.\d{1,20})?$/.test(text) && Number(text) <= 5;
    return fine ? text : this.fail('rating', `${quote(value)} is not a decimal number from 0 to 5`);
  }

  availability(): boolean | null {
    const value = this.field('is_available');
    if (value === null || typeof value === 'boolean') return value;
    return this.fail('is_available', `${quote(value)} is not true or false`);
  }

  instant(field: string): string | null {
    return this.parsedInstant(field, this.field(field));
  }

  metadata(): unknown {
    const value = this.field('metadata');
    if (value === null) return null;
    const cleaned = cleanJson(value);
    if ('reason' in cleaned) return this.fail('metadata', cleaned.reason);
    const size = Buffer.byteLength(JSON.stringify(cleaned.value));
    return size > MAX_METADATA_BYTES
      ? this.fail('metadata', `is longer than ${MAX_METADATA_BYTES / 1024} kB of JSON`)
      : cleaned.value;
  }

  gtins(): string[] | null {
    const value = this.field('gtin');
    if (value === null) return null;
    const values: unknown[] = Array.isArray(value) ? value : [value];
    if (values.length > MAX_GTINS) return this.fail('gtin', `has more than ${MAX_GTINS} values`);
    return values
      .filter((item) => !isUnknown(item))
      .map((item) => {
        const text = typeof item === 'number' ? gtinText(item) : item;
        // Only what people write between the digits; a letter would make it another number.
        const digits = typeof text === 'string' && /^[\d\s-]+$/.test(text) ? normaliseIdentifier(text) : null;
        if (digits !== null && toGtin(digits) !== null && digits.length !== 10) return digits;
        return (
          this.fail('gtin', `${quote(item)} is not a GTIN (8, 12, 13 or 14 digits, check digit included)`) ??
          ''
        );
      });
  }

  history(): PriceObservation[] | null {
    const value = this.field('price_history');
    if (value === null) return null;
    if (!Array.isArray(value)) return this.fail('price_history', `${quote(value)} is not an array`);
    if (value.length > MAX_HISTORY) {
      return this.fail('price_history', `has more than ${MAX_HISTORY} entries`);
    }
    const observations: PriceObservation[] = [];
    for (const [index, entry] of (value as unknown[]).entries()) {
      if (this.isFull) break;
      const field = `price_history[${index}]`;
      const {
        price = null,
        at = null,
        declared = null,
      } = typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>) : {};
      if (isUnknown(price) || isUnknown(at)) this.fail(field, 'needs a price and an at');
      if (declared !== null && typeof declared !== 'boolean')
        this.fail(`${field}.declared`, `${quote(declared)} is not true or false`);
      observations.push({
        price: this.parsedPrice(`${field}.price`, isUnknown(price) ? null : price) ?? '',
        at: this.parsedInstant(`${field}.at`, isUnknown(at) ? null : at) ?? '',
        ...(declared === true ? { declared } : {}),
      });
    }
    return observations;
  }

  private get isFull(): boolean {
    return this.reasons.length >= MAX_REASONS;
  }

  /** After that many reasons every field counts as unknown: the record is rejected whatever it says. */
  private field(name: string): unknown {
    const value = this.isFull ? null : (this.raw[name] ?? null);
    return isUnknown(value) ? null : value;
  }

  private fail(field: string, problem: string): null {
    if (!this.isFull) this.reasons.push(`${field}: ${problem}`);
    return null;
  }

  private cleaned(field: string, value: unknown, limit: number): string | null {
    if (value === null) return null;
    if (typeof value !== 'string') return this.fail(field, `${typeName(value)} is not a string`);
    const text = cleanText(value);
    if (isBlank(text)) return null;
    return isLongerThan(text, limit) ? this.fail(field, `is longer than ${limit} characters`) : text;
  }

  private filled(field: string, value: unknown, limit: number): string {
    const blank = value === null || (typeof value === 'string' && isBlank(value));
    const text = blank ? this.fail(field, 'must not be blank') : this.cleaned(field, value, limit);
    return text ?? '';
  }

  private parsedPrice(field: string, value: unknown): string | null {
    if (value === null) return null;
    if (typeof value !== 'string' && typeof value !== 'number') {
      return this.fail(field, `${quote(value)} is not a decimal string or number`);
    }
    const parsed = parsePrice(value);
    return 'price' in parsed ? parsed.price : this.fail(field, `${quote(value)} ${parsed.reason}`);
  }

  private parsedInstant(field: string, value: unknown): string | null {
    if (value === null) return null;
    const at = typeof value === 'string' ? canonicalInstant(value) : null;
    if (at === null) return this.fail(field, `${quote(value)} is not an ISO 8601 date and time`);
    return compareInstants(at, this.latest) > 0 ? this.fail(field, `${quote(value)} is in the future`) : at;
  }
}

const isUnknown = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && isBlank(value));

/** The digits of a GTIN that was written as a number, and so without the zeros it begins with. */
function gtinText(value: number): string {
  const digits = String(value);
  return digits.padStart(digits.length <= 8 ? 8 : 12, '0');
}

/** A value as a reason shows it: short, and never walked, for it may be nested without end. */
export function quote(value: unknown): string {
  if (typeof value === 'object' && value !== null) return typeName(value);
  const text = String(value);
  const quoted = JSON.stringify(text.slice(0, MAX_QUOTE).toWellFormed());
  return text.length > MAX_QUOTE ? `${quoted}…` : quoted;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
