import type * as CandidateNames from '../../src/matching/grouping/candidate-names.js';
import type * as Evidence from '../../src/matching/evidence.js';
import type { Features } from '../../src/matching/features.js';
import type * as Matching from '../../src/matching/match.js';
import type * as NameConflicts from '../../src/matching/grouping/name-conflicts.js';
import type * as Profiles from '../../src/matching/profile.js';
import { sum } from '../evaluation/statistics.js';
import type { Judged } from '../fitting/training.js';
import type { Instrumented } from './instrumented.js';

export const POLICIES = ['pairs', 'groups'] as const;
/** For each policy, the counts of a listing's pairs: decided to be one product rightly and wrongly, and all that are one. */
export type Decided = readonly (readonly [right: number, wrong: number, all: number])[];

const EXAMINED = 20;

/** Returns a function that decides the pairs of a judged listing with the instrumented rules. */
export async function deciding(load: Instrumented['load']): Promise<(judged: Judged) => Decided> {
  const { readProfile } = await load<typeof Profiles>('matching/profile.ts');
  const { compareAll, shopOf } = await load<typeof Evidence>('matching/evidence.ts');
  const { scoreComparisons, MATCH_THRESHOLD } = await load<typeof Matching>('matching/match.ts');
  const { areNamesOfOthers, keepApart } = await load<typeof NameConflicts>(
    'matching/grouping/name-conflicts.ts',
  );
  const { readCandidateNames } = await load<typeof CandidateNames>('matching/grouping/candidate-names.ts');
  return ({ sought, candidates, siblings, labels }) => {
    const examined = candidates.slice(0, EXAMINED);
    const comparisons = compareAll(sought, examined, siblings);
    const named = (one: (typeof examined)[number]) => ({
      shop: shopOf(one),
      name: one.name,
      profile: readProfile(one),
    });
    const [own, ...others] = [sought, ...examined].map(named) as [ReturnType<typeof named>];
    const names = readCandidateNames([own, ...others]);
    const counts = POLICIES.map((): [number, number, number] => [0, 0, 0]);
    scoreComparisons(comparisons).forEach(({ score, contradicted, contradictions }, at) => {
      const [label, other] = [labels[at] ?? null, others[at]];
      if (label === null || other === undefined) return;
      const isMatch = score >= MATCH_THRESHOLD;
      const features = comparisons.features[at] as Features;
      const mayBeGrouped =
        isMatch &&
        !contradicted &&
        !keepApart(contradictions) &&
        !areNamesOfOthers(own, other, features, names);
      [isMatch, mayBeGrouped].forEach((isOne, policy) => {
        const count = counts[policy] as [number, number, number];
        count[2] += label;
        if (isOne) count[label === 1 ? 0 : 1] += 1;
      });
    });
    return counts;
  };
}

const DECIMALS = 4;

/** The changes of F1 by policy and set, with half the 95 % interval. @param weight how many listings each of `after` stands for. */
export function differences(
  judged: readonly Judged[],
  before: readonly Decided[],
  after: ReadonlyMap<number, Decided>,
  weight: number,
): string[] {
  const sets = [...new Set(judged.map(({ set }) => set))];
  return POLICIES.flatMap((_, policy) =>
    sets.map((set) => {
      const counts = before.filter((_, at) => judged[at]?.set === set).map((one) => one[policy] ?? []);
      const all = sum(counts.flat());
      const f1 = (2 * sum(counts.map(([right = 0]) => right))) / all;
      const changes = [...after].flatMap(([at, now]) => {
        if (judged[at]?.set !== set) return [];
        const [right = 0, wrong = 0] = [0, 1].map(
          (count) => (now[policy]?.[count] ?? 0) - (before[at]?.[policy]?.[count] ?? 0),
        );
        return [(2 * right - f1 * (right + wrong)) / all];
      });
      const half = 1.96 * Math.sqrt(weight * sum(changes.map((change) => change ** 2)));
      return half === 0 ? '0' : `${(weight * sum(changes)).toFixed(DECIMALS)} ±${half.toFixed(DECIMALS)}`;
    }),
  );
}
