import { bootstrapEstimate, type Estimate, mean } from '../../src/text/statistics.js';

/** A value, numerator and denominator, both values of a harmonic mean, or for a calibration score, 1 (same) or 0, and so on. */
export type Contribution = number | readonly number[];

/** The functions that compute a figure from the contributions of its cases. */
const STATISTICS = {
  quotient: (cases: readonly Contribution[]): number => {
    let [numerator, denominator] = [0, 0];
    for (const one of cases) {
      const [n = 0, d = 0] = typeof one === 'number' ? [one, 1] : one;
      numerator += n;
      denominator += d;
    }
    return numerator / denominator;
  },
  /** The harmonic mean of the means of two values, such as precision and recall. */
  harmonic: (cases: readonly Contribution[]): number => {
    const [a, b] = [0, 1].map((at) =>
      mean(cases.map((one) => (typeof one === 'number' ? one : one[at]) ?? NaN)),
    );
    return a === undefined || b === undefined ? NaN : (2 * a * b) / (a + b);
  },
  calibration: (cases: readonly Contribution[]): number =>
    calibrationError(
      cases.flatMap((one) =>
        typeof one === 'number'
          ? []
          : one.flatMap((score, at) => (at % 2 === 0 ? [{ score, same: one[at + 1] === 1, weight: 1 }] : [])),
      ),
    ),
};

/** A measured figure with its 95 % confidence interval. */
export interface Figure extends Estimate {
  name: string;
  cases: number;
  /** The contribution of each case, by which two reports are compared case by case. */
  by?: Record<string, Contribution>;
  /** How the figure is computed from `by`; `quotient` by default. */
  of?: keyof typeof STATISTICS;
  /** The figure of the naive baseline for the same cases, and the paired difference from it. */
  baseline?: Figure;
  difference?: Figure;
}

/** Computes a figure from all cases, with its confidence interval; see `bootstrapEstimate`. */
export const bootstrap = <T>(
  name: string,
  cases: readonly T[],
  statistic: (cases: readonly T[]) => number,
): Figure => ({ name, ...bootstrapEstimate(cases, statistic), cases: cases.length });

/** Computes a figure from the contributions of named cases, and its 95 % confidence interval. */
export const bootstrapByCase = (
  name: string,
  by: ReadonlyMap<string, Contribution>,
  of: keyof typeof STATISTICS = 'quotient',
): Figure => ({
  ...bootstrap(name, [...by.values()], STATISTICS[of]),
  by: Object.fromEntries(by),
  ...(of === 'quotient' ? {} : { of }),
});

/** How many answers to a case are right, how many were given, and how many there should be. */
export interface Retrieved {
  right: number;
  found: number;
  all: number;
}

/** Precision, recall and F1 of named cases. @param nameOf returns the name of the figure with one of these names. */
export function retrievalFigures(
  cases: ReadonlyMap<string, Retrieved>,
  nameOf: (figure: string) => string = (figure) => figure,
): Figure[] {
  const contributions: [string, (one: Retrieved) => Contribution][] = [
    ['precision', ({ right, found }) => [right, found]],
    ['recall', ({ right, all }) => [right, all]],
    ['F1', ({ right, found, all }) => [2 * right, found + all]],
  ];
  return contributions.map(([figure, contribution]) =>
    bootstrapByCase(nameOf(figure), new Map([...cases].map(([id, one]) => [id, contribution(one)]))),
  );
}

/** The change over the cases in both reports, with the interval of the paired difference; null if no case is in both. */
export function pairedChange({ name, by = {}, of = 'quotient' }: Figure, earlier: Figure): Figure | null {
  const before = new Map(Object.entries(earlier.by ?? {}));
  const both = Object.entries(by).flatMap(([one, now]) => {
    const old = before.get(one);
    return old === undefined ? [] : [{ now, old }];
  });
  const statistic = STATISTICS[of];
  return both.length === 0
    ? null
    : bootstrap(
        name,
        both,
        (cases) => statistic(cases.map(({ now }) => now)) - statistic(cases.map(({ old }) => old)),
      );
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The score of a candidate, whether it is the same product, and its weight. */
export interface Scored {
  score: number;
  same: boolean;
  weight: number;
}

/** The minimum score of the matches that `compare` returns. */
export const SHOWN = 0.5;
/** The minimum score of a match that is considered certain. */
export const SURE = 0.9;

/** The expected calibration error: the weighted mean difference of mean score and share of matches in ten score intervals. */
export function calibrationError(scored: readonly Scored[]): number {
  const apart = new Float64Array(10);
  let all = 0;
  for (const { score, same, weight } of scored) {
    const tenth = tenthOf(score);
    apart[tenth] = (apart[tenth] ?? 0) + weight * (score - Number(same));
    all += weight;
  }
  return apart.reduce((total, each) => total + Math.abs(each), 0) / all;
}

/** The share of candidates with at least this score that are the same product; NaN if there are none. */
export function precisionFrom(scored: readonly Scored[], from: number): number {
  let [right, all] = [0, 0];
  for (const { score, same, weight } of scored) {
    if (score < from) continue;
    all += weight;
    if (same) right += weight;
  }
  return right / all;
}

const tenthOf = (score: number): number => Math.min(9, Math.floor(score * 10 + 1e-9));
