import { visibleText } from '../text/clean.js';

/*
 * UPC-12, EAN-13, GTIN-8 and GTIN-14 are the same number with a different count of leading zeros, and an
 * ISBN-10 is one with a different check digit. All of them are normalized to 14 digits.
 */

/** A GTIN with 14 digits, or the error: the text has no form of a GTIN, or its check digit is wrong. */
type ParsedGtin = { gtin: string } | { wrong: 'form' | 'check digit' };

/** The maximum number of characters of a written GTIN. Longer texts are not examined and count as invalid. */
const MAX_WRITTEN = 64;

/** Parses a GTIN as people write it, with spaces, any kind of hyphen and full-width digits. */
export function readGtin(text: string): ParsedGtin {
  if (text.length > MAX_WRITTEN || !/\p{N}/u.test(text)) return { wrong: 'form' };
  const digits = visibleText(text)
    .normalize('NFKC')
    .replace(/[\s\p{Pd}]/gu, '')
    .toLowerCase();
  if (!/^(\d{8}|\d{12,14}|\d{9}[\dx])$/.test(digits)) return { wrong: 'form' };
  const gtin = toGtin(digits);
  return gtin === null ? { wrong: 'check digit' } : { gtin };
}

/** Parses a text as a GTIN; null if it is not a valid one. */
export function gtinOf(text: string): string | null {
  const read = readGtin(text);
  return 'gtin' in read ? read.gtin : null;
}

/** Normalizes the digits of a GTIN or an ISBN-10 (which may end with `x`) to 14 digits; null if invalid. */
export function toGtin(text: string): string | null {
  if (/^\d{9}[\dx]$/.test(text)) return isbnToGtin(text);
  if (!/^(\d{8}|\d{12,14})$/.test(text) || /^0+$/.test(text)) return null;
  const gtin = text.padStart(14, '0');
  return checkDigit(gtin.slice(0, 13)) === gtin.at(-1) ? gtin : null;
}

/**
 * Matches normalized in-store numbers (restricted circulation numbers of GS1): GTIN-13 from 02, 04 and 20 to 29, also in a
 * GTIN-14, GTIN-8 from 0 and 2; and the numbers of coupons and receipts (980 to 984, 99), which denote no product either.
 */
const IN_STORE = /^(?=\d{14}$)(?:\d2|\d0[24]|\d98[0-4]|\d99|0{6}[02])/;

/** Whether a GTIN with 14 digits is an in-store number, by which each shop identifies its own goods in one source only. */
export const isInStoreGtin = (gtin: string): boolean => IN_STORE.test(gtin);

/** The key by which listings share a GTIN with 14 digits. That of an in-store number contains the source. */
export const gtinKey = (gtin: string, source: string): string =>
  isInStoreGtin(gtin) ? `${source}\0${gtin}` : gtin;

/** The check digit of GS1: from the right, the digits before it have the weights 3, 1, 3, … */
export function checkDigit(digits: string): string {
  const sum = [...digits].reduce(
    (total, digit, index) => total + Number(digit) * ((digits.length - index) % 2 === 1 ? 3 : 1),
    0,
  );
  return String((10 - (sum % 10)) % 10);
}

function isbnToGtin(isbn: string): string | null {
  const sum = [...isbn].reduce((total, c, index) => total + (c === 'x' ? 10 : Number(c)) * (10 - index), 0);
  if (sum % 11 !== 0 || /^0+$/.test(isbn)) return null;
  const body = `0978${isbn.slice(0, 9)}`;
  return body + checkDigit(body);
}
