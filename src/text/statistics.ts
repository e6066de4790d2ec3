import { createHash } from 'node:crypto';

/** A value with its 95 % confidence interval. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** Estimates a share with its 95 % confidence interval (Wilson score) from counts; NaN without a case. */
export function shareEstimate(hits: number, cases: number): Estimate {
  const z = 1.96;
  const value = hits / cases;
  const centre = (value + z ** 2 / (2 * cases)) / (1 + z ** 2 / cases);
  const half = (z * Math.sqrt((value * (1 - value)) / cases + (z / (2 * cases)) ** 2)) / (1 + z ** 2 / cases);
  return { value, low: centre - half, high: centre + half };
}

/** Maps a text to a number from 0 up to 1 that looks random. It divides items into parts that stay the same in each run. */
export const hashShare = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;

const RESAMPLES = 1_000;
const SEED = 20_240_601;

/** A generator of random numbers from 0 to 1 (mulberry32). The same seed gives the same numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws a random sample without replacement. The same seed draws the same items from the same list. */
export function drawSample<T>(items: readonly T[], size: number, seed: number): T[] {
  const random = seededRandom(seed);
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, size)
    .map(({ item }) => item);
}

/** Computes a statistic of all cases, NaN where undefined, and its 95 % confidence interval by resampling with a fixed seed. */
export function bootstrapEstimate<T>(cases: readonly T[], statistic: (cases: readonly T[]) => number) {
  const random = seededRandom(SEED);
  const value = statistic(cases);
  const values = Array.from({ length: RESAMPLES }, () =>
    statistic(cases.map(() => cases[Math.floor(random() * cases.length)] as T)),
  )
    .filter((resampled) => !Number.isNaN(resampled))
    .sort((a, b) => a - b);
  const at = (share: number) =>
    values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? value;
  return { value, low: at(0.025), high: at(0.975) };
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The median; the mean of the two middle values of an even number; 0 without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (position: number) => sorted[position] ?? 0;
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.floor(sorted.length / 2))) / 2;
}

/** Rounds a number to this many decimals. */
export const roundTo = (decimals: number, value: number): number =>
  Math.round(value * 10 ** decimals) / 10 ** decimals;

/** The logistic function: returns the probability, 0 to 1, that belongs to a logit. */
export const logistic = (logit: number): number => 1 / (1 + Math.exp(-logit));

/** How many of the first results NDCG@10 counts. */
export const NDCG_DEPTH = 10;

/** NDCG@10, from 0 to 1; NaN without a rating above 0. @param found the ratings of the results. @param all those of the query. */
export const ndcg = (found: readonly number[], all: readonly number[]): number =>
  gain(found) / gain(all.toSorted((a, b) => b - a));

const gain = (ratings: readonly number[]): number =>
  ratings.slice(0, NDCG_DEPTH).reduce((total, rating, index) => total + rating / Math.log2(index + 2), 0);
