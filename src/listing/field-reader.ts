import { type Condition, CONDITIONS } from '../schemas/condition.js';
import { isJsonObject } from '../schemas/json-object.js';
import { LIMITS } from '../schemas/product.js';
import { cleanJson, cleanText, isBlank, isLongerThan } from '../text/clean.js';
import { readCondition } from '../naming/condition.js';
import { isCurrency } from './currency.js';
import { toGtin } from './gtin.js';
import { normaliseIdentifier } from './identify.js';
import { canonicalInstant, compareInstants } from './instant.js';
import type { DumpedTimes, PriceObservation, StatedDelivery } from './listing.js';
import { parseAmount, parsePrice } from './price.js';
import { parseUrl } from './url.js';

const MAX_METADATA_BYTES = 32 * 1024;
const MAX_PATH_LEVELS = 20;
const MAX_HISTORY = 1_000;
const MAX_GTINS = 20;
const MAX_QUOTE = 60;

export const MAX_REASONS = 20;

/** Reads the fields of one record and collects the errors in them. */
export class FieldReader {
  readonly reasons: string[] = [];

  /** The currency of the prices in the record; null if the record does not state a valid one. */
  private readonly statedCurrency: string | null;

  constructor(
    private readonly raw: Record<string, unknown>,
    private readonly latest: string,
  ) {
    this.statedCurrency = currencyIn(raw['currency']);
  }

  text(field: string, limit: number, value: unknown = this.field(field)): string | null {
    if (value === null) return null;
    if (typeof value !== 'string') return this.fail(field, `${typeName(value)} is not a string`);
    const text = cleanText(value);
    if (isBlank(text)) return null;
    return isLongerThan(text, limit) ? this.fail(field, `is longer than ${limit} characters`) : text;
  }

  requiredText(field: string, limit: number): string {
    const value = this.raw[field] ?? null;
    if (value === null) return this.fail(field, 'is required') ?? '';
    return this.filled(field, value, limit);
  }

  price(
    field: string,
    value: unknown = this.field(field),
    currency = this.statedCurrency,
    parse: typeof parsePrice = parsePrice,
  ): string | null {
    if (value === null) return null;
    if (typeof value !== 'string' && typeof value !== 'number') {
      return this.fail(field, `${quote(value)} is not a decimal string or number`);
    }
    const parsed = parse(value, currency);
    return 'price' in parsed ? parsed.price : this.fail(field, `${quote(value)} ${parsed.reason}`);
  }

  currency(field = 'currency', value: unknown = this.field(field)): string | null {
    return this.code(field, value, (text) => isCurrency(text.toUpperCase()), 'an ISO 4217 currency code');
  }

