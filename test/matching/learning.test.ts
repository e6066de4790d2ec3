import { assert } from 'chai';
import { type Candidate, compareAll } from '../../src/matching/evidence.js';
import {
  identityOf,
  isSharedByProducts,
  labelOf,
  productKey,
  withoutIdentifiers,
} from '../../src/matching/learning/identity.js';
import { compareModels, learn, learnModel, splitOf } from '../../src/matching/learning/learn.js';
import { limitOwners, trainingPairs, type TrainingPair } from '../../src/matching/learning/training-pairs.js';
import { matchCandidates } from '../../src/matching/match.js';
import { forestLogit, MODEL, readModel, TREE_INPUTS } from '../../src/matching/model.js';
import { seededRandom } from '../../src/text/statistics.js';
import { candidate, pluck } from '../support/listings.js';

let nextId = 1;

interface Stated {
  brand?: string | null;
  gtins?: string[];
  models?: string[];
  source?: string;
}

const metadata = { ean: '4006381333931', model: 'AX-1000', colour: 'red' };
const listing = (name: string, { brand = null, gtins = [], models = [] }: Stated = {}): Candidate =>
  candidate(nextId++, name, { brand, metadata, internal: { gtins, models } });

describe('labels by identifiers', () => {
  const gtin = { gtins: ['1'] };
  const model = { brand: 'Kestrel', models: ['ax1000'] };
  const cases: [what: string, a: Stated, b: Stated, label: 0 | 1 | null][] = [
    ['a common GTIN', { gtins: ['1', '2'] }, gtin, 1],
    ['different GTINs', gtin, { gtins: ['2'] }, 0],
    ['different GTINs and a common model', { ...model, ...gtin }, { ...model, gtins: ['2'] }, null],
    ['a common model of one brand', model, { ...model, brand: 'KESTREL' }, 1],
    ['one model number of two brands', model, { ...model, brand: 'Tarn' }, 0],
    ['different models', model, { ...model, models: ['ax2000'] }, 0],
    ['a model that is too short', { ...model, models: ['x1'] }, { ...model, models: ['x1'] }, null],
    ['a GTIN on one side', gtin, model, null],
    ['no identifiers', {}, {}, null],
  ];
  for (const [what, a, b, label] of cases)
    it(`are ${label} for ${what}`, () => {
      const [one, other] = [identityOf(listing('one name', a)), identityOf(listing('another name', b))];
      assert.strictEqual(labelOf(one, other), label);
      assert.strictEqual(labelOf(other, one), label);
    });

  it('are unknown for different GTINs of listings with one name', () => {
    const [one, other] = [['1'], ['2']].map((gtins) => identityOf(listing('Kestrel Tarn', { gtins })));
    if (one === undefined || other === undefined) throw new Error('two listings make two identities');
    assert.isNull(labelOf(one, other));
  });

  it('come with the key of a product, which is the GTIN if there is one', () => {
    assert.strictEqual(productKey(identityOf(listing('n', { ...model, ...gtin }))), 'gtin 1');
    assert.strictEqual(productKey(identityOf(listing('n', model))), 'model kestrel ax1000');
    assert.isNull(productKey(identityOf(listing('n', { models: ['ax1000'] }))));
    assert.isNull(productKey(identityOf(listing('n', { gtins: ['02000010000012'] }))), 'an in-store number');
  });
});

describe('hiding identifiers', () => {
  const stated = listing('Kestrel AX-1000', { gtins: ['1'], models: ['ax1000'] });

  it('removes GTINs, and model numbers with the metadata that states them on request', () => {
    const shown = withoutIdentifiers(stated, { hideModels: false });
    assert.deepEqual([shown.internal.gtins, shown.internal.models], [[], ['ax1000']]);
    const hidden = withoutIdentifiers(stated, { hideModels: true });
    assert.deepEqual([hidden.internal.gtins, hidden.internal.models], [[], []]);
    assert.deepEqual(hidden.metadata, { colour: 'red' });
  });
});

describe('identifiers that several products share', () => {
  it('are recognized by brands or sizes that contradict each other', () => {
    const different = [
      listing('Kestrel kettle 1.7 L', { brand: 'Kestrel' }),
      listing('Tarn toaster 4 slices', { brand: 'Tarn' }),
      listing('Velor desk lamp 60 cm', { brand: 'Velor' }),
    ];
    assert.isTrue(isSharedByProducts(different));
  });

  it('are not those of one product in several wordings, nor those of one listing', () => {
    const same = [
      listing('Kestrel kettle KT-170 1.7 L', { brand: 'Kestrel' }),
      listing('KT-170 kettle by Kestrel, 1.7 litres'),
      listing('Kestrel KT-170'),
    ];
    assert.isFalse(isSharedByProducts(same));
    assert.isFalse(isSharedByProducts(same.slice(0, 1)));
  });
});

