import { logistic, seededRandom } from '../../text/statistics.js';
import { type Forest, forestLogit, type Tree, treeLogit } from '../model.js';

/** A labelled observation of a logistic regression. */
export interface Observation {
  features: readonly number[];
  label: 0 | 1;
  weight: number;
  /** A known part of the logit of the observation, which the fit does not change; 0 by default. */
  offset?: number;
}

/** How the score of a tree model may change when a feature grows: 1: it never falls; -1: it never rises; 0: no restriction. */
export type Direction = 1 | -1 | 0;

export interface Boosting {
  trees: number;
  depth: number;
  /** The learning rate, 0 to 1, by which the values of each tree are multiplied. */
  rate: number;
  /** The minimum number of observations in each child of a split. */
  minObservations: number;
  /** The L2 penalty, which pulls the values of small leaves towards 0. */
  l2: number;
  /** The share of the features, 0 to 1, that are considered for the split of each node. */
  inputShare: number;
}

const MAX_BINS = 64;
const SEED = 1;

/** A tree node to be split: its observations, and the bounds that monotonicity sets for the values below it. */
interface Node {
  rows: Int32Array;
  low: number;
  high: number;
}

interface Division {
  gain: number;
  input: number;
  bin: number;
  /** The mean of the best values of the children. In a feature with a direction, it bounds all values below each child. */
  middle: number;
}

/**
 * Fits trees by second-order gradient boosting of the logistic loss, the same for the same data. @param start a forest that is
 * extended.
 */
export function fitForest(
  observations: readonly Observation[],
  inputs: readonly string[],
  directions: readonly Direction[],
  options: Boosting,
  start?: Forest,
): Forest {
  const random = seededRandom(SEED);
  const columns = inputs.map((_, input) =>
    columnOf(observations.map(({ features }) => features[input] ?? 0)),
  );
  const mean = observations.reduce((sum, { label }) => sum + label, 0) / observations.length;
  const base = start?.base ?? Math.log(mean / (1 - mean));
  const scores = Float64Array.from(
    observations,
    ({ features, offset = 0 }) => offset + (start === undefined ? base : forestLogit(start, features)),
  );
  const gradients = new Float64Array(observations.length);
  const curvatures = new Float64Array(observations.length);
  const trees: Tree[] = [...(start?.trees ?? [])];
  for (let count = 0; count < options.trees; count += 1) {
    observations.forEach(({ label, weight }, row) => {
      const chance = logistic(scores[row] ?? 0);
      gradients[row] = weight * (chance - label);
      curvatures[row] = weight * chance * (1 - chance);
    });
    const tree = growTree({ columns, directions, gradients, curvatures, options, random });
    observations.forEach(({ features }, row) => {
      scores[row] = (scores[row] ?? 0) + treeLogit(tree, features);
    });
    trees.push(tree);
  }
  return { inputs, base, trees };
}

/** A feature whose values are sorted into bins: the upper bound of each bin except the last, and the bin of each observation. */
type Column = ReturnType<typeof columnOf>;

function columnOf(values: readonly number[]) {
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  const sorted = distinct.length <= MAX_BINS ? distinct : [...values].sort((a, b) => a - b);
  const parts = Math.min(MAX_BINS, distinct.length);
  const limits = new Set<number>();
  for (let part = 1; part < parts; part += 1) {
    const at = Math.floor((part * sorted.length) / parts);
    const below = sorted[at - 1] ?? 0;
    const above = sorted[at] ?? 0;
    if (below < above) limits.add(Number(((below + above) / 2).toPrecision(5)));
  }
  const ordered = [...limits].sort((a, b) => a - b);
  const bins = Uint8Array.from(values, (value) => {
    const bin = ordered.findIndex((limit) => value <= limit);
    return bin < 0 ? ordered.length : bin;
  });
  return { limits: ordered, bins };
}

interface Growth {
  columns: readonly Column[];
  directions: readonly Direction[];
  gradients: Float64Array;
  curvatures: Float64Array;
  options: Boosting;
  random: () => number;
}

