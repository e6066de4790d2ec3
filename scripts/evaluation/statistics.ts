/** A measured quality or speed figure with its 95 % confidence interval. */
export interface Figure {
  name: string;
  value: number;
  low: number;
  high: number;
  /** The number of cases from which the figure was computed. */
  cases: number;
  /** The value of each case, if the figure is their mean. Two reports are then compared case by case. */
  by?: Record<string, number>;
  /** The figure of the naive baseline for the same cases, and the paired difference from it. */
  baseline?: Figure;
  difference?: Figure;
}

const RESAMPLES = 1_000;
const SEED = 20_240_601;

/** Returns a generator of random numbers from 0 to 1 (mulberry32). The same seed gives the same numbers. */
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

/**
 * Computes a figure from all cases, and its confidence interval by resampling the cases (percentile
 * bootstrap, with a fixed seed).
 * @param statistic computes the figure from any selection of the cases; NaN where it is undefined.
 */
export function bootstrap<T>(
  name: string,
  cases: readonly T[],
  statistic: (cases: readonly T[]) => number,
): Figure {
  const random = seededRandom(SEED);
  const value = statistic(cases);
  const values = Array.from({ length: RESAMPLES }, () =>
    statistic(cases.map(() => cases[Math.floor(random() * cases.length)] as T)),
  )
    .filter((resampled) => !Number.isNaN(resampled))
    .sort((a, b) => a - b);
  const at = (share: number) =>
    values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? value;
  return { name, value, low: at(0.025), high: at(0.975), cases: cases.length };
}

/** Computes the mean over the values of named cases, and its 95 % confidence interval. */
export function bootstrapByCase(name: string, values: ReadonlyMap<string, number>): Figure {
  return { ...bootstrap(name, [...values.values()], mean), by: Object.fromEntries(values) };
}

/**
 * Computes how much a figure has changed over the cases that both reports contain, with the confidence
 * interval of the paired difference; null if no case is in both.
 */
export function pairedChange({ name, by = {} }: Figure, earlier: Figure): Figure | null {
  const before = new Map(Object.entries(earlier.by ?? {}));
  const changes = Object.entries(by).flatMap(([one, value]) => {
    const old = before.get(one);
    return old === undefined ? [] : [value - old];
  });
  return changes.length === 0 ? null : bootstrap(name, changes, mean);
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
