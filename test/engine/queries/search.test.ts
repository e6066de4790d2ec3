import { randomBytes } from 'node:crypto';
import { assert } from 'chai';
import { literalText, type QueryText } from '../../../src/engine/queries/query-text.js';
import { textClauses, textQuery } from '../../../src/engine/queries/search.js';
import type { MatchMode } from '../../../src/engine/queries/selection.js';
import { CURRENT_SCHEMA } from '../../../src/listing/schema-versions.js';
import { correctedText, guessedText, spellingSuggestion } from '../../../src/engine/queries/spelling.js';
import { type Catalogue, openCatalogue } from '../../relevance/catalogue.js';
import { record } from '../../support/listings.js';

const schema = CURRENT_SCHEMA;

type Node = Record<string, unknown>;

/** The clauses of a query that search for words, and whether they must all match. */
function leavesOf(node: unknown): Node[] {
  if (Array.isArray(node)) return node.flatMap(leavesOf);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([kind, body]) =>
    ['match', 'combined_fields', 'multi_match', 'term', 'terms'].includes(kind)
      ? [{ [kind]: body }]
      : leavesOf(body),
  );
}

const words = (count: number, word = (at: number) => `w${at}x`) =>
  Array.from({ length: count }, (_, at) => word(at));

/**
 * The number of clauses beside those of words: for the weights of words, kinds, model numbers and identifiers, each of which
 * excludes the listings of a crowd.
 */
const RANKING = 13;

const searchText = (text: string, match: MatchMode, more: Partial<QueryText> = {}) =>
  textQuery(textClauses({ ...literalText(text, schema), ...more }), match);

describe('textQuery', () => {
  for (const match of ['all', 'any'] as const)
    for (const count of [1, 2, 3, 5, 8, 20, 40])
      it(`has at most one clause for each of ${count} words and two for their neighbours: ${match}`, () => {
        const query = searchText(words(count).join(' '), match);
        assert.isAtMost(leavesOf(query).length, Math.max(2, count + 2 * (count - 1)) + RANKING);
      });

  it('has one more clause for each way of writing that has several words, however many there are', () => {
    const clauses = (text: string, ...others: string[]) =>
      leavesOf(searchText(text, 'all', { synonyms: [{ from: 0, to: 4, others }] })).length;
    const plain = clauses('sofa red lamp');
    assert.equal(clauses('sofa red lamp', 'couch', 'settee'), plain);
    assert.equal(clauses('sofa red lamp', 'couch', 'day bed'), plain + 1);
    assert.equal(clauses('sofa red lamp', 'long chair', 'day bed'), plain + 2);
    // Forty words, each with a hyphen: the words as they are typed and as one.
    const hyphens = words(40, (at) => `w${at}-x${at}`).join(' ');
    assert.isAtMost(leavesOf(searchText(hyphens, 'all')).length, 3 * 40 + RANKING);
    const measures = words(20, (at) => `${at + 2} inch`).join(' ');
    assert.isAtMost(leavesOf(searchText(measures, 'all')).length, 4 * 20 + RANKING);
  });

  it('makes no phrase of synonyms in fields without positions', () => {
    for (const leaf of leavesOf(searchText('wi-fi router 6 inch', 'all')))
      if (JSON.stringify(leaf).includes('internal.text'))
        assert.include(JSON.stringify(leaf), '"auto_generate_synonyms_phrase_query":false');
  });

  it('gives each word an equal share of the boost for all words', () => {
    const boosts = (text: string, unknown: string[] = []) =>
      JSON.stringify(searchText(text, 'all', { unknown }))
        .match(/"boost":[\d.]+/gu)
        ?.filter((boost) => boost !== '"boost":10000' && Number(boost.slice(8)) > 100);
    assert.deepEqual(
      boosts('red steel kettle lamp'),
      Array.from({ length: 4 }, () => '"boost":250'),
    );
    assert.deepEqual(boosts('red zzqx', ['zzqx']), ['"boost":1000']);
  });

  it('searches for at most 40 words', () => {
    const text = JSON.stringify(searchText(words(41).join(' '), 'any', { typed: '' }));
    assert.include(text, words(40).join(' '));
    assert.notInclude(text, 'w40x');
  });
});

