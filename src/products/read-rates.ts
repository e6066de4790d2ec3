import { readFileSync } from 'node:fs';
import { ConfigError } from '../platform/config/config.js';
import type { ExchangeRates } from '../listing/rates.js';
import { shippedJson } from '../platform/shipped-files.js';
import { isJsonObject } from '../schemas/json-object.js';

/** The maximum number of decimal places of an exchange rate. Rates are stored as integers with this scale. */
const SCALE = 12;
const RATE = new RegExp(`^(\\d{1,12})(?:\\.(\\d{1,${SCALE}}))?$`);
const CODE = /^[A-Z]{3}$/;

/**
 * Reads the operator's exchange rates, or those of one day that ship with the service and are only good enough to rank prices.
 * @param file path of a JSON file `{"base":"USD","date":"2026-01-31","rates":{"SGD":"1.30",…}}`: units of each currency for one
 * of the base, as decimal strings; null for the default.
 * @throws ConfigError naming `EXCHANGE_RATES_FILE` and what is wrong with it.
 */
export function readRates(file: string | null): ExchangeRates {
  if (file === null) return parseRates(shippedJson('mappings/exchange-rates.json'));
  let table: unknown;
  try {
    table = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new ConfigError(`EXCHANGE_RATES_FILE ${reason}: ${file}`, { cause: error });
  }
  return parseRates(table);
}

/** Parses a table of exchange rates. @throws ConfigError if the value is not such a table. */
export function parseRates(table: unknown): ExchangeRates {
  const wrong = (what: string) => new ConfigError(`EXCHANGE_RATES_FILE ${what}`);
  if (!isJsonObject(table)) throw wrong('must contain an object with "base", "date" and "rates"');
  const { base, date, rates } = table;
  if (typeof base !== 'string' || !CODE.test(base))
    throw wrong('needs "base", an ISO 4217 code such as "USD"');
  if (typeof date !== 'string' || !isDate(date))
    throw wrong('needs "date", the day of its rates: "YYYY-MM-DD"');
  if (!isJsonObject(rates)) throw wrong('needs "rates", an object of decimal strings by ISO 4217 code');
  const perBase = new Map([[base, scaled('1')]]);
  for (const [currency, rate] of Object.entries(rates)) {
    if (!CODE.test(currency)) throw wrong(`has a rate for "${currency}", which is not an ISO 4217 code`);
    const value = typeof rate === 'string' ? scaled(rate) : 0n;
    if (value <= 0n) throw wrong(`needs a positive decimal string such as "1.30" as the rate of ${currency}`);
    if (currency === base && value !== scaled('1')) throw wrong(`must give its base ${base} the rate "1"`);
    perBase.set(currency, value);
  }
  return { base, date, perBase };
}

/** Returns an exchange rate as an integer with the common scale; 0 if the text is not a rate. */
function scaled(rate: string): bigint {
  const [, whole, decimals = ''] = RATE.exec(rate) ?? [];
  return whole === undefined ? 0n : BigInt(whole + decimals.padEnd(SCALE, '0'));
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(time)) return false;
  return new Date(time).toISOString().startsWith(text);
}
