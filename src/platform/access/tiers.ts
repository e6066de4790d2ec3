/** The number of requests that an API key of each tier may send in one rate-limit window. */
export const TIERS = { free: 100, basic: 100, standard: 500, premium: 1_000 } as const;

export type Tier = keyof typeof TIERS;

export const TIER_NAMES = Object.keys(TIERS) as Tier[];

/** The factor of the rate limit of suggestions, which are requested with every letter typed. */
export const SUGGESTIONS_FACTOR = 10;

/** The number of requests that a client address without a valid key may send in one rate-limit window. */
export const ADDRESS_LIMIT = 100;

/** The number of requests of an address without a key in one window, by default, if `PUBLIC_READ` allows them. */
export const PUBLIC_LIMIT = 30;

/** The number of write requests per rate-limit window of a key, besides its other requests. */
export const WRITE_LIMIT = 30;

export const WINDOW_MS = 60_000;

const MB = 1_000_000;

/** The number of listings and bytes that may be written to one source per day, in UTC. */
export const WRITE_QUOTAS: Record<Tier, { listings: number; bytes: number }> = {
  free: { listings: 20_000, bytes: 50 * MB },
  basic: { listings: 50_000, bytes: 125 * MB },
  standard: { listings: 200_000, bytes: 500 * MB },
  premium: { listings: 1_000_000, bytes: 2_500 * MB },
};
