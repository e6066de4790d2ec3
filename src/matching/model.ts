import { ShippedFileError, shippedJson } from '../platform/shipped-files.js';
import { FEATURES, type FeatureName } from './features.js';

/** Features with too few labelled examples. Their weights are set by hand, and added to the logit of the decision trees. */
export const HAND_WEIGHTED = [
  'gtinAgree',
  'gtinConflict',
  'modelAgree',
  'modelConflict',
  'optionConflict',
  'attributesDiffer',
] as const satisfies FeatureName[];

export const TREE_FEATURES = FEATURES.filter(
  (name) => name !== 'bias' && !(HAND_WEIGHTED as readonly string[]).includes(name),
);
export const MARGIN_INPUTS = ['ahead', 'behind'] as const;

/** The names of the inputs of the decision trees, in the order of `treeInputs`. */
export const TREE_INPUTS: readonly string[] = ['pair', ...MARGIN_INPUTS, ...TREE_FEATURES, 'words'];

/** The weights of the logistic regression: the change of the logit (log-odds) per unit of each feature. */
export type PairWeights = Readonly<Record<FeatureName, number>>;

/**
 * Gradient-boosted decision trees of one depth. Node `i` leads to node `2i + 1` if its input is at most its threshold,
 * otherwise to node `2i + 2`; the leaves follow the last nodes. A node that does not split has the threshold `Infinity`.
 */
export interface Forest {
  /** The names of the inputs, by position. */
  inputs: readonly string[];
  /** The logit to which the values of the trees are added. */
  base: number;
  trees: readonly Tree[];
}

export interface Tree {
  /** For each node, the position of the input that is compared with its threshold. */
  inputs: readonly number[];
  thresholds: readonly number[];
  /** For each leaf, the logit that it adds. There is one more leaf than there are nodes. */
  values: readonly number[];
}

/** Evaluates all trees: the sum of the base logit and the logit of each tree. */
export const forestLogit = ({ base, trees }: Forest, inputs: readonly number[]): number =>
  trees.reduce((sum, tree) => sum + treeLogit(tree, inputs), base);

export function treeLogit({ inputs, thresholds, values }: Tree, given: readonly number[]): number {
  const nodes = thresholds.length;
  let node = 0;
  while (node < nodes) {
    const input = given[inputs[node] ?? 0] ?? 0;
    node = 2 * node + (input <= (thresholds[node] ?? Infinity) ? 1 : 2);
  }
  return values[node - nodes] ?? 0;
}

/** The fitted parameters of the matching model. `npm run fit:matching` writes them to `model.json`. */
export interface Model {
  /** First stage: a logistic regression of the pair's features, which ranks the pair among its competitors. */
  pair: PairWeights;
  /** Second stage: trees that combine the result of the first stage, the rank of the candidate, and features of the pair. */
  trees: Forest;
  /** The input `words` of the trees. The shipped model has none, because words of one catalogue teach little about another. */
  words?: WordWeights;
  /** Calibration: the factor of logits above 0, at most 1 (see `fitSlope`). */
  slope: number;
  /** Third stage: the comparison of the candidates with each other. Without it, each is scored by itself. */
  choice?: ChoiceWeights;
}

/**
 * The inputs by which one of the candidates of a listing is chosen. `logit`: its calibrated logit. `others`: the logarithm of 1
 * plus the odds of all candidates that are another product. `silent`: how many variant words, editions and counts only one
 * listing states. `shared`: the weight of the shared words. The last two correct models that are too sure with little evidence.
 */
export const CHOICE_INPUTS = ['bias', 'logit', 'others', 'silent', 'shared'] as const;
export type ChoiceInput = (typeof CHOICE_INPUTS)[number];
export type ChoiceWeights = Readonly<Record<ChoiceInput, number>>;

/** Learned from one catalogue: the change of the logit if two names share a word (`=word`), or if only one has it (`-word`). */
export interface WordWeights {
  /** The logit to which the weights of the words are added. */
  base: number;
  weights: Readonly<Record<string, number>>;
}

/** The path of the matching model, relative to the root folder of the project. */
export const MODEL_FILE = 'src/matching/model.json';

/**
 * Reads a matching model from parsed JSON, in which null is the threshold of a node that does not split. Features that an older
 * model does not know have no weight. @returns null if the model needs a feature that no longer exists.
 */
export function readModel(file: unknown): Model | null {
  const { pair, trees, words, slope, choice } = file as Model;
  const positions = trees.inputs.map((name) => TREE_INPUTS.indexOf(name));
  const read = trees.trees.map(({ inputs, thresholds, values }): Tree => {
    const limits = thresholds.map((threshold: number | null) => threshold ?? Infinity);
    return {
      inputs: inputs.map((input, node) => (limits[node] === Infinity ? 0 : (positions[input] ?? -1))),
      thresholds: limits,
      values,
    };
  });
  if (read.some(({ inputs }) => inputs.includes(-1))) return null;
  const weights = Object.fromEntries(
    FEATURES.map((name) => [name, (pair as Partial<PairWeights>)[name] ?? 0]),
  );
  return {
    pair: weights as PairWeights,
    trees: { inputs: TREE_INPUTS, base: trees.base, trees: read },
    ...(words !== undefined && { words }),
    slope,
    ...(choice !== undefined && { choice }),
  };
}

function shippedModel(): Model {
  const model = readModel(shippedJson(MODEL_FILE));
  if (model === null) throw new ShippedFileError(`${MODEL_FILE} is older than the code; fit it again.`);
  return model;
}

export const MODEL: Model = shippedModel();
