import { logistic, roundTo } from '../../text/statistics.js';

/** A pair of listings that was not fitted on, with the log-odds that a model gives to it. */
export interface UnseenPair {
  logit: number;
  label: 0 | 1;
  weight: number;
}

/** The precision of the prior of the slope and the intercept, whose mean is 0. It is so low that the pairs decide. */
const PRECISION = 1e-3;
const MAX_STEPS = 50;
const CONVERGED = 1e-4;
/** The largest change in a step, because a full step far from the optimum can overshoot until all probabilities are 0 or 1. */
const MAX_CHANGE = 2;
const MIN_CURVATURE = 1e-9;

/**
 * Fits the factor, at most 1, for log-odds above 0, because models are overconfident on data that they were not fitted on (Platt
 * scaling, by Newton's method). Log-odds below 0 need no factor, because such candidates are not returned.
 */
export function fitSlope(unseen: readonly UnseenPair[]): number {
  const likely = unseen.filter(({ logit }) => logit > 0);
  if (likely.length === 0) return 1;
  let [slope, intercept] = [0, 0];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const [bySlope, byIntercept] = newtonStep(likely, slope, intercept);
    const scale = Math.min(1, MAX_CHANGE / Math.max(Math.abs(bySlope), Math.abs(byIntercept)));
    slope += bySlope * scale;
    intercept += byIntercept * scale;
    if (Math.max(Math.abs(bySlope), Math.abs(byIntercept)) * scale < CONVERGED) break;
  }
  return roundTo(3, Math.min(1, Math.max(0, slope)));
}

/** The step of Newton's method: the gradient of the log-likelihood, solved by the Cholesky factors of its Hessian. */
function newtonStep(pairs: readonly UnseenPair[], slope: number, intercept: number): [number, number] {
  let [gradient, gradientOfIntercept] = [-PRECISION * slope, -PRECISION * intercept];
  let [ofSlope, ofBoth, ofIntercept] = [PRECISION, 0, PRECISION];
  for (const { logit, label, weight } of pairs) {
    const chance = logistic(logit * slope + intercept);
    const error = weight * (label - chance);
    gradient += error * logit;
    gradientOfIntercept += error;
    const curvature = weight * chance * (1 - chance);
    if (curvature < MIN_CURVATURE) continue;
    ofSlope += curvature * logit * logit;
    ofBoth += curvature * logit;
    ofIntercept += curvature;
  }
  const first = Math.sqrt(ofSlope);
  const below = ofBoth / first;
  const second = Math.sqrt(Math.max(ofIntercept - below * below, 1e-12));
  const byIntercept = (gradientOfIntercept - below * (gradient / first)) / second / second;
  return [(gradient / first - below * byIntercept) / first, byIntercept];
}
