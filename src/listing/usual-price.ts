/** A price that one source asks. */
export interface SourcePrice {
  source: string;
  /** In units that can be compared. */
  price: number;
}

/** A usual price needs this many sources, so that one or two sources cannot discredit the price of another. */
const MIN_SOURCES = 3;

/**
 * What a product usually costs: the median of its sources' votes. `sources` is how many voted.
 * @returns null where fewer than three sources have a price.
 */
export function usualPrice(prices: readonly SourcePrice[]): { price: number; sources: number } | null {
  const votes = votesOf(prices);
  if (votes.size < MIN_SOURCES) return null;
  return { price: median([...votes.values()]), sources: votes.size };
}

/**
 * What each source says that something costs: the median of its own prices. Prices of several listings are compared by
 * these votes, so that no source outvotes the others by listing a product many times.
 */
export function votesOf(prices: readonly SourcePrice[]): Map<string, number> {
  const bySource = new Map<string, number[]>();
  for (const { source, price } of prices) bySource.set(source, [...(bySource.get(source) ?? []), price]);
  return new Map([...bySource].map(([source, own]) => [source, median(own)]));
}

/**
 * Whether a price is at or below a share of the usual one. Its own source votes too, and of an even number of votes the
 * lower middle one counts, so that a single other source never makes a price seem too low.
 * @param votes of `votesOf`; if the source of the price has none there, its vote is the price itself.
 */
export function isFarBelow(
  { source, price }: SourcePrice,
  share: number,
  votes: ReadonlyMap<string, number>,
): boolean {
  const sorted = ascending([...new Map([[source, price], ...votes]).values()]);
  return price <= share * (sorted[Math.floor((sorted.length - 1) / 2)] ?? price);
}

/** The middle value, or the mean of both middle values. */
function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const [low = 0, high = 0] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.floor(sorted.length / 2)],
  ];
  return (low + high) / 2;
}

const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
