/**
 * Pools of concurrency slots, so that requests of one kind do not take the slots of another: `light` needs one or two engine
 * requests, `heavy` compares many listings, `deep` reaches a page with a large offset, `load` writes listings.
 */
export type Pool = 'light' | 'heavy' | 'deep' | 'load';

/** The concurrency slots that a request holds. A slot of `heavy` or `deep` stands for about the work of one search. */
export interface Cost {
  pool: Pool;
  slots: number;
}

export const LIGHT: Cost = { pool: 'light', slots: 1 };

/** The number of slots of the `deep` pool: those of one page at the largest offset. */
export const DEEP_SLOTS = 20;
