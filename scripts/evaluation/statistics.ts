import { bootstrapEstimate, type Estimate, seededRandom } from '../../src/text/statistics.js';

export { seededRandom };

/** A measured quality or speed figure with its 95 % confidence interval. */
export interface Figure extends Estimate {
  name: string;
  /** The number of cases from which the figure was computed. */
  cases: number;
  /** The value of each case, if the figure is their mean. Two reports are then compared case by case. */
  by?: Record<string, number>;
  /** The figure of the naive baseline for the same cases, and the paired difference from it. */
  baseline?: Figure;
  difference?: Figure;
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

/** Computes a figure from all cases, with its confidence interval; see `bootstrapEstimate`. */
export const bootstrap = <T>(
  name: string,
  cases: readonly T[],
  statistic: (cases: readonly T[]) => number,
): Figure => ({ name, ...bootstrapEstimate(cases, statistic), cases: cases.length });

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
