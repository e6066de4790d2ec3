import { drawSample, type Figure } from '../../scripts/evaluation/statistics.js';
import type { LabelledCase } from '../../src/matching/learning/labelled.js';
import { compareModels, learnModel, shareOf } from '../../src/matching/learning/learn.js';
import { scoreComparisons } from '../../src/matching/match.js';
import type { Model } from '../../src/matching/model.js';
import { labelledCases, type Case } from './cases.js';
import { WITHOUT_COUNTERPART } from './fit.js';

/** The numbers of human decisions for which the effect of learning is measured. */
const DECISIONS = [50, 200, 1_000];
/** People are asked about pairs that the model is unsure of, that is, with a score between these. */
const UNSURE = { from: 0.05, to: 0.95 };
const SEED = 7;

/**
 * Measures what a catalogue can teach. The judged groups of half of the products stand in for identifiers; the pair F1 is
 * that of the other half of the products, with its 95 % interval and that of its change.
 * @param cases the cases of one data set.
 * @param start a model that was fitted without this set.
 */
export function learningCurves(cases: readonly Case[], start: Model): Figure[] {
  const [fit, test] = [true, false].map((isFirst) =>
    cases.filter(({ judged }) => shareOf(`half ${judged.product}`) < 0.5 === isFirst),
  ) as [Case[], Case[]];
  const asked = test.filter(({ isMade }) => !isMade);
  const judgedPairs = asked.map((one): LabelledCase => {
    const labels = one.judged.pairs.some((label) => label !== null) ? one.judged.pairs : one.labels;
    const chosen = one.labels.map((_, at) => labels[at] ?? null);
    return { ...one, labels: chosen, weights: chosen.map(() => 1), product: one.judged.product };
  });
  const identified = labelledCases(fit, WITHOUT_COUNTERPART);
  const decisions = decisionsOf(labelledCases(fit.filter(({ isMade }) => !isMade), 0), start);
  const curves: [string, LabelledCase[]][] = [
    ...DECISIONS.filter((count) => count <= decisions.length).map((count): [string, LabelledCase[]] => [
      `${count} decisions`,
      drawSample(decisions, count, SEED),
    ]),
    ['identifiers of half of the products', identified],
    ...DECISIONS.slice(-1).map((count): [string, LabelledCase[]] => [
      `the same and ${count} decisions`,
      [...identified, ...drawSample(decisions, count, SEED)],
    ]),
  ];
  return curves.flatMap(([name, known], at): Figure[] => {
    const { before, after, change } = compareModels(judgedPairs, start, learnModel(known, start));
    const count = { cases: judgedPairs.length };
    return [
      ...(at === 0 ? [{ name: 'pair F1 of the model without the set', ...before, ...count }] : []),
      { name: `pair F1 after ${name}`, ...after, ...count },
      { name: '  change', ...change, ...count },
    ];
  });
}

/** Makes a case of each labelled pair of which the model is unsure, as if a person had decided about this pair alone. */
function decisionsOf(cases: readonly LabelledCase[], start: Model): LabelledCase[] {
  return cases.flatMap((one) =>
    scoreComparisons(one.comparisons, start).flatMap(({ score, contradicted }, at) => {
      if (one.labels[at] === null || contradicted || score < UNSURE.from || score > UNSURE.to) return [];
      return { ...one, labels: one.labels.map((label, other) => (other === at ? label : null)), weights: one.labels.map(() => 1) };
    }),
  );
}
