import { decide, MATCH_THRESHOLD, type Model } from '../../src/matching/match.js';
import type { Case } from './training.js';

/** Counts of right and wrong decisions. */
export interface Quality {
  firstRight: number;
  firstWrong: number;
  /** True matches, retrieved or not. */
  gold: number;
  /** Those among the candidates. */
  matches: number;
  right: number;
  wrong: number;
  /** By tenth from 0.5: how many had such a score, and how many of them were matches. */
  tenths: { count: number; matches: number }[];
}

/** Decides every case with the model. */
export function matchingQuality(cases: readonly Case[], model: Model): Quality {
  const quality: Quality = {
    firstRight: 0, firstWrong: 0, gold: 0, matches: 0, right: 0, wrong: 0,
    tenths: Array.from({ length: 5 }, () => ({ count: 0, matches: 0 })),
  }; // prettier-ignore
  for (const { comparisons, labels, gold } of cases) {
    quality.gold += gold;
    const scores = decide(comparisons, model).map(({ score }) => score);
    const first = scores.indexOf(Math.max(...scores));
    if ((scores[first] ?? 0) >= MATCH_THRESHOLD) {
      if (labels[first] === 1) quality.firstRight += 1;
      else quality.firstWrong += 1;
    }
    scores.forEach((score, index) => {
      const label = labels[index] ?? 0;
      quality.matches += label;
      if (score < MATCH_THRESHOLD) return;
      quality[label === 1 ? 'right' : 'wrong'] += 1;
      const tenth = quality.tenths[Math.min(4, Math.floor((score - MATCH_THRESHOLD) * 10))];
      if (tenth === undefined) return;
      tenth.count += 1;
      tenth.matches += label;
    });
  }
  return quality;
}

/** One line: F1 of the first match, F1 of all pairs, and the true share by score. */
export function describeQuality(parts: readonly Quality[]): string {
  const sum = (pick: (quality: Quality) => number) => parts.reduce((total, part) => total + pick(part), 0);
  const gold = sum((part) => part.gold);
  const f1 = (right: number, wrong: number) => ((2 * right) / (right + wrong + gold)).toFixed(3);
  const first = f1(
    sum((part) => part.firstRight),
    sum((part) => part.firstWrong),
  );
  const all = f1(
    sum((part) => part.right),
    sum((part) => part.wrong),
  );
  const shares = [0, 1, 2, 3, 4].map((tenth) => {
    const count = sum((part) => part.tenths[tenth]?.count ?? 0);
    const share = count === 0 ? '-' : (sum((part) => part.tenths[tenth]?.matches ?? 0) / count).toFixed(2);
    return `${share} (${count})`;
  });
  return `F1 of the first match ${first}, of all candidates ${all}, true share from 0.5 by tenths ${shares.join(' ')}`;
}
