import type { Observation } from '../../src/matching/learning/boosting.js';
import { logistic } from '../../src/text/statistics.js';

/** The prior distribution of a regression weight, which pulls it towards `mean`; a larger `precision` pulls more. */
export interface Prior {
  mean: number;
  precision: number;
  /** The sign that the regression weight must have. A weight with the other sign is set to 0. */
  sign?: 1 | -1;
}

const MAX_STEPS = 50;
const CONVERGED = 1e-4;
const MAX_CHANGE = 2;

/**
 * Fits a logistic regression with a Gaussian prior on each weight by Newton's method. Weights with a wrong
 * sign are fixed at 0 and the others are fitted again, until no sign is wrong. Each round fixes the worst
 * weight and those that are at least half as wrong.
 */
export function fitLogistic(observations: readonly Observation[], priors: readonly Prior[]): number[] {
  const fixed = new Set<number>();
  let weights = priors.map(() => 0);
  for (;;) {
    weights = newton(observations, priors, fixed, weights);
    const wrong = weights.map((weight, index) => weight * (priors[index]?.sign ?? 0));
    const worst = Math.min(...wrong);
    if (worst >= 0) return weights;
    wrong.forEach((value, index) => {
      if (value <= worst / 2) fixed.add(index);
    });
  }
}

function newton(
  observations: readonly Observation[],
  priors: readonly Prior[],
  fixed: ReadonlySet<number>,
  start: readonly number[],
): number[] {
  const size = priors.length;
  let weights = start.map((weight, index) => (fixed.has(index) ? 0 : weight));
  const present = observations.map(({ features }) =>
    features.flatMap((x, i) => (x === 0 || fixed.has(i) ? [] : [i])),
  );
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const gradient = priors.map(({ mean, precision }, i) => precision * (mean - (weights[i] ?? 0)));
    const hessian = priors.map(({ precision }, i) => {
      const row = new Float64Array(size);
      row[i] = precision;
      return row;
    });
    observations.forEach(({ features, label, weight, offset = 0 }, row) => {
      const there = present[row] ?? [];
      let logit = offset;
      for (const i of there) logit += (features[i] ?? 0) * (weights[i] ?? 0);
      const chance = logistic(logit);
      const error = weight * (label - chance);
      const curvature = weight * chance * (1 - chance);
      for (const i of there) {
        const x = features[i] ?? 0;
        gradient[i] = (gradient[i] ?? 0) + error * x;
        const line = hessian[i];
        if (line === undefined || curvature < 1e-9) continue;
        for (const j of there) {
          if (j > i) break;
          line[j] = (line[j] ?? 0) + curvature * x * (features[j] ?? 0);
        }
      }
    });
    for (const index of fixed) {
      gradient[index] = 0;
      for (let i = 0; i < size; i += 1) {
        const row = hessian[i];
        if (row === undefined) continue;
        if (i === index) row.fill(0);
        row[index] = i === index ? 1 : 0;
      }
    }
    const full = solve(hessian, gradient);
    // Limits the step of Newton's method, because far from the optimum a full step can overshoot into a
    // region where all probabilities are 0 or 1 and the method no longer converges.
    const scale = Math.min(1, MAX_CHANGE / Math.max(...full.map(Math.abs)));
    const change = full.map((value) => value * scale);
    weights = weights.map((weight, i) => weight + (change[i] ?? 0));
    if (change.every((value) => Math.abs(value) < CONVERGED)) break;
  }
  return weights;
}

/** Solves linear equations by Cholesky decomposition. `lower` is the lower triangle of a positive definite matrix. */
function solve(lower: Float64Array[], right: readonly number[]): number[] {
  const size = right.length;
  const at = (matrix: Float64Array[], i: number, j: number): number => matrix[i]?.[j] ?? 0;
  const factor = lower.map((row) => Float64Array.from(row));
  for (let i = 0; i < size; i += 1) {
    const row = factor[i];
    if (row === undefined) continue;
    for (let j = 0; j <= i; j += 1) {
      let sum = at(lower, i, j);
      for (let k = 0; k < j; k += 1) sum -= at(factor, i, k) * at(factor, j, k);
      row[j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / at(factor, j, j);
    }
  }
  const forward: number[] = [];
  for (let i = 0; i < size; i += 1) {
    let sum = right[i] ?? 0;
    for (let k = 0; k < i; k += 1) sum -= at(factor, i, k) * (forward[k] ?? 0);
    forward[i] = sum / at(factor, i, i);
  }
  const result = new Array<number>(size).fill(0);
  for (let i = size - 1; i >= 0; i -= 1) {
    let sum = forward[i] ?? 0;
    for (let k = i + 1; k < size; k += 1) sum -= at(factor, k, i) * (result[k] ?? 0);
    result[i] = sum / at(factor, i, i);
  }
  return result;
}
