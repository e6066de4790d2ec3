import type { Profile } from '../profile.js';
import { VARIANTS } from '../../text/vocabulary.js';
import { fold } from '../../text/words.js';
import { isJoined, type Reading } from './reading.js';

/** Whether every model number of the query is the listing's: `near` where the listing adds letters to one. */
export function codesOf(reading: Reading): 'has' | 'near' | 'lacks' {
  const { query, profile, stated, candidate } = reading;
  let worst: 'has' | 'near' = 'has';
  for (const [index, { text, kind }] of query.words.entries()) {
    if (kind !== 'code') continue;
    const forms = [profile.forms, profile.codes, profile.statedModels];
    if (forms.some((set) => set.has(text)) || candidate.internal.identifiers.includes(text)) continue;
    if (isJoined(index, reading) || endsCode(text, profile) || stated.own.forms.has(text)) continue;
    if (![...profile.codes, ...profile.forms].some((form) => addsLetters(text, form))) return 'lacks';
    worst = 'near';
  }
  return worst;
}

const MAX_LETTERS = 4;
export const MIN_CODE = 4;

/**
 * `wh1000xm5b` is `wh1000xm5` in black, but `rtx4070ti` is another model than `rtx4070`, and where a code ends with a
 * letter one letter more makes another of it: `i914900ks` is no `i914900k`.
 */
function addsLetters(code: string, form: string): boolean {
  const rest = form.slice(code.length);
  return (
    code.length >= MIN_CODE &&
    form.startsWith(code) &&
    new RegExp(`^\\p{L}{${/\d$/.test(code) ? 1 : 2},${MAX_LETTERS}}$`, 'u').test(rest) &&
    !VARIANTS.has(rest)
  );
}

/** `xm5` of `wh1000xm5`: what follows a digit. */
const endsCode = (code: string, { codes }: Profile): boolean =>
  /^\p{L}/u.test(code) &&
  [...codes].some((one) => one.endsWith(code) && /\d$/.test(one.slice(0, -code.length)));

export function hasNumbers(reading: Reading): boolean {
  return reading.query.words.every(
    ({ text, kind }, index) => kind !== 'number' || hasNumber(text, index, reading),
  );
}

const LONG_NUMBER = 3;

function hasNumber(number: string, index: number, reading: Reading): boolean {
  const { profile, stated, candidate } = reading;
  if (profile.numbers.has(number) || isJoined(index, reading)) return true;
  if (number.length >= LONG_NUMBER && profile.forms.has(number)) return true;
  if (isSize(number, candidate.name)) return true;
  const { own, naming } = stated;
  return naming.numbers.has(number) || (number.length >= LONG_NUMBER && own.forms.has(number));
}

/** People say `43` of 43 inches, `128` of 128 GB and `6000` of 6000 MHz. */
export const isSize = (number: string, name: string): boolean =>
  number.length > 1 &&
  new RegExp(
    `(?<![\\d.])${number.replace('.', '\\.')}[\\s-]?(?:"|''|inch|in\\b|[gt]b\\b${number.length > LONG_NUMBER ? '|mhz\\b|mt/s|mah\\b|dpi\\b|btu\\b' : ''})`,
  ).test(fold(name));