describe('Spelling', () => {
  const q = 'Sony hedphones, blak 12';
  const unknown = (text: string, ...options: string[]) => ({
    text: text.toLowerCase(),
    offset: q.indexOf(text),
    length: text.length,
    options: options.map((option) => ({ text: option, score: 0.8, freq: 3 })),
  });

  it('replaces unknown words in place', () => {
    const suggest = {
      spelling: [unknown('Sony'), unknown('hedphones', 'headphones'), unknown('blak', 'black')],
    };
    assert.equal(correctedText(q, suggest), 'Sony headphones, black 12');
  });

  it('does not change words that are short or have no suggestion', () => {
    assert.isNull(correctedText(q, { spelling: [unknown('hedphones'), unknown('12', '123')] }));
    assert.isNull(correctedText(q, undefined));
  });

  it('takes the nearest word, or one that sounds the same if it is as near and not much rarer', () => {
    const best = (text: string, ...options: [string, number, number][]) =>
      correctedText('? ?', {
        spelling: [
          { text: '', offset: 0, length: 1, options: [] },
          {
            text,
            offset: 2,
            length: 1,
            options: options.map(([option, score, freq]) => ({ text: option, score, freq })),
          },
        ],
      });
    assert.equal(best('dimer', ['timer', 0.8, 109], ['dimmer', 0.8, 69]), '? dimmer');
    assert.equal(best('marle', ['marble', 0.8, 364], ['marley', 0.8, 2]), '? marble');
    assert.equal(best('nicke', ['nickel', 0.8, 1440], ['nick', 0.75, 400]), '? nickel');
    assert.equal(best('sencer', ['sealer', 0.67, 171], ['sensor', 0.67, 4]), '? sensor');
    for (const [text, ...options] of [
      ['tyre', 'type'],
      ['pampers', 'paper'],
      ['milo', 'mild'],
      ['saquet', 'squat'],
      ['people', 'pole'],
      // Inflections of one word, which have the same stem.
      ['clothe', 'cloth'],
      ['inche', 'niche', 'inch'],
      ['squared', 'squares', 'square'],
    ] as const)
      assert.isNull(best(text, ...options.map((option): [string, number, number] => [option, 0.8, 9])), text);
  });

  it('does not replace a word by another word that is merely similar', () => {
    const near = (text: string, ...options: string[]) => {
      const found = options.map((option) => ({ text: option, score: 0.7, freq: 50 }));
      const suggest = { spelling: [{ text, offset: 0, length: text.length, options: found }] };
      return [correctedText(text, suggest), guessedText(text, suggest)];
    };
    for (const [text, option] of [
      ['samsung', 'sarung'],
      ['drainer', 'trainer'],
      ['padding', 'sadding'],
      ['headphone', 'handphone'],
      ['negative', 'native'],
      ['coatrack', 'contract'],
      ['wiremesh', 'wireless'],
    ] as const)
      assert.deepEqual(near(text, option), [null, null], text);
    for (const [text, option] of [
      ['everblit', 'everbilt'],
      ['chandilier', 'chandelier'],
      ['refridegrator', 'refrigerator'],
    ] as const)
      assert.deepEqual(near(text, option), [option, option], text);
    assert.deepEqual(near('garbide', 'carbide'), [null, null]);
    assert.deepEqual(near('varbid', 'carbid'), [null, 'carbid']);
  });

  it('adds the last letter of a word in -ss, which the analyzer treats as a plural', () => {
    for (const [typed, stem, meant, ...others] of [
      ['wireles', 'wirele', 'wireless'],
      ['Mattres', 'mattre', 'mattress', 'matte'],
      ['BUSINES', 'busine', 'business', 'bushing', 'busing'],
    ] as const) {
      const options = [...others, meant].map((text) => ({ text, score: 0.7, freq: 1 }));
      const entry = { text: stem, offset: 2, length: typed.length, options };
      assert.equal(correctedText(`a ${typed} b`, { spelling: [entry] }), `a ${meant} b`);
    }
  });

  it('requests no suggestions for words that are too long', () => {
    const text = (words: string) => (spellingSuggestion(words)['spelling'] as { text: string }).text;
    const [most, long] = ['a'.repeat(30), 'ก'.repeat(31)];
    assert.equal(text(`red ${most} ${long} kettel`), `red ${most} ${' '.repeat(31)} kettel`);
    assert.equal(text('ab.'.repeat(300)).trim(), '');
    assert.equal(text('무선'.repeat(500)).trim(), '');
  });

  it('requests suggestions for the first words of a long text at their offsets', () => {
    const text = (words: string) => (spellingSuggestion(words)['spelling'] as { text: string }).text;
    assert.equal(text(' a  b'), ' a  b');
    assert.equal(text('word '.repeat(30)), 'word '.repeat(20).trimEnd());
    assert.equal(text(''), '');
  });
});

