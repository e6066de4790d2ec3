import { alone, BEGINS, ENDS, MAY_GAP, oneOf, QUOTED, READ, type Span } from './phrase.js';
import { readPrice } from './prices.js';
import { readRating } from './ratings.js';
import { namesOf, readSource, type SourceNames } from './sources.js';
import { ANYTHING, DISCOUNT, IN_STOCK, LEADING, OUT_OF_STOCK, SORT_WORDS } from './words.js';

/** A parameter that words stand for. */
export interface Reading extends Span {
  parameter: 'min_price' | 'max_price' | 'currency' | 'in_stock' | 'min_rating' | 'source' | 'sort';
  /** As the parameter is written in a URL. */
  value: string;
}

export interface Interpretation {
  /** What is left to search for; empty: nothing. */
  text: string;
  /** In the order of the text. */
  read: Reading[];
}

interface Said extends Span {
  says: Omit<Reading, keyof Span>[];
}

/** The first words in a text that say something of its kind. */
type Reader = (text: string, names: SourceNames) => Said | null;

const says = (parameter: Reading['parameter'], words: (Span & { value: string }) | null): Said | null =>
  words && { from: words.from, to: words.to, says: [{ parameter, value: words.value }] };

/** Words that always mean one value. */
function fixed(parameter: Reading['parameter'], value: string, words: RegExp): Reader {
  return (text) => {
    const found = words.exec(text);
    return found && says(parameter, { from: found.index, to: found.index + found[0].length, value });
  };
}

const anywhere = (words: readonly string[]) => new RegExp(`${alone(words)}(?:${MAY_GAP}的)?`, 'iu');

const price: Reader = (text) => {
  const words = readPrice(text);
  if (words === null) return null;
  const { from, to, min, max, currency } = words;
  return {
    from,
    to,
    says: [
      ...(min === undefined ? [] : [{ parameter: 'min_price' as const, value: min }]),
      ...(max === undefined ? [] : [{ parameter: 'max_price' as const, value: max }]),
      ...(currency === null ? [] : [{ parameter: 'currency' as const, value: currency }]),
    ],
  };
};

/** Prices come last: what was read behind a number tells that it counts nothing. */
const READERS: readonly Reader[] = [
  (text) => says('min_rating', readRating(text)),
  fixed('in_stock', 'true', anywhere(IN_STOCK)),
  fixed('in_stock', 'false', anywhere(OUT_OF_STOCK)),
  ...Object.entries(SORT_WORDS).map(([sort, words]) => fixed('sort', sort, anywhere(words))),
  (text, names) => says('source', readSource(text, names)),
  price,
  // `discount card` is a thing.
  fixed('sort', 'discount', new RegExp(`${alone(DISCOUNT)}(?=[\\s${READ}]*$)`, 'iu')),
];

/** Stands for what is quoted, which means itself. */
const QUOTE = '\u0001';

/**
 * Reads the words of a shopper that narrow and sort; what is not sure to do so stays to be searched for. Of two that
 * contradict each other the first is read.
 * @param q offsets of what was read are into it, in UTF-16 code units, end exclusive.
 * @param sources the codes that there are.
 */
export function interpret(q: string, { sources }: { sources: readonly string[] }): Interpretation {
  let left = q.replaceAll(CONTROL, ' ').replaceAll(QUOTED, (quote) => QUOTE.repeat(quote.length));
  const names = namesOf(sources);
  const read: Reading[] = [];
  for (const reader of READERS) {
    for (;;) {
      const found = reader(left, names);
      if (found === null || found.says.some((one) => contradicts(one, read))) break;
      const { from, to } = found;
      left = left.slice(0, from) + READ.repeat(to - from) + left.slice(to);
      const added = found.says.filter(({ parameter }) => read.every((one) => one.parameter !== parameter));
      read.push(...added.map((one) => ({ ...one, from, to })));
    }
  }
  if (read.length === 0) return { text: q, read };
  return { text: textLeft(q, left), read: read.sort((a, b) => a.from - b.from) };
}

/** Whether another value was read, or a limit that crosses this one. */
function contradicts({ parameter, value }: Said['says'][number], read: readonly Reading[]): boolean {
  const known = (of: Reading['parameter']) => read.find((one) => one.parameter === of)?.value;
  // As numbers: no price takes part in this comparison.
  if (parameter === 'max_price' && Number(known('min_price')) > Number(value)) return true;
  if (parameter === 'min_price' && Number(known('max_price')) < Number(value)) return true;
  return (known(parameter) ?? value) !== value;
}

const CONTROL = /[\0\u0001]/g;
const READ_OVER = new RegExp(`(?:${BEGINS}(?:${oneOf(LEADING)}${ENDS}\\s*))+(?=${READ})`, 'giu');
const NOTHING = new RegExp(`^(?:${oneOf(ANYTHING)}${ENDS}\\s*)*$`, 'iu');

/** The text without what was read, and without what only led to it. */
function textLeft(q: string, left: string): string {
  const masked = left.replace(READ_OVER, (words) => READ.repeat(words.length));
  const text = [...masked.matchAll(new RegExp(`[^${READ}]+`, 'g'))]
    .map(({ 0: part, index }) => q.slice(index, index + part.length).trim())
    .filter((part) => part !== '')
    .join(' ');
  return NOTHING.test(text) || !/[\p{L}\p{N}]/u.test(text) ? '' : text;
}
