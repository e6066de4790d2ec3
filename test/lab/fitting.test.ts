import { assert } from 'chai';
import { bootstrap } from '../../lab/evaluation/statistics.js';
import { fitForest, type Boosting, type Observation } from '../../src/matching/learning/boosting.js';
import { fitLogistic } from '../../lab/fitting/logistic.js';
import { logistic, mean, seededRandom } from '../../src/text/statistics.js';
import { FEATURES } from '../../src/matching/features.js';
import { forestLogit, type PairWeights, TREE_INPUTS } from '../../src/matching/model.js';
import { asCandidate } from '../../src/matching/requested/requested-product.js';
import { casesOf, type Case } from '../../lab/fitting/cases.js';
import { unseenPairs } from '../../lab/fitting/fit.js';
import { fitSlope } from '../../src/matching/learning/slope.js';

describe('fitting of weights', () => {
  const random = seededRandom(1);
  const truth = [-1, 2, -3];
  const observations = Array.from({ length: 4_000 }, (): Observation => {
    const features = [1, random(), random()];
    const chance = logistic(features.reduce((sum, x, i) => sum + x * (truth[i] ?? 0), 0));
    return { features, label: random() < chance ? 1 : 0, weight: 1 };
  });
  const free = { mean: 0, precision: 0.001 };

  it('finds the weights that made the data', () => {
    const weights = fitLogistic(observations, [free, free, free]);
    weights.forEach((weight, i) => assert.closeTo(weight, truth[i] ?? 0, 0.5));
  });

  it('sets a weight of the wrong sign to 0', () => {
    const weights = fitLogistic(observations, [free, free, { ...free, sign: 1 }]);
    assert.strictEqual(weights[2], 0);
  });

  it('keeps a weight where the prior holds it', () => {
    const weights = fitLogistic(observations, [free, free, { mean: 5, precision: 1e6 }]);
    assert.closeTo(weights[2] ?? 0, 5, 0.01);
  });
});

describe('calibration on sets that were not fitted on', () => {
  /** A model whose log-odds of a match are 1 if a price is unknown, and 4 otherwise. */
  const model = {
    pair: Object.fromEntries(FEATURES.map((name) => [name, 0])) as PairWeights,
    trees: {
      inputs: TREE_INPUTS,
      base: 0,
      trees: [{ inputs: [TREE_INPUTS.indexOf('priceUnknown')], thresholds: [0.5], values: [4, 1] }],
    },
  };
  const cases = (comparablePrice: number | null, right: number, all: number): Case[] =>
    Array.from({ length: all }, (_, at) => {
      const one = { ...asCandidate('Kestrel Tarn 9'), comparablePrice };
      const labels = [at < right ? (1 as const) : (0 as const)];
      const [first] = casesOf({
        set: 'shops',
        id: at,
        product: String(at),
        sought: one,
        candidates: [{ ...one, id: 1, source: 'b' }],
        siblings: [],
        labels,
        pairs: labels,
        samePairs: 1,
        gold: 1,
        isSource: true,
      });
      if (first === undefined) throw new Error('a judged listing makes a case');
      return first;
    });

  it('finds by how much a model is too sure, and makes none surer', () => {
    const unsure = fitSlope(unseenPairs([...cases(null, 60, 100), ...cases(9, 75, 100)], model));
    assert.closeTo(unsure, (Math.log(3) - Math.log(1.5)) / 3, 0.02);
    assert.strictEqual(fitSlope(unseenPairs([...cases(null, 55, 100), ...cases(9, 100, 100)], model)), 1);
  });
});

describe('boosted trees', () => {
  const options: Boosting = { trees: 60, depth: 3, rate: 0.2, minObservations: 20, l2: 1, inputShare: 1 };
  const random = seededRandom(2);
  /**
   * Observations with two features and an irrelevant third one. A positive label is likely only if both
   * features are high, which no sum of the features can express.
   */
  const observations = Array.from({ length: 4_000 }, (): Observation => {
    const features = [random(), random(), random()];
    const [one = 0, other = 0] = features;
    return { features, label: random() < (one > 0.5 && other > 0.5 ? 0.9 : 0.1) ? 1 : 0, weight: 1 };
  });
  const names = ['one', 'other', 'nothing'];

  it('find what inputs say only together, as a probability', () => {
    const forest = fitForest(observations, names, [0, 0, 0], options);
    const chance = (...inputs: number[]) => logistic(forestLogit(forest, inputs));
    assert.closeTo(chance(0.8, 0.8, 0.5), 0.9, 0.08);
    for (const inputs of [
      [0.8, 0.2, 0.5],
      [0.2, 0.8, 0.5],
      [0.2, 0.2, 0.5],
    ])
      assert.closeTo(chance(...inputs), 0.1, 0.08);
  });

  it('never fall as an input grows that has a direction', () => {
    const falling = observations.map((one) => ({ ...one, label: one.label === 1 ? 0 : 1 }) as Observation);
    for (const data of [observations, falling]) {
      const forest = fitForest(data, names, [1, 0, 0], options);
      for (let other = 0; other <= 1; other += 0.1) {
        const odds = Array.from({ length: 21 }, (_, step) => forestLogit(forest, [step / 20, other, 0.5]));
        assert.deepEqual(
          odds,
          odds.toSorted((a, b) => a - b),
        );
      }
    }
  });

  it('are the same for the same data', () => {
    assert.deepEqual(
      fitForest(observations, names, [0, 0, 0], options),
      fitForest(observations, names, [0, 0, 0], options),
    );
  });
});

describe('figures of an evaluation', () => {
  it('have an interval around the value, the same on every run', () => {
    const cases = Array.from({ length: 200 }, (_, i) => i % 4);
    const figure = bootstrap('mean', cases, mean);
    assert.strictEqual(figure.value, 1.5);
    assert.isBelow(figure.low, 1.5);
    assert.isAbove(figure.high, 1.5);
    assert.isBelow(figure.high - figure.low, 0.5);
    assert.deepEqual(bootstrap('mean', cases, mean), figure);
  });
});
