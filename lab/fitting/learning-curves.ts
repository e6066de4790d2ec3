import { type Figure } from '../evaluation/statistics.js';
import { compareModels, learnModel } from '../../src/matching/learning/learn.js';
import { trainingPairs, type TrainingPair } from '../../src/matching/learning/training-pairs.js';
import type { Model } from '../../src/matching/model.js';
import { ownerOf } from '../../src/listing/owner.js';
import { hashShare, drawSample } from '../../src/text/statistics.js';
import { labelledComparisons, type Case } from './cases.js';
import { WITHOUT_COUNTERPART } from './fit.js';

/** The numbers of human decisions after which the effect of learning on the matching model is measured. */
const DECISIONS = [50, 200, 1_000];
/** People are asked only about pairs of which the model is unsure: the log-odds lie within these bounds. */
const UNSURE = { from: -3, to: 3 };
const SEED = 7;

/** Measures the gain of identifiers and decisions about half of the products on the rest. @param start fitted without this set. */
export function learningCurves(cases: readonly Case[], start: Model): Figure[] {
  const isFirst = ({ judged }: Case) => hashShare(`half ${judged.product}`) < 0.5;
  const known = cases.filter(isFirst);
  const pairsOf = labelledComparisons(known, WITHOUT_COUNTERPART).map((one) => trainingPairs(one, start));
  const identified = pairsOf.flat();
  const unseen = cases.filter((one) => !isFirst(one) && !one.isDerived);
  const test = unseen.flatMap((one) => {
    const labels = one.judged.pairs.some((label) => label !== null) ? one.judged.pairs : one.labels;
    const owner = ownerOf(one.judged.sought);
    return trainingPairs({ ...one, labels, owner, product: one.judged.product, weight: 1 }, start);
  });
  const isUnsure = ({ logit, isRuledOut }: TrainingPair) =>
    !isRuledOut && logit > UNSURE.from && logit < UNSURE.to;
  // People are asked about listings as they are, and not about cases that were made by removing candidates.
  const decisions = pairsOf
    .flatMap((pairs, at) => (known[at]?.isDerived === false ? pairs.filter(isUnsure) : []))
    .map((pair) => ({ ...pair, weight: 1 }));
  const most = drawSample(decisions, DECISIONS.at(-1) ?? 0, SEED);
  const curves: [string, TrainingPair[]][] = [
    ...DECISIONS.filter((count) => count <= decisions.length).map((count): [string, TrainingPair[]] => [
      `${count} decisions`,
      drawSample(decisions, count, SEED),
    ]),
    ['identifiers of half of the products', identified],
    [`the same and ${most.length} decisions`, [...identified, ...most]],
  ];
  return curves.flatMap(([name, taught], at): Figure[] => {
    const { before, after, change } = compareModels(test, learnModel(taught, start));
    const counted = { cases: unseen.length };
    return [
      ...(at === 0 ? [{ name: 'pair F1 of the model without the set', ...before, ...counted }] : []),
      { name: `pair F1 after ${name}`, ...after, ...counted },
      { name: '  change', ...change, ...counted },
    ];
  });
}
