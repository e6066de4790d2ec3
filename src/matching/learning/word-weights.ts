import { logistic } from '../../text/statistics.js';
import type { WordWeights } from '../model.js';
import type { TrainingPair } from './training-pairs.js';

type WordedPair = Pick<TrainingPair, 'words' | 'logit' | 'label' | 'weight' | 'product'>;

/** A word gets a weight only from this number of products on, because a word of one product teaches nothing about others. */
const MIN_PRODUCTS = 2;
/** The maximum number of words of a model, which bounds its size. Words with the smallest weights are left out. */
const MAX_WORDS = 5_000;
/** The L2 penalty, which keeps the weights of rare words close to 0. */
const PENALTY = 1;
/** The L2 penalty of the intercept. It is high, so that a few pairs cannot make all other pairs more or less likely. */
const BASE_PENALTY = 10;
const MAX_STEPS = 150;
const CONVERGED = 1e-3;

/** Fits a logistic regression of the words on top of the known logits. The number of words of a pair bounds the joint steps. */
export function fitWords(pairs: readonly WordedPair[]): WordWeights {
  const positions = frequentWords(pairs);
  const present = pairs.map(({ words }) => words.flatMap((word) => positions.get(word) ?? []));
  const weights = new Float64Array(positions.size);
  let base = 0;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const gradients = new Float64Array(weights.length);
    const curvatures = new Float64Array(weights.length);
    let gradient = 0;
    let curvature = 0;
    pairs.forEach(({ logit, label, weight }, row) => {
      const there = present[row] ?? [];
      const sum = there.reduce((total, word) => total + (weights[word] ?? 0), logit + base);
      const chance = logistic(sum);
      const error = weight * (label - chance);
      const bound = weight * chance * (1 - chance) * (there.length + 1);
      gradient += error;
      curvature += bound;
      for (const word of there) {
        gradients[word] = (gradients[word] ?? 0) + error;
        curvatures[word] = (curvatures[word] ?? 0) + bound;
      }
    });
    const baseChange = (gradient - BASE_PENALTY * base) / (curvature + BASE_PENALTY);
    base += baseChange;
    let largest = Math.abs(baseChange);
    weights.forEach((weight, word) => {
      const change = ((gradients[word] ?? 0) - PENALTY * weight) / ((curvatures[word] ?? 0) + PENALTY);
      weights[word] = weight + change;
      largest = Math.max(largest, Math.abs(change));
    });
    if (largest < CONVERGED) break;
  }
  const found = [...positions].map(([word, at]) => [word, weights[at] ?? 0] as const);
  const heaviest = found.sort(([, a], [, b]) => Math.abs(b) - Math.abs(a)).slice(0, MAX_WORDS);
  const rounded = heaviest.map(([word, weight]) => [word, Number(weight.toFixed(3))] as const);
  return {
    base: Number(base.toFixed(3)),
    weights: Object.fromEntries(rounded.filter(([, weight]) => weight !== 0)),
  };
}

/** The words that occur in pairs of at least `MIN_PRODUCTS` products, each with the index of its weight. */
function frequentWords(pairs: readonly WordedPair[]): Map<string, number> {
  const products = new Map<string, Set<string>>();
  for (const { words, product } of pairs)
    for (const word of words) {
      const known = products.get(word) ?? new Set();
      if (known.size < MIN_PRODUCTS) known.add(product);
      products.set(word, known);
    }
  const frequent = [...products].filter(([, { size }]) => size >= MIN_PRODUCTS);
  return new Map(frequent.map(([word], at) => [word, at]));
}