describe('any text', () => {
  let catalogue: Catalogue;
  before(async () => {
    catalogue = await openCatalogue([
      record({ sku: 'plain', name: 'Wireless headphones', description: 'With a b c' }),
      record({
        sku: 'long',
        name: `Longest ${'long name '.repeat(99)}`,
        description: '500 ml bottle, <b>10,000 mAh</b> 6.1" 无线耳机 '.repeat(1_100),
      }),
      record({ sku: 'solid', name: 'x'.repeat(1_000), description: '1'.repeat(50_000) }),
      record({ sku: 'chinese', name: '酒'.repeat(1_000), description: '耳机'.repeat(25_000) }),
    ]);
  });
  after(() => catalogue.remove());

  it('can be searched among names of 1,000 and descriptions of 50,000 characters', async () => {
    assert.deepEqual((await catalogue.search('longest 500ml')).skus, ['long']);
    assert.deepEqual((await catalogue.search('酒')).skus, ['chinese']);
  });

  const fill = (text: string) => text.repeat(Math.ceil(1_000 / text.length)).slice(0, 1_000);
  const ideographs = Array.from({ length: 1_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');
  const texts: Record<string, string> = {
    'query syntax': `"'()[]{}*?~^:\\/ AND OR NOT +-&&||!`,
    'a thousand characters of query syntax': fill(`"'()[]{}*?~^:\\/ AND OR NOT `),
    'five hundred words': Array.from({ length: 500 }, (_, i) => `w${i.toString(36)}`).join(' '),
    'five hundred letters': fill('a b c d e f g '),
    'one word of a thousand letters': fill('y'),
    'a thousand digits': fill('1234567890'),
    'digits and letters in turns': fill('a1b2c3'),
    'codes only': fill('wh-1000xm5/b '),
    hyphens: fill('a-b-c-'),
    'a thousand ideographs': ideographs,
    'a thousand kana': fill('かきくけこさしすせそたちつてと'),
    'ideographs and spaces': [...ideographs].slice(0, 500).join(' '),
    'combining marks': fill('a\u0301'),
    'tags and entities': fill('<b &amp;&#x '),
    'twenty typos': fill('hedphnes wirless ').split(' ').slice(0, 20).join(' '),
    NUL: 'head\u0000phones\u0000',
    'half a surrogate pair': '\ud83d',
    'invisible characters': '\u200b\u200d\u202e\ufeff',
    noise: randomBytes(400).toString('latin1'),
  };
  for (const [what, text] of Object.entries(texts)) {
    it(what, async () => {
      const { total, skus } = await catalogue.search(text);
      assert.equal(total, skus.length);
    });
  }

  for (const text of ['!?*~"()', '...', '   ', '\u0000', '®™']) {
    it(`matches nothing without a letter or digit: ${JSON.stringify(text)}`, async () => {
      assert.deepEqual(await catalogue.search(text), { total: 0, skus: [] });
    });
  }
});
