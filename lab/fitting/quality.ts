import { MATCH_THRESHOLD, scoreComparisons } from '../../src/matching/match.js';
import type { Model } from '../../src/matching/model.js';
import {
  calibrationError,
  precisionFrom,
  SHOWN,
  SURE,
  type Scored,
  bootstrap,
  type Figure,
  type Retrieved,
  sum,
} from '../evaluation/statistics.js';
import type { Case } from './cases.js';

interface ScoredCase extends Case {
  scores: number[];
}

/** The shares of listings without another listing of their product, for which precision is computed. */
const SHARES = [0.4, 0.8, 0.99];

/** Scores the cases of one data set, derived ones included, and returns the quality figures of the model. */
export function matchingFigures(cases: readonly Case[], model: Model): Figure[] {
  const answers = cases.map((one): ScoredCase => ({
    ...one,
    scores: scoreComparisons(one.comparisons, model).map(({ score }) => score),
  }));
  const originals = answers.filter(({ isDerived }) => !isDerived);
  const judged = originals.filter(({ judged: { isSource } }) => isSource);
  const all = originals.map((one) => scoredOf(one));
  const shown = all.map((some) => some.filter(({ score }) => score >= SHOWN));
  return [
    f1(
      'pair F1',
      originals.filter(({ judged: { pairs } }) => pairs.some((label) => label !== null)),
      pairCounts,
    ),
    f1('first match F1', judged, firstCounts),
    bootstrap('calibration error, what is shown', shown, (some) => calibrationError(some.flat())),
    bootstrap('calibration error, all candidates', all, (some) => calibrationError(some.flat())),
    bootstrap(`precision from ${SURE}`, shown, (some) => precisionFrom(some.flat(), SURE)),
    ...SHARES.flatMap((share) => figuresWithout(answers, share)),
  ].filter(({ value }) => !Number.isNaN(value));
}

function scoredOf({ scores, labels }: ScoredCase, weight = 1): Scored[] {
  return scores.flatMap((score, at) => {
    const label = labels[at] ?? null;
    return label === null ? [] : [{ score, same: label === 1, weight }];
  });
}

/** Counts the labelled pairs of a listing. A pair whose second listing is no candidate counts as different. */
function pairCounts({ scores, judged }: ScoredCase): Retrieved {
  const found = scores.flatMap((score, at) => (score >= MATCH_THRESHOLD ? [judged.pairs[at] ?? null] : []));
  const labelled = found.filter((label) => label !== null);
  return { right: sum(labelled), found: labelled.length, all: judged.samePairs };
}

function firstCounts({ scores, labels, judged }: ScoredCase): Retrieved {
  const first = scores.indexOf(Math.max(...scores));
  const isShown = (scores[first] ?? 0) >= MATCH_THRESHOLD;
  return {
    right: Number(isShown && labels[first] === 1),
    found: Number(isShown),
    all: Number(judged.gold > 0),
  };
}

const f1 = (name: string, answers: readonly ScoredCase[], countsOf: (one: ScoredCase) => Retrieved): Figure =>
  bootstrap(name, answers.map(countsOf), (some) => {
    const total = (count: keyof Retrieved) => sum(some.map((one) => one[count]));
    return (2 * total('right')) / (total('found') + total('all'));
  });

/** The precision of the matches in a catalogue in which `share` of the listings have no counterpart. */
function figuresWithout(answers: readonly ScoredCase[], share: number): Figure[] {
  const having = answers.filter(({ hasCounterpart }) => hasCounterpart);
  const lacking = answers.filter(({ hasCounterpart }) => !hasCounterpart);
  const weighed = [
    ...having.map((one) => scoredOf(one, (1 - share) / having.length)),
    ...lacking.map((one) => scoredOf(one, share / lacking.length)),
  ].map((some) => some.filter(({ score }) => score >= SHOWN));
  const without = `${share * 100} % without a counterpart`;
  return [
    bootstrap(`precision, ${without}`, weighed, (some) => precisionFrom(some.flat(), SHOWN)),
    bootstrap(`precision from ${SURE}, ${without}`, weighed, (some) => precisionFrom(some.flat(), SURE)),
  ];
}
