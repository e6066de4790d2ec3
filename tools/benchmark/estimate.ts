import { median } from '../../scripts/shared/median.js';

/**
 * The estimate of a measured value: the median of several rounds, with the bounds of its 95 % confidence
 * interval.
 */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** The maximum probability that the true median is outside of the confidence interval. */
const DOUBT = 0.05;

/**
 * The minimum number of rounds for which the range from the lowest to the highest value is a 95 %
 * confidence interval of the median.
 */
export const FEWEST_ROUNDS = 6;

/**
 * Returns the median of measured values with the confidence interval of the sign test. The sign test
 * assumes no distribution; times on a busy machine are not normally distributed. With fewer than six
 * values, the interval is their whole range and its confidence is below 95 %.
 */
export function estimate(values: readonly number[]): Estimate {
  const sorted = [...values].sort((a, b) => a - b);
  const cut = leftOut(sorted.length);
  return { value: median(sorted), low: sorted[cut] ?? NaN, high: sorted[sorted.length - 1 - cut] ?? NaN };
}

/**
 * Returns how many of n sorted values the confidence interval leaves out at each end. It is the largest
 * number that the binomial distribution allows.
 */
function leftOut(n: number): number {
  let probability = 0.5 ** n;
  let tail = probability;
  let cut = 0;
  while (cut < n && 2 * (tail + (probability * (n - cut)) / (cut + 1)) <= DOUBT) {
    probability *= (n - cut) / (cut + 1);
    tail += probability;
    cut += 1;
  }
  return cut;
}

/**
 * Divides an estimate by another one that was measured at a different time. The interval of the quotient
 * covers all combinations of values in the two intervals.
 */
export const quotient = (a: Estimate, b: Estimate): Estimate => ({
  value: a.value / b.value,
  low: a.low / b.high,
  high: a.high / b.low,
});

/** The target of a benchmark figure: its minimum (`least`) or its maximum (`most`). */
export type Aim = { least: number } | { most: number };

export type Verdict = 'reached' | 'missed' | 'cannot tell';

/**
 * Decides whether an estimate reaches its target. It is `cannot tell` if the target is inside the
 * confidence interval.
 */
export function verdictOf({ low, high }: Estimate, aim: Aim): Verdict {
  const [surely, surelyNot] =
    'least' in aim ? [low >= aim.least, high < aim.least] : [high <= aim.most, low > aim.most];
  if (surely) return 'reached';
  return surelyNot ? 'missed' : 'cannot tell';
}

export type Change = 'better' | 'worse' | 'cannot tell';

/**
 * Compares an estimate with that of an earlier benchmark run. The result is `cannot tell` if the two
 * intervals overlap, or if the earlier run did not measure the figure.
 */
export function changeOf(now: Estimate, earlier: Estimate, better: 'more' | 'less'): Change {
  if (now.low > earlier.high) return better === 'more' ? 'better' : 'worse';
  if (now.high < earlier.low) return better === 'less' ? 'better' : 'worse';
  return 'cannot tell';
}
