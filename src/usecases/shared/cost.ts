import { hopsTo } from '../../engine/deep-offset.js';
import type { Slice } from '../../engine/queries/selection.js';
import { SEARCH_TUNING } from '../../engine/queries/tuning.js';
import { MAX_OFFSET } from '../../schemas/page.js';

/**
 * The pools of concurrency slots, which are separate so that requests of one kind do not take the slots
 * of another: `light` needs one or two engine requests, `heavy` compares many listings, `deep` reaches a
 * page with a large offset, `load` writes listings.
 */
export type Pool = 'light' | 'heavy' | 'deep' | 'load';

/**
 * The concurrency slots that a request holds. One slot of the pools `heavy` and `deep` stands for about the
 * work of one search.
 */
export interface Cost {
  pool: Pool;
  slots: number;
}

export const LIGHT: Cost = { pool: 'light', slots: 1 };

/** The number of slots of the `deep` pool. One page at the largest offset takes all of them. */
export const DEEP_SLOTS = 20;

/** Returns the slots of reading a page: one for each hop to a deep offset, which is as much work as a search. */
export function costOfPage(slice: Slice): Cost {
  const hops = hopsTo(slice);
  return hops === 0 ? LIGHT : { pool: 'deep', slots: Math.min(hops, DEEP_SLOTS) };
}

/** The concurrency slots of a page of a list. A page beyond the maximum offset costs little, because it is refused. */
export const costOfList = (slice: Slice): Cost => (slice.offset > MAX_OFFSET ? LIGHT : costOfPage(slice));

/** The number of words whose spelling is corrected in the time of one search, which is one concurrency slot. */
const CORRECTED_PER_SLOT = 6;

/**
 * In a text without blanks, such as Thai, the words into which Elasticsearch splits the text have about this
 * number of characters.
 */
const CHARACTERS_PER_WORD = 10;

/** Estimates the number of words of a text that Elasticsearch searches for. */
export const estimatedWords = (q = ''): number =>
  Math.min(
    Math.max(q.split(/\s+/).filter((word) => word !== '').length, Math.floor(q.length / CHARACTERS_PER_WORD)),
    SEARCH_TUNING.maxWords,
  );

/** The slots for the spelling correction of a text, in addition to those of its search. */
export const slotsForSpelling = (q?: string): number =>
  Math.floor(Math.min(estimatedWords(q), SEARCH_TUNING.maxLookupWords) / CORRECTED_PER_SLOT);
