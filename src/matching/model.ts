import { shippedJson } from '../platform/shipped-files.js';
import type { FeatureName } from './features.js';
import type { Forest } from './forest.js';

/** Log-odds of each piece of evidence. */
export type PairWeights = Readonly<Record<FeatureName, number>>;

/** What is fitted: `npm run fit:matching` writes it to model.json. */
export interface Model {
  /** First stage: the pair by itself, which tells how it stands among the others. */
  pair: PairWeights;
  /** Second stage: the pair, how it stands, and the evidence again where it matters only together with other evidence. */
  trees: Forest;
  /**
   * What is left of log-odds above even, at most 1: of sets that they were not fitted on, models are too sure.
   */
  slope: number;
}

/** As it is written: with the day, the sets that it is fitted on and what was measured on each when it was left out. */
export interface ModelFile extends Model {
  fitted: string;
  sets: string[];
  leftOut: Record<string, Record<string, string>>;
}

/** Where it is, from the project's folder on. */
export const MODEL_FILE = 'src/matching/model.json';

/** JSON has no infinity: a node that does not divide has no threshold there. */
export function readModel(file: unknown): Model {
  const { pair, trees, slope } = file as ModelFile;
  const whole = trees.trees.map((tree) => ({
    ...tree,
    thresholds: tree.thresholds.map((threshold: number | null) => threshold ?? Infinity),
  }));
  return { pair, trees: { ...trees, trees: whole }, slope };
}

export const MODEL: Model = readModel(shippedJson(MODEL_FILE));
