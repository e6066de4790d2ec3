import { gtinOf, toGtin } from '../../listing/gtin.js';
import { isIdentifierKey } from '../../listing/identify.js';
import { visibleText } from '../../text/clean.js';
import { textOf, UnreadableValue } from './row.js';

/** A formula that is nothing but a text, with which exports keep spreadsheets from changing a value: `="0012"`. */
const TEXT_FORMULA = /^=\s*(?:T\(\s*)?["“”](.*)["“”]\s*\)?$/s;
/** Matches the apostrophe with which spreadsheets mark a text, in any form. A text in quotation marks does not match. */
const TEXT_MARK = /^['‘’`´＇](?=[^\s'‘’`´＇])([^'‘’`´＇]*)$/s;

/** Removes the mark with which a spreadsheet protects a text: an apostrophe before it, or a formula around it. */
function withoutMark(text: string): string {
  const formula = TEXT_FORMULA.exec(text.trim())?.[1]?.replaceAll('""', '"');
  if (formula !== undefined && !/^\s*$/.test(formula)) return withoutMark(formula);
  return TEXT_MARK.exec(text.trim())?.[1] ?? text;
}

/** What spreadsheets show in place of a value that they cannot compute or fit. */
const SPREADSHEET_ERROR = /^#(?:N\/A|REF!|NAME\?|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|#{2,})$/;

/** Whether a value is only an error of a spreadsheet, such as `#N/A`. */
export const isSpreadsheetError = (value: unknown): boolean => SPREADSHEET_ERROR.test(textOf(value) ?? '');

/** Removes spreadsheet marks from a member of the metadata if it is an identifier, such as an MPN. */
export const cleanMetadata = (name: string, value: unknown): unknown =>
  isSpreadsheetError(value)
    ? undefined
    : typeof value === 'string' && isIdentifierKey(name)
      ? withoutMark(value)
      : value;

/** The SKU of a row without a spreadsheet mark. @throws UnreadableValue for a JSON number that is not exact. */
export function readSku(value: unknown): unknown {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof one === 'number' && (/e/.test(String(one)) || Math.abs(one) > Number.MAX_SAFE_INTEGER))
    throw new UnreadableValue(`"${one}" is not exact as a JSON number: write it as a string`);
  const text = textOf(one);
  return text === undefined ? one : withoutMark(text);
}

/** Restores GTINs, and removes duplicates, and invalid GTINs beside valid ones. @returns the GTINs, and if any was invalid. */
export function repairGtins(value: unknown): { gtin: unknown; isReduced: boolean } {
  const byGtin = new Map<unknown, unknown>();
  for (const one of [value].flat().map(restoredGtin)) {
    const gtin = gtinOf(textOf(one) ?? '') ?? one;
    if (!byGtin.has(gtin)) byGtin.set(gtin, one);
  }
  const gtins = [...byGtin.values()];
  const valid = gtins.filter((one) => gtinOf(textOf(one) ?? '') !== null);
  const kept = valid.length > 0 ? valid : gtins;
  return {
    gtin: kept.length === 1 ? kept[0] : kept,
    isReduced: valid.length > 0 && valid.length < gtins.length,
  };
}

/**
 * A GTIN as it is stored: without a spreadsheet mark and as plain digits. A UPC gets back the leading zero
 * that spreadsheets remove, if its check digit is then valid, and an ISBN of ten digits becomes one of thirteen. A number
 * that a spreadsheet has rounded becomes its exponent form, which is no GTIN. Other values stay as they are.
 */
function restoredGtin(value: unknown): unknown {
  const written = textOf(value);
  if (written === undefined) return value;
  const text = exactNumber(withoutMark(visibleText(written).normalize('NFKC')));
  const digits = text.replace(/[\s-]/g, '');
  if (isRounded(digits)) return Number(digits).toExponential();
  if (/^\d{11}$/.test(digits)) return toGtin(`0${digits}`) === null ? value : `0${digits}`;
  if (/^\d{9}[\dXx]$/.test(digits)) return gtinOf(digits)?.slice(1) ?? value;
  return text === written ? value : text;
}

/** The digits of `4012345000023.0`, `4,012,345,000,023` or `4.012345000023E+12`, as spreadsheets show a number. */
function exactNumber(text: string): string {
  const [, first, rest = '', exponent] = /^(\d)[.,](\d{7,13})E\+?(\d\d?)$/i.exec(text) ?? [];
  if (first !== undefined && Number(exponent) === rest.length) return first + rest;
  if (/^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3}){1,3}$/.test(text)) return text.replace(/[.,]/g, '');
  return text.replace(/^(\d{8,})[.,]0+$/, '$1');
}

/** Whether a number of twelve or more digits was rounded to the six significant digits that spreadsheets show. */
const isRounded = (digits: string): boolean => /^(?=\d{12,14}$)[1-9]\d{0,5}0+$/.test(digits);
