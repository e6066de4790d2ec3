import type { Addition } from './additions.js';

/** Control characters, of which stored text has none: no listing can imitate them. */
const MARKS = { open: '\u0001', close: '\u0002' };

/** So much of a text is marked: a page of the longest descriptions would else keep the engine for seconds. */
export const MARKED_CHARACTERS = 5_000;

const FIELDS = ['name', 'description'] as const;

/** Adds to each item its texts as HTML, with what matched in `<em>`. */
export const highlighted: Addition = {
  request: {
    highlight: {
      pre_tags: [MARKS.open],
      post_tags: [MARKS.close],
      // All of the text, and not its best pieces.
      number_of_fragments: 0,
      max_analyzed_offset: MARKED_CHARACTERS,
      fields: Object.fromEntries(FIELDS.map((field) => [field, {}])),
    },
  },
  item: ({ highlight, _source: listing }) => ({
    highlight: Object.fromEntries(
      FIELDS.map((field) => {
        const text = highlight?.[field]?.[0] ?? listing?.[field] ?? null;
        return [field, text === null ? null : toHtml(text)];
      }),
    ),
  }),
};

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The engine takes a tag right after a word for its end. */
const TAGS_WITHIN = /((?:<[^<>]{0,200}>){1,3})\u0002/g;

const toHtml = (text: string): string =>
  text
    .replace(TAGS_WITHIN, `${MARKS.close}$1`)
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
    .replaceAll(MARKS.open, '<em>')
    .replaceAll(MARKS.close, '</em>');
