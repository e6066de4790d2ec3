import { SEARCH_TUNING } from '../../engine/queries/tuning.js';
import { MAX_RESULT_WINDOW } from '../../engine/queries/selection.js';

/** The number of characters per word that Elasticsearch finds in a text without blanks, such as Thai. */
const CHARACTERS_PER_WORD = 10;

/** So many listings cost about as much as one word of a text, or one item of a list. */
const LISTINGS = 10;

/** The number of words of a text that are searched for, estimated by its length if it has no blanks. */
const wordsOf = (text: string): number =>
  Math.min(
    Math.max(text.trim().split(/\s+/).length, Math.floor(text.length / CHARACTERS_PER_WORD)),
    SEARCH_TUNING.maxWords,
  );

/**
 * The size of a request on a logarithmic scale, by which requests of an endpoint are compared: the number of words, of
 * items in lists and of options, times the number of listings, and the distance of the page. It is not an estimate of the
 * cost, which is measured for each size.
 */
export function sizeOf(...inputs: unknown[]): number {
  let items = 1;
  let limit = 0;
  let offset = 0;
  const read = (name: string, value: unknown): void => {
    if (typeof value === 'string') items += wordsOf(value);
    else if (Array.isArray(value)) items += value.length;
    else if (value === true) items += 1;
    else if (name === 'limit') limit = Number(value);
    else if (name === 'offset') offset = Number(value);
    else if (typeof value === 'object' && value !== null)
      for (const [member, one] of Object.entries(value)) read(member, one);
  };
  for (const input of inputs) read('', input);
  const hops = Math.floor(offset / MAX_RESULT_WINDOW);
  return Math.floor(Math.log2(items * (1 + limit / LISTINGS) + hops * LISTINGS));
}
