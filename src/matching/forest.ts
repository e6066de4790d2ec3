/**
 * Boosted decision trees as data. All trees have the same depth; node `i` leads to `2i + 1` when its input is at most
 * its threshold, else to `2i + 2`, and what lies behind the last nodes are the values. A node that does not divide
 * has the threshold `Infinity`.
 */
export interface Forest {
  /** What the trees read, by position. */
  inputs: readonly string[];
  /** Log-odds before any tree. */
  base: number;
  trees: readonly Tree[];
}

export interface Tree {
  /** Position of each node's input. */
  inputs: readonly number[];
  thresholds: readonly number[];
  /** Log-odds, one more than there are nodes. */
  values: readonly number[];
}

/** The log-odds that the trees give together. */
export function logOdds({ base, trees }: Forest, inputs: readonly number[]): number {
  return trees.reduce((sum, tree) => sum + valueOf(tree, inputs), base);
}

export function valueOf({ inputs, thresholds, values }: Tree, given: readonly number[]): number {
  const nodes = thresholds.length;
  let node = 0;
  while (node < nodes) {
    const input = given[inputs[node] ?? 0] ?? 0;
    node = 2 * node + (input <= (thresholds[node] ?? Infinity) ? 1 : 2);
  }
  return values[node - nodes] ?? 0;
}
