import { decodeHTML, decodeHTMLStrict } from 'entities';

const BREAK = /<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6])\b[^<>]{0,2000}>/gi;
const TAG = /<[a-z/!][^<>]{0,5000}>/gi;
const HIDDEN = [
  ['<!--', '-->'],
  ['<script', '</script>'],
  ['<style', '</style>'],
] as const;

/** Matches text that is certainly a tag. Other text between angle brackets may have another meaning, as in `a <b> c`. */
const SURE_TAG =
  /<\/?(?:p|br|b|i|u|em|strong|ul|ol|li|div|span|h[1-6]|table|tr|td|a|img)(?:\s[^<>]{0,2000})?\/?>/i;

/** Converts HTML, which feeds encode up to twice, to text as a browser would display it. */
export function textOfHtml(html: string): string {
  const once = withoutTags(html);
  const text = ENTITY.test(once) ? decodeHTMLStrict(once) : once;
  return tidy(SURE_TAG.test(text) && !SURE_TAG.test(html) ? withoutTags(text) : text);
}

function withoutTags(html: string): string {
  const bare = /<[a-z/!]/i.test(html)
    ? HIDDEN.reduce((text, [start, end]) => without(text, start, end), html)
        .replace(/\s+/g, ' ')
        .replace(BREAK, '\n')
        .replace(TAG, '')
    : html;
  return decodeHTML(bare);
}

const tidy = (text: string): string =>
  text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/i;

/** Decodes the HTML entities in a plain text such as a name. Feeds encode them up to twice (`&amp;amp;`). */
export function decodeEntities(text: string): string {
  const once = ENTITY.test(text) ? decodeHTMLStrict(text) : text;
  return ENTITY.test(once) ? decodeHTMLStrict(once) : once;
}

/** A name without HTML: entities are decoded, sure tags are removed, and blanks of other kinds become plain ones. */
export function plainName(text: string): string {
  const name = decodeEntities(text);
  return (SURE_TAG.test(name) ? textOfHtml(name) : name).replace(OTHER_BLANK, ' ').trim();
}

const OTHER_BLANK = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

/** Removes everything between two marks, or up to the end of the text if the end mark is missing. */
function without(text: string, start: string, end: string): string {
  const lower = text.toLowerCase();
  const kept: string[] = [];
  let from = 0;
  for (let at = lower.indexOf(start); at >= 0; at = lower.indexOf(start, from)) {
    kept.push(text.slice(from, at));
    const to = lower.indexOf(end, at);
    from = to < 0 ? text.length : to + end.length;
  }
  return [...kept, text.slice(from)].join('');
}
