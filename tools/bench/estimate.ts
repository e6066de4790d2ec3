import { median } from '../../scripts/shared/median.js';

/** A figure of several turns: the median, and between what it lies with 95 % confidence. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** What is left on both sides together, at most. */
const DOUBT = 0.05;

/** So many turns are the fewest whose extremes hold the median with 95 %. */
export const FEWEST_ROUNDS = 6;

/**
 * The median of turns, with the interval of the sign test: it rests on no form of distribution, which times of a busy
 * machine do not have. Of fewer than six turns the interval is all of them, and less sure.
 */
export function estimate(values: readonly number[]): Estimate {
  const sorted = [...values].sort((a, b) => a - b);
  const cut = leftOut(sorted.length);
  return { value: median(sorted), low: sorted[cut] ?? NaN, high: sorted[sorted.length - 1 - cut] ?? NaN };
}

/** How many of the smallest and of the largest of n values are outside: the most for which the binomial tail allows it. */
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

/** One figure by another that was not measured in turns with it: as wide as both allow. */
export const quotient = (a: Estimate, b: Estimate): Estimate => ({
  value: a.value / b.value,
  low: a.low / b.high,
  high: a.high / b.low,
});

/** A figure should be at least or at most so much. */
export type Aim = { least: number } | { most: number };

export type Verdict = 'reached' | 'missed' | 'cannot tell';

/** Whether the aim is reached, as far as the interval allows to say. */
export function verdictOf({ low, high }: Estimate, aim: Aim): Verdict {
  const [surely, surelyNot] =
    'least' in aim ? [low >= aim.least, high < aim.least] : [high <= aim.most, low > aim.most];
  if (surely) return 'reached';
  return surelyNot ? 'missed' : 'cannot tell';
}

export type Change = 'better' | 'worse' | 'cannot tell';

/**
 * What has become of a figure since an earlier run. Where the intervals overlap, nothing is said; nor where the earlier
 * run has none.
 */
export function changeOf(now: Estimate, earlier: Estimate, better: 'more' | 'less'): Change {
  if (now.low > earlier.high) return better === 'more' ? 'better' : 'worse';
  if (now.high < earlier.low) return better === 'less' ? 'better' : 'worse';
  return 'cannot tell';
}
