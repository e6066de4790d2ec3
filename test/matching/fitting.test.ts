import { assert } from 'chai';
import { bootstrap, mean, seededRandom } from '../../scripts/evaluate/statistics.js';
import { fitLogistic, logistic, type Observation } from '../../scripts/fitting/logistic.js';

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
