import type { Comparisons } from '../evidence.js';

/** Whether a candidate is the same product as the sought listing: 1: yes; 0: no; null: unknown. */
export type Label = 0 | 1 | null;

/** A listing with the comparisons of its candidates, and what is known about them. It is one case of training data. */
export interface LabelledCase {
  comparisons: Comparisons;
  /** The label of each candidate, in the order of the candidates. */
  labels: readonly Label[];
  /** The weight of each candidate in a fit, in the order of the candidates. */
  weights: readonly number[];
  /** The key of the listing's product. Products, and never pairs, are split into a part to fit on and a part to test on. */
  product: string;
}
