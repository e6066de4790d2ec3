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

const MB = 1_000_000;

/** Listings and bytes that may be written to one source in a day of UTC. */
export const WRITE_QUOTAS: Record<Tier, { listings: number; bytes: number }> = {
  free: { listings: 20_000, bytes: 50 * MB },
  basic: { listings: 50_000, bytes: 125 * MB },
  standard: { listings: 200_000, bytes: 500 * MB },
  premium: { listings: 1_000_000, bytes: 2_500 * MB },
};

/** Requests a minute that write, of each key beside those that read. */
export const WRITE_LIMIT = 30;