describe('the share of an owner', () => {
  const pair = (a: string, b: string): TrainingPair => ({
    label: 1,
    weight: 1,
    product: `${a} ${b}`,
    owners: [a, b],
    logit: 0,
    inputs: [],
    offset: 0,
    words: [],
    isRuledOut: false,
    wasMatch: false,
  });

  it('is bounded, however many pairs it brings', () => {
    const honest = Array.from({ length: 400 }, (_, at) => pair(`shop_${at % 20}`, `shop_${(at + 1) % 20}`));
    const hostile = Array.from({ length: 4_000 }, (_, at) => pair('hostile', `shop_${at % 20}`));
    const limited = limitOwners([...honest, ...hostile]);
    const total = limited.reduce((sum, { weight }) => sum + weight, 0);
    const ofHostile = limited.slice(honest.length).reduce((sum, { weight }) => sum + weight, 0);
    assert.isAtMost(ofHostile / total, 0.35);
  });

  it('counts the sources of one owner together', () => {
    const owned = (source: string, owner: string) => ({
      ...listing('Velor Olande bottle'),
      source,
      internal: { gtins: [], models: [], owner },
    });
    const comparisons = compareAll(
      listing('Velor Olande bottle'),
      [owned('shop_a', 'key:1'), owned('shop_b', 'key:1'), listing('Velor Olande bottle')],
      [],
    );
    const labels = [1, 1, 1] as const;
    const pairs = trainingPairs({ comparisons, owner: 'own', product: 'p', labels, weight: 1 }, MODEL);
    assert.deepEqual(
      pluck(pairs, 'owners').map(([, owner]: [string, string]) => owner.startsWith('source:')),
      [false, false, true],
    );
  });

  it('is not limited where there are but two owners', () => {
    const limited = limitOwners([pair('a', 'b'), pair('b', 'a')]);
    assert.deepEqual(pluck(limited, 'weight'), [1, 1]);
  });
});

describe('learning', () => {
  const random = seededRandom(3);
  const syllables = ['ka', 'lo', 'mi', 'ren', 'sto', 'vu', 'tal', 'ber', 'zi', 'pog'];
  const word = () => Array.from({ length: 3 }, () => syllables[Math.floor(random() * 10)]).join('');

  /**
   * Creates pairs of products in two finishes. Only one word of the name distinguishes the finishes, which
   * the shipped model confuses.
   */
  function pairsOf(labelOfFinish: (isSame: boolean) => 0 | 1): TrainingPair[] {
    return Array.from({ length: 240 }, () => `${word()} ${word()}`).flatMap((family) => {
      const offer = (finish: string) => listing(`Velor ${family} bottle ${finish}`);
      const finishes = ['ribbed', 'fluted'];
      const candidates = finishes.map(offer);
      return finishes.flatMap((finish, own) => {
        const labels = finishes.map((_, at) => labelOfFinish(at === own));
        const comparisons = compareAll(offer(finish), candidates, []);
        const labelled = { comparisons, owner: 'own', product: family, labels, weight: 1 };
        return trainingPairs(labelled, MODEL);
      });
    });
  }

  it('keeps a model that is better on products that neither model was fitted on', () => {
    const pairs = pairsOf((isSame) => (isSame ? 1 : 0));
    const { model, figures, isBetter } = learn(pairs, MODEL);
    assert.isTrue(isBetter, JSON.stringify(figures));
    assert.isAbove(figures.after.value, 0.95);
    const [sought, same, other] = ['ribbed', 'ribbed', 'fluted'].map((finish) =>
      listing(`Velor Olande Farrow bottle ${finish}`),
    ) as [Candidate, Candidate, Candidate];
    const [scoreOfSame = 0, scoreOfOther = 1] = matchCandidates(
      sought,
      [same, other],
      [],
      undefined,
      model,
    ).map(({ score }) => score);
    assert.isAtLeast(scoreOfSame, 0.5);
    assert.isBelow(scoreOfOther, 0.5);
  });

  it('does not keep a model that was learned from labels without meaning', () => {
    const { isBetter } = learn(
      pairsOf(() => (random() < 0.5 ? 1 : 0)),
      MODEL,
    );
    assert.isFalse(isBetter);
  });

  it('learns from honest owners although one source puts wrong identifiers on most products', () => {
    const honest = pairsOf((isSame) => (isSame ? 1 : 0));
    const hostile = [...honest, ...honest].map((pair): TrainingPair => ({
      ...pair,
      label: pair.label === 1 ? 0 : 1,
      owners: ['hostile', pair.owners[1]],
    }));
    const spread = honest.map((pair, at): TrainingPair => ({
      ...pair,
      owners: [`own_${at % 20}`, pair.owners[1]],
    }));
    const { model } = learn([...spread, ...hostile], MODEL);
    const { before, after } = compareModels(honest, model);
    assert.isAbove(after.value, before.value + 0.1);
  });

  it('changes nothing without pairs', () => {
    assert.strictEqual(learnModel([], MODEL), MODEL);
  });

  it('assigns a product to the same part each time, and most products to the fit', () => {
    const parts = Array.from({ length: 1_000 }, (_, at) => splitOf(`gtin ${at}`));
    const share = (part: string) => parts.filter((one) => one === part).length / parts.length;
    assert.closeTo(share('fit'), 0.6, 0.05);
    assert.closeTo(share('test'), 0.2, 0.05);
    assert.strictEqual(splitOf('gtin 7'), splitOf('gtin 7'));
  });
});

describe('a model that is older than the code', () => {
  const tree = { inputs: [1, 0, 0], thresholds: [0.5, null, null], values: [1, 1, 2, 2] };
  const file = (inputs: string[]) => ({
    pair: { bias: -1 },
    trees: { inputs, base: 0, trees: [tree] },
    slope: 1,
  });

  it('is read by the names of its features, wherever they stand now', () => {
    const model = readModel(file(['priceFar', 'colourAgree']));
    if (model === null) throw new Error('all features of the model exist');
    const inputs = TREE_INPUTS.map((name) => (name === 'colourAgree' ? 1 : 0));
    assert.strictEqual(forestLogit(model.trees, inputs), 2);
    assert.strictEqual(
      forestLogit(
        model.trees,
        TREE_INPUTS.map(() => 0),
      ),
      1,
    );
    assert.strictEqual(model.pair.bias, -1);
    assert.strictEqual(model.pair.coverLow, 0);
  });

  it('is not read if it needs a feature that no longer exists', () => {
    assert.isNull(readModel(file(['priceFar', 'smell'])));
    assert.isNotNull(readModel(file(['smell', 'priceFar'])));
  });
});
