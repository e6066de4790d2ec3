import { visibleText } from '../text/clean.js';

/**
 * GTINs: UPC-12, EAN-13, GTIN-8 and GTIN-14 are one number with and without leading zeros, and an ISBN-10 is one with
 * another check digit. Here they become 14 digits; search, ingestion, look-up and matching know them by these.
 */

/** Fourteen digits; or what is wrong: `form` is no GTIN at all, `check digit` is one that was mistyped. */
export type ReadGtin = { gtin: string } | { wrong: 'form' | 'check digit' };

/** Reads a GTIN as people write it: blanks and hyphens of every kind between the digits, in any script's wide form. */
export function readGtin(text: string): ReadGtin {
  // Longer text is none, and need not be looked at to its end.
  if (text.length > MAX_WRITTEN) return { wrong: 'form' };
  const digits = visibleText(text)
    .normalize('NFKC')
    .replace(/[\s\p{Pd}]/gu, '')
    .toLowerCase();
  if (!/^(\d{8}|\d{12,14}|\d{9}[\dx])$/.test(digits)) return { wrong: 'form' };
  const gtin = toGtin(digits);
  return gtin === null ? { wrong: 'check digit' } : { gtin };
}

const MAX_WRITTEN = 64;

/** The GTIN that a text is as a whole, as 14 digits; null: it is none. */
export function gtinOf(text: string): string | null {
  const read = readGtin(text);
  return 'gtin' in read ? read.gtin : null;
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

/** The check digit of the digits before it. GS1: from the right they weigh 3, 1, 3, … */
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
