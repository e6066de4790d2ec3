import type { Tier } from '../access/tiers.js';
import { AdaptiveLimit } from '../adaptive-limit.js';
import { tooManyExports } from '../errors.js';
import { type Limit, Places } from '../places.js';

/**
 * Requests of one kind share places, so that no kind takes those of another: `light` is what an engine request or two
 * answer, `heavy` compares many listings, `deep` reaches its page in hops.
 */
export type Pool = 'light' | 'heavy' | 'deep';

/** What a request takes while it is worked on. A place of `heavy` or `deep` is about the work of one search. */
export interface Cost {
  pool: Pool;
  places: number;
}

export const LIGHT: Cost = { pool: 'light', places: 1 };

/** With these, an engine that is asked five times too much answers what it takes in well under a second. */
const LIGHT_BOUNDS = { least: 32, first: 128, most: 512, target: 400 };

/** Two of the largest matrices at once: as much as one process compares, and searches still find the engine free. */
const HEAVY_PLACES = 40;

/** One page at the last offset, or some less deep. */
export const DEEP_PLACES = 20;

/** Each holds half a megabyte or so. */
const EXPORT_PLACES = 32;

const fixed = (size: number): Limit => ({ size: () => size });

/** The places of one process. */
export const createPools = (): Record<Pool, Places> => ({
  light: new Places({ limit: new AdaptiveLimit(LIGHT_BOUNDS), queue: 0.5, patience: 500 }),
  heavy: new Places({ limit: fixed(HEAVY_PLACES), queue: 2, patience: 3_000 }),
  deep: new Places({ limit: fixed(DEEP_PLACES), queue: 1, patience: 3_000 }),
});

/** An export lasts as long as its client reads: nobody waits for it, and no client has more than a few. */
export const createExportPlaces = (): Places =>
  new Places({ limit: fixed(EXPORT_PLACES), queue: 0, patience: 0, refusal: tooManyExports });

/** Exports at once of one key. */
export const EXPORTS_PER_KEY: Record<Tier, number> = { free: 2, basic: 2, standard: 2, premium: 4 };
