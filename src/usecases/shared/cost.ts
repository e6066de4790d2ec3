/**
 * Requests of one kind share places, so that no kind takes those of another: `light` is what an engine request or two
 * answer, `heavy` compares many listings, `deep` reaches its page in hops, `load` writes listings.
 */
export type Pool = 'light' | 'heavy' | 'deep' | 'load';

/** What a request takes while it is worked on. A place of `heavy` or `deep` is about the work of one search. */
export interface Cost {
  pool: Pool;
  places: number;
}

export const LIGHT: Cost = { pool: 'light', places: 1 };

/** All that there are for deep pages: one page at the last offset, or some less deep. */
export const DEEP_PLACES = 20;
