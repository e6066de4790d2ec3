/** Control characters other than tab, line feed and carriage return. */
const CONTROLS = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]/g;

/** Removes control characters and replaces lone surrogates, so that every program accepts the text. */
export function cleanText(text: string): string {
  const formed = text.isWellFormed() ? text : text.toWellFormed();
  return formed.replace(CONTROLS, '');
}

const LINE_BREAK = /[\t-\r\u0085\u2028\u2029]/;

/** Replaces line breaks and tabs, with the blanks around them, by one blank, because the field is shown on one line. */
export function singleLine(text: string): string {
  if (!LINE_BREAK.test(text)) return text;
  return text.replace(/\s+/g, (blanks, at: number) => {
    if (!LINE_BREAK.test(blanks)) return blanks;
    return at === 0 || at + blanks.length === text.length ? '' : ' ';
  });
}

/** Matches a text of ASCII characters only, which needs no Unicode normalization. */
export const ASCII = /^[\0-\x7f]*$/;

/** Format characters without a glyph. The analyzers in `mappings/products.json` remove the same ones. */
const INVISIBLE =
  /[\u00AD\u034F\u061C\u180B-\u180F\u200C-\u200F\u202A-\u202E\u2060-\u206F\uFE00-\uFE0F\uFEFF\u{E0000}-\u{E0FFF}]/gu;

/** Whether a character is a format character without a glyph. A zero-width space is not one. */
export const isInvisible = (character: string): boolean => character.replace(INVISIBLE, '') === '';

/** The text without invisible format characters, and with a blank in place of each zero-width space. */
export const visibleText = (text: string): string =>
  ASCII.test(text) ? text : text.replace(INVISIBLE, '').replaceAll('\u200B', ' ');

/** Whether the text consists of blanks, control characters and invisible characters only. */
export function isBlank(text: string): boolean {
  return !/[^\s\0-\x1F\x7F-\x9F]/.test(visibleText(text));
}

export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let points = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // The second half of a surrogate pair is not counted, because the first half was counted for both.
    if (unit < 0xdc00 || unit > 0xdfff) points++;
  }
  return points > limit;
}

/** The maximum nesting depth of metadata, because deeper JSON would exhaust the stack of recursive readers. */
const MAX_DEPTH = 50;

/** Cleans every key and text of a JSON value with `cleanText`. @returns the reason if it cannot be stored. */
export function cleanJson(value: unknown, depth = 0): { value: unknown } | { reason: string } {
  if (typeof value === 'string') return { value: cleanText(value) };
  if (typeof value === 'number') {
    // Larger integers are refused, because JSON.parse has lost digits of them, and turned 1e400 into Infinity.
    const exact = Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value));
    return exact ? { value } : { reason: 'has a number beyond 2^53, write it as a string' };
  }
  if (typeof value !== 'object' || value === null) return { value };
  if (depth >= MAX_DEPTH) return { reason: `is nested deeper than ${MAX_DEPTH} levels` };
  const entries: [string, unknown][] = [];
  let changed = false;
  for (const [key, item] of Object.entries(value)) {
    const cleaned = cleanJson(item, depth + 1);
    if ('reason' in cleaned) return cleaned;
    const name = cleanText(key);
    changed ||= cleaned.value !== item || name !== key;
    entries.push([name, cleaned.value]);
  }
  if (!changed) return { value };
  // fromEntries defines own properties, so that a `__proto__` key remains an ordinary key.
  return { value: Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries) };
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes the characters that are markup in HTML and XML. */
export const escapeMarkup = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
