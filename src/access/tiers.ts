/** Requests per window of each tier. The one list of tiers: schemas and the command line take their names from here. */
export const TIERS = { free: 100, basic: 100, standard: 500, premium: 1_000 } as const;

export type Tier = keyof typeof TIERS;

export const TIER_NAMES = Object.keys(TIERS) as Tier[];

/** What is asked with every letter that somebody types has a window of its own, of so many times the requests. */
export const SUGGESTIONS_TIMES = 10;

/** Requests per window of an address that shows no valid key. */
export const ADDRESS_LIMIT = 100;

/** Length of every window. */
export const WINDOW_MS = 60_000;

/** Requests a minute that write, of each key beside those that read. */
export const WRITE_LIMIT = 30;
