/** A listing that moves, and how much. */
export interface TrendingListing {
  id: number;
  /** Visitors who followed its link to the shop, and keys that searched for what finds it, by its place there. */
  score: number;
}

/** What a pass over the events found, as it is stored: the one document of its index. */
export interface StoredTrends {
  /** When it was counted, ISO 8601. */
  measured_at: string;
  /** What moves most comes first; at most `MOST_TRENDING`. */
  listings: TrendingListing[];
}

/** Listings that are kept as moving; whoever pages further finds what is new. */
export const MOST_TRENDING = 1_000;
