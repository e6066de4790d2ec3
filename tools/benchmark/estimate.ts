import { median } from '../../scripts/shared/collections.js';
import type { Estimate } from '../../src/text/statistics.js';

const DOUBT = 0.05;

/**
 * The minimum number of rounds of a benchmark. With six values, the range from the lowest to the highest is a
 * 95 % confidence interval of the median; with fewer, it covers less.
 */
export const FEWEST_ROUNDS = 6;

/**
 * Returns the median of the values, with the confidence interval of the sign test, which assumes no
 * distribution. With fewer than six values, the interval is the whole range of the values.
 */
export function estimate(values: readonly number[]): Estimate {
  const sorted = [...values].sort((a, b) => a - b);
  const cut = leftOut(sorted.length);
  return { value: median(sorted), low: sorted[cut] ?? NaN, high: sorted[sorted.length - 1 - cut] ?? NaN };
}

/**
 * Returns how many of n sorted values the confidence interval leaves out at each end, by the binomial
 * distribution.
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

export type Target = { least: number } | { most: number };

export type Verdict = 'reached' | 'missed' | 'cannot tell';

/** Decides whether an estimate reaches its target; `cannot tell` if the interval contains the target. */
export function verdictOf({ low, high }: Estimate, target: Target): Verdict {
  const [surely, surelyNot] =
    'least' in target ? [low >= target.least, high < target.least] : [high <= target.most, low > target.most];
  if (surely) return 'reached';
  return surelyNot ? 'missed' : 'cannot tell';
}

export type Change = 'better' | 'worse' | 'cannot tell';

/** Compares an estimate with an earlier one; `cannot tell` if the two intervals overlap. */
export function changeOf(now: Estimate, earlier: Estimate, better: 'more' | 'less'): Change {
  if (now.low > earlier.high) return better === 'more' ? 'better' : 'worse';
  if (now.high < earlier.low) return better === 'less' ? 'better' : 'worse';
  return 'cannot tell';
}
