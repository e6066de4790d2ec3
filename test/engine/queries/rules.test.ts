import { assert } from 'chai';
import { actingRules, NO_ACTING_RULES } from '../../../src/engine/queries/rules.js';
import { compileRules, phaseOf } from '../../../src/published/compile-rules.js';
import type { MerchandisingRule } from '../../../src/schemas/rules.js';

const NOW = new Date('2026-11-24T12:00:00Z');

const acting = (query: string, ...rules: MerchandisingRule[]) =>
  actingRules(compileRules({ rules }, 1), query, { now: NOW, byRelevance: true });
const namesFor = (query: string, ...rules: MerchandisingRule[]) => acting(query, ...rules).names;
/** The synonyms of each part of a text that has some. */
const synonymsOf = (query: string, ...synonyms: string[]) =>
  Object.fromEntries(
    acting(query, { name: 'synonyms', synonyms }).synonyms.map(({ from, to, others }) => [
      query.slice(from, to),
      others,
    ]),
  );

describe('actingRules', () => {
  const exact = (text: string): MerchandisingRule => ({
    name: text,
    query: { exact: [text] },
    hide: [{ id: 1 }],
  });
  const contains = (text: string): MerchandisingRule => ({
    name: text,
    query: { contains: [text] },
    hide: [{ id: 1 }],
  });

  it('compares words without regard to case, accents, punctuation and plural', () => {
    assert.deepEqual(namesFor('  Café MACHINES ', exact('cafe machine')), ['cafe machine']);
    assert.deepEqual(namesFor('wi-fi router', exact('Wi Fi Routers')), ['Wi Fi Routers']);
    assert.deepEqual(namesFor('cafe', exact('cafe machine')), []);
  });

  it('finds contained words only next to each other and in their order', () => {
    const rule = contains('phone case');
    assert.deepEqual(namesFor('red phone cases for boys', rule), ['phone case']);
    assert.deepEqual(namesFor('case for a phone', rule), []);
    assert.deepEqual(namesFor('telephone case', rule), []);
    assert.deepEqual(namesFor('红色手机壳', contains('手机')), ['手机']);
  });

  it('returns the constant for no rules if no rule acts', () => {
    assert.equal(acting('lamp', exact('kettle')), NO_ACTING_RULES);
    assert.equal(acting('lamp'), NO_ACTING_RULES);
  });

  it('orders rules as in the file, and limits how many pins and boosts act', () => {
    const pins = (name: string, first: number): MerchandisingRule => ({
      name,
      query: { contains: ['lamp'] },
      pin: Array.from({ length: 10 }, (_, at) => ({ id: first + at })),
      boost: [{ brand: name, by: 2 }],
    });
    const found = acting(
      'lamp',
      ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, at) => pins(name, 10 * at + 1)),
    );
    assert.deepEqual(
      found.pins.map(({ id }) => id),
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
    assert.lengthOf(found.boosts, 5);
    const many = Array.from({ length: 500 }, (_, at): MerchandisingRule => ({
      ...contains('lamp'),
      name: `r${at}`,
    }));
    assert.lengthOf(acting('lamp', ...many).names, 20);
  });

  it('ignores rules outside of their period; a date includes the whole day', () => {
    const within = (from?: string, until?: string) =>
      namesFor('lamp', { ...exact('lamp'), ...(from && { from }), ...(until && { until }) }).length;
    assert.equal(within('2026-11-24', '2026-11-24'), 1);
    assert.equal(within('2026-11-24T12:00:00Z'), 1);
    assert.equal(within('2026-11-24T12:00:01Z'), 0);
    assert.equal(within(undefined, '2026-11-24T12:00:00Z'), 0);
    assert.equal(within(undefined, '2026-11-23'), 0);
  });

  it('counts the times at which rules begin or cease to act', () => {
    const rules = compileRules(
      { rules: [{ ...exact('a'), from: '2026-11-01', until: '2026-11-30' }, exact('b')] },
      1,
    );
    const phaseAt = (time: string) => phaseOf(rules, new Date(time));
    assert.deepEqual(['2026-10-31', '2026-11-01', '2026-11-30', '2026-12-01'].map(phaseAt), [0, 1, 1, 2]);
  });
});

describe('synonyms', () => {
  it('stand for the words that a rule states', () => {
    assert.deepEqual(synonymsOf('red sofas', 'sofa, couch, settee', 'red => crimson'), {
      red: ['crimson'],
      sofas: ['couch', 'settee'],
    });
  });

  it('may have several words, of which the longest text counts', () => {
    assert.deepEqual(synonymsOf('big air fryer basket', 'air fryer => hot air cooker', 'air, wind'), {
      'air fryer': ['hot air cooker'],
    });
    assert.deepEqual(synonymsOf('hot air cooker', 'air fryer => hot air cooker'), {});
    assert.deepEqual(synonymsOf('big 电视机', '电视, television'), { 电视: ['television'] });
  });

  it('are not synonyms of synonyms', () => {
    assert.deepEqual(synonymsOf('a1', 'a1 => b1', 'b1 => c1'), { a1: ['b1'] });
  });

  it('are forty at most', () => {
    const words = Array.from({ length: 40 }, (_, at) => `w${at}x`);
    const lines = words.map((word) => `${word} => y, z, v, u, t`);
    assert.lengthOf(Object.values(synonymsOf(words.slice(0, 4).join(' '), ...lines)).flat(), 20);
    assert.lengthOf(Object.values(synonymsOf(words.join(' '), ...lines)).flat(), 40);
  });

  it('keep their words from being corrected', () => {
    const { correctable } = acting('red sofas now', { name: 'a', synonyms: ['sofa, couch'] });
    assert.equal(correctable, 'red       now');
  });
});