  url(field: string): string | null {
    const text = this.text(field, LIMITS.url);
    if (text === null) return null;
    const url = /^https?:\/\/[^\s\\]+$/i.test(text) ? parseUrl(text) : null;
    if (url === null) return this.fail(field, `${quote(text)} is not an http or https URL`);
    if (/["<>]/.test(text))
      return this.fail(field, `${quote(text)} has a quotation mark, < or > that is not percent-encoded`);
    // The message does not quote the URL, because reasons are stored in logs and the URL may contain a password.
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

  boolean(field: string): boolean | null {
    const value = this.field(field);
    if (value === null || typeof value === 'boolean') return value;
    return this.fail(field, `${quote(value)} is not true or false`);
  }

  instant(field: string, value: unknown = this.field(field)): string | null {
    if (value === null) return null;
    const at = typeof value === 'string' ? canonicalInstant(value) : null;
    if (at === null) return this.fail(field, `${quote(value)} is not an ISO 8601 date and time`);
    return compareInstants(at, this.latest) > 0 ? this.fail(field, `${quote(value)} is in the future`) : at;
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
        // Removing a letter between digits would result in another number, so such a text is refused.
        const digits = typeof text === 'string' && /^[\d\s-]+$/.test(text) ? normaliseIdentifier(text) : null;
        if (digits !== null && toGtin(digits) !== null && digits.length !== 10) return digits;
        return (
          this.fail('gtin', `${quote(item)} is not a GTIN (8, 12, 13 or 14 digits, check digit included)`) ??
          ''
        );
      });
  }

  /** Reads what the record states about delivery. An object without a price and a threshold is rejected, because it states nothing. */
  delivery(): StatedDelivery | null {
    const value = this.field('delivery');
    if (value === null) return null;
    if (!isJsonObject(value))
      return this.fail('delivery', `${quote(value)} is not an object with price, currency, to and free_from`);
    const of = (name: string) => (isUnknown(value[name] ?? null) ? null : value[name]);
    if (of('price') === null && of('free_from') === null)
      return this.fail('delivery', 'neither price nor free_from is stated');
    const currency = currencyIn(of('currency')) ?? this.statedCurrency;
    const isCountry = (text: string) => /^[A-Za-z]{2}$/.test(text);
    const delivery = {
      price: this.price('delivery.price', of('price'), currency, parseAmount),
      currency: this.currency('delivery.currency', of('currency')),
      to: this.code('delivery.to', of('to'), isCountry, 'a two-letter ISO 3166-1 country code'),
      free_from: this.price('delivery.free_from', of('free_from'), currency, parseAmount),
    };
    return delivery.price === null && delivery.free_from === null ? null : delivery;
  }

  /** Reads the condition: a text, or the object in exports, of which only the condition that the feed stated counts. */
  condition(): Condition | null {
    const value = this.field('condition');
    const { value: exported = null, basis } = isJsonObject(value) ? value : { value };
    if (exported === null || (basis !== undefined && basis !== 'stated')) return null;
    const condition = typeof exported === 'string' ? readCondition(exported) : null;
    return condition ?? this.fail('condition', `${quote(value)} is not one of ${CONDITIONS.join(', ')}`);
  }

  times(): DumpedTimes {
    const value = this.field('times');
    const { first_observed_at, observed_at } = isJsonObject(value) ? value : {};
    const read = (name: string, time: unknown) =>
      (isUnknown(time ?? null) ? this.fail(name, 'is required in a dump') : this.instant(name, time)) ?? '';
    return {
      first_observed_at: read('times.first_observed_at', first_observed_at),
      observed_at: read('times.observed_at', observed_at),
      updated_at: read('updated_at', this.field('updated_at')),
    };
  }

  /** Reads the price history. @param isDump whether entries may have sightings, an end, and another currency, as in dumps. */
  history(isDump = false): PriceObservation[] | null {
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
      const members = isJsonObject(entry) ? entry : {};
      const { price = null, at = null, declared = null } = members;
      if (isUnknown(price) || isUnknown(at)) this.fail(field, 'needs the members price and at');
      if (declared !== null && typeof declared !== 'boolean')
        this.fail(`${field}.declared`, `${quote(declared)} is not true or false`);
      const dumped = isDump ? this.dumped(field, members) : {};
      const { currency = this.statedCurrency } = dumped;
      observations.push({
        price: this.price(`${field}.price`, isUnknown(price) ? null : price, currency) ?? '',
        at: this.instant(`${field}.at`, isUnknown(at) ? null : at) ?? '',
        ...(declared === true ? { declared } : {}),
        ...dumped,
      });
    }
    return observations;
  }

  private dumped(
    field: string,
    entry: Record<string, unknown>,
  ): Pick<PriceObservation, 'currency' | 'from' | 'seen_until' | 'ended_at'> {
    const { currency, from } = entry;
    const times = (['seen_until', 'ended_at'] as const).flatMap((name) => {
      const at = this.instant(`${field}.${name}`, entry[name] ?? null);
      return at === null ? [] : [[name, at] as const];
    });
    const known = { ...Object.fromEntries(times), ...(from === true && { from: true as const }) };
    if (currency === undefined) return known;
    if (currency !== null && !(typeof currency === 'string' && isCurrency(currency)))
      this.fail(`${field}.currency`, `${quote(currency)} is not an ISO 4217 currency code`);
    return { currency: currency as string | null, ...known };
  }

  private get isFull(): boolean {
    return this.reasons.length >= MAX_REASONS;
  }

  /** Returns a field of the record; null once the record has the maximum number of reasons for its rejection. */
  private field(name: string): unknown {
    const value = this.isFull ? null : (this.raw[name] ?? null);
    return isUnknown(value) ? null : value;
  }

  private fail(field: string, problem: string): null {
    if (!this.isFull) this.reasons.push(`${field}: ${problem}`);
    return null;
  }

  private filled(field: string, value: unknown, limit: number): string {
    const blank = value === null || (typeof value === 'string' && isBlank(value));
    return (blank ? this.fail(field, 'must not be blank') : this.text(field, limit, value)) ?? '';
  }

  private code(field: string, value: unknown, isCode: (text: string) => boolean, what: string) {
    const text = this.text(field, LIMITS.url, value);
    if (text === null) return null;
    return isCode(text) ? text.toUpperCase() : this.fail(field, `${quote(text)} is not ${what}`);
  }
}

/** The currency code that a value states; null if it states none. */
function currencyIn(value: unknown): string | null {
  const code = typeof value === 'string' ? cleanText(value).toUpperCase() : '';
  return isCurrency(code) ? code : null;
}

const isUnknown = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && isBlank(value));

/** Returns the digits of a GTIN that is a JSON number, with the leading zeros that a number cannot have. */
function gtinText(value: number): string {
  const digits = String(value);
  return digits.padStart(digits.length <= 8 ? 8 : 12, '0');
}

/** Formats a value for a reason for rejection. Objects are not traversed, because they may be nested very deeply. */
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
