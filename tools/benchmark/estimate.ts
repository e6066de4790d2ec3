import { median } from '../../scripts/shared/collections.js';
import type { Estimate } from '../../src/text/statistics.js';

const DOUBT = 0.05;

/** The minimum number of rounds: the range of six values is a 95 % confidence interval of the median, that of fewer is not. */
export const FEWEST_ROUNDS = 6;

/** The median, with the confidence interval of the sign test; the whole range with fewer than six values. */
export function estimate(values: readonly number[]): Estimate {
  const sorted = [...values].sort((a, b) => a - b);
  const cut = leftOut(sorted.length);
  return { value: median(sorted), low: sorted[cut] ?? NaN, high: sorted[sorted.length - 1 - cut] ?? NaN };
}

/** How many of n sorted values the interval leaves out at each end, by the binomial distribution. */
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