/** Grows one tree. A node that cannot be divided has the threshold Infinity, so all its observations go to the left. */
function growTree(growth: Growth): Tree {
  const { columns, options, directions } = growth;
  const nodes = 2 ** options.depth - 1;
  const inputs = new Array<number>(nodes).fill(0);
  const thresholds = new Array<number>(nodes).fill(Infinity);
  const values = new Array<number>(nodes + 1).fill(0);
  const grow = (at: number, node: Node): void => {
    if (at >= nodes) {
      const best = bestValue(totalOf(node, growth), node, options.l2);
      values[at - nodes] = Number((options.rate * best).toPrecision(4));
      return;
    }
    const division = bestDivision(node, growth);
    const column = columns[division?.input ?? -1];
    if (division === null || column === undefined) {
      grow(2 * at + 1, node);
      return;
    }
    const { input, bin, middle } = division;
    const direction = directions[input] ?? 0;
    inputs[at] = input;
    thresholds[at] = column.limits[bin] ?? Infinity;
    grow(2 * at + 1, {
      rows: node.rows.filter((row) => (column.bins[row] ?? 0) <= bin),
      low: direction < 0 ? middle : node.low,
      high: direction > 0 ? middle : node.high,
    });
    grow(2 * at + 2, {
      rows: node.rows.filter((row) => (column.bins[row] ?? 0) > bin),
      low: direction > 0 ? middle : node.low,
      high: direction < 0 ? middle : node.high,
    });
  };
  grow(0, { rows: Int32Array.from(growth.gradients, (_, row) => row), low: -Infinity, high: Infinity });
  return { inputs, thresholds, values };
}

/** The sums of the gradients and of the curvatures of the loss over some of the observations. */
interface Sums {
  gradient: number;
  curvature: number;
}

const totalOf = ({ rows }: Node, { gradients, curvatures }: Growth): Sums => ({
  gradient: rows.reduce((sum, row) => sum + (gradients[row] ?? 0), 0),
  curvature: rows.reduce((sum, row) => sum + (curvatures[row] ?? 0), 0),
});

/** The value that minimizes the loss of some observations in a node, within the bounds of the node. */
const bestValue = ({ gradient, curvature }: Sums, { low, high }: Node, l2: number): number =>
  Math.max(low, Math.min(high, -gradient / (curvature + l2)));

const lossOf = ({ gradient, curvature }: Sums, value: number, l2: number): number =>
  gradient * value + ((curvature + l2) * value * value) / 2;

/** Finds the division of a node that lowers the loss most; null if none lowers it. */
function bestDivision(node: Node, growth: Growth): Division | null {
  const { columns, directions, gradients, curvatures, options, random } = growth;
  const { minObservations, l2, inputShare } = options;
  const total = totalOf(node, growth);
  const whole = lossOf(total, bestValue(total, node, l2), l2);
  let found: Division | null = null;
  columns.forEach(({ limits, bins }, input) => {
    if (random() >= inputShare || limits.length === 0) return;
    const counts = new Int32Array(limits.length + 1);
    const sums = new Float64Array(limits.length + 1);
    const curves = new Float64Array(limits.length + 1);
    for (const row of node.rows) {
      const bin = bins[row] ?? 0;
      counts[bin] = (counts[bin] ?? 0) + 1;
      sums[bin] = (sums[bin] ?? 0) + (gradients[row] ?? 0);
      curves[bin] = (curves[bin] ?? 0) + (curvatures[row] ?? 0);
    }
    let count = 0;
    const below: Sums = { gradient: 0, curvature: 0 };
    for (let bin = 0; bin < limits.length; bin += 1) {
      count += counts[bin] ?? 0;
      below.gradient += sums[bin] ?? 0;
      below.curvature += curves[bin] ?? 0;
      if (count < minObservations || node.rows.length - count < minObservations) continue;
      const above = {
        gradient: total.gradient - below.gradient,
        curvature: total.curvature - below.curvature,
      };
      const left = bestValue(below, node, l2);
      const right = bestValue(above, node, l2);
      if ((right - left) * (directions[input] ?? 0) < 0) continue;
      const gain = whole - lossOf(below, left, l2) - lossOf(above, right, l2);
      if (gain > (found?.gain ?? 1e-6)) found = { gain, input, bin, middle: (left + right) / 2 };
    }
  });
  return found;
}
