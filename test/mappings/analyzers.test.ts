import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { productsIndex } from '../../src/engine/indices.js';
import { matchAny } from '../../src/engine/queries/match.js';
import { CURRENT_SCHEMA } from '../../src/listing/schema-versions.js';
import { indexPrefix } from '../support/services.js';
import { connectEngine } from '../support/engine.js';

const index = `${indexPrefix}-relevance-analyzers`;

describe('analyzers of the product index', () => {
  let es: Client;
  before(async () => {
    es = connectEngine();
    await es.indices.create({ index, ...productsIndex });
  });
  after(async () => {
    await es.indices.delete({ index, ignore_unavailable: true });
    await es.close();
  });

  /** Defines a test for each text, with the tokens that the analyzer must produce. */
  function analyzes(analyzer: string, expected: Record<string, string>): void {
    for (const [text, tokens] of Object.entries(expected)) {
      it(`${JSON.stringify(text)} → ${tokens}`, async () => {
        const answer = await es.indices.analyze({ index, analyzer, text });
        assert.equal((answer.tokens ?? []).map(({ token }) => token).join(', '), tokens);
      });
    }
  }

  describe('product_query: the words of a query', () => {
    analyzes('product_query', {
      'Running Shoes': 'run, shoe',
      'Crème BRÛLÉE': 'creme, brule',
      "women's handbag": 'women, handbag',
      'women’s handbag': 'women, handbag',
      'Intel® Core™2': 'intel, core, 2',
      'Sony©Music': 'soni, music',
      'AT&amp;T': 'att',
      'at&t': 'att',
      'H&M': 'hm',
      'salt & pepper': 'salt, pepper',
      '<b>Bold</b> caf&eacute;': 'bold, cafe',
      'ＷＨ－１０００ＸＭ５': 'wh, 1000xm5',
      'case for the iPhone': 'case, iphon',
      'vitamin A': 'vitamin, a',
      'baju kurung wanita': 'baju, kurung, wanita',
      '!?*~"()[]{}^:\\/': '',
    });
  });

  describe('simple_query: the same terms as product_query', () => {
    const clauseFor = (texts: readonly string[]) => {
      const clause = matchAny('name', texts, { schema: CURRENT_SCHEMA });
      return (clause as { match: { name: { query: string; analyzer?: string } } }).match.name;
    };
    const termsOf = async (text: string, analyzer: string) =>
      ((await es.indices.analyze({ index, analyzer, text })).tokens ?? []).map(({ token }) => token);
    const simple = [
      ['Running Shoes'],
      ['case for the iPhone 15 with stand'],
      ['WH-1000XM5 all-in-one'],
      ['TV fridge smartphone laptop'],
      ['news organic organizer'],
      ['32inch', '81cm', '81.3cm', '5metre', '128GB'],
      ['15', 'in'],
      ['2TB 500g 1080p'],
    ];
    for (const texts of simple)
      it(texts.join(' | '), async () => {
        const { query, analyzer } = clauseFor(texts);
        assert.equal(analyzer, 'simple_query');
        assert.deepEqual(
          await termsOf(query, 'simple_query'),
          await termsOf(texts.join(' | '), 'product_query'),
        );
      });
    for (const text of [
      '32 inch',
      '15-inch',
      '500 g',
      "women's",
      'café',
      'AT&T',
      '1,299',
      '耳机',
      'C++',
      '14"',
      'a_b',
    ])
      it(`is not used for ${text}`, () => assert.isUndefined(clauseFor([text]).analyzer));
  });

  describe('dots between letters', () => {
    analyzes('product_query', {
      'StarTech.com': 'startech, com',
      'G.Skill': 'g, skill',
      'J.B.L. 2.5in': 'jbl, 2.5in',
    });
    analyzes('product_name', { 'G.Skill': 'g, gskill, skill' });
  });
  describe('Thai, Lao, Khmer and Burmese: clusters of characters, and pairs of them', () => {
    analyzes('product_query', { สายชาร์จ: 'สาย, ยชา, ชาร์, ร์จ', ชา: 'ชา', ສາຍສາກ: 'ສາຍ, ຍສາ, ສາກ' });
    analyzes('product_name', { หูฟัง: 'หู, หูฟั, ฟั, ฟัง, ง' });
    analyzes('product_text', { หูฟัง: 'หูฟั, ฟัง' });
    analyzes('product_words', { หูฟัง: 'หู, หูฟั, ฟั, ฟัง, ง', ស្តាប់: 'ស្តា, ស្តាប់, ប់' });
    analyzes('spelling', { 'หูฟัง NV': 'nv' });
  });
  describe('words that the stemmer does not change', () => {
    analyzes('product_query', { 'news new organic organizer': 'news, new, organic, organ' });
  });

  // The analyzers of names, texts, codes and spelling share these char filters.
  for (const analyzer of ['product_name', 'product_text', 'product_query', 'product_query_as_typed'])
    describe(`${analyzer}: invisible format characters`, () => {
      analyzes(analyzer, {
        'ket\u00ADtle': 'kettl',
        '\u202Ekettle\u202C': 'kettl',
        '\uFEFFket\u200Dtle\u2069': 'kettl',
        'ket&shy;tle': 'kettl',
        '6.1\u200E"': '6.1in',
      });
    });
  describe('zero-width spaces separate words', () => {
    analyzes('product_query', { 'steel\u200Bkettle': 'steel, kettl' });
    analyzes('product_codes', { 'AX900\u200B12': 'ax900, ax90012, 90012' });
    analyzes('product_codes_query', { 'AX9\u200E00': 'ax900' });
    analyzes('identifier_query', { 'AX\u00AD900\u200BB1': 'ax900, ax900b1' });
    analyzes('spelling', { 'ket\u00ADtle\u200Bsteel': 'kettle, steel' });
    analyzes('spelling_with_synonyms', { 'tor\u2060ch': 'torch, torchlight, flashlight' });
  });

  describe('product_query: units are part of their number', () => {
    analyzes('product_query', {
      '1TB': '1tb',
      '1 TB': '1tb',
      '500ml': '500ml',
      '500 ml': '500ml',
      '12 x 330 ml': '12, x, 330ml',
      '12×330ml': '12x330ml',
      '6.1"': '6.1in',
      '6.1″': '6.1in',
      "17''": '17in',
      '6.1 inch': '6.1in',
      '6.1-inch': '6.1in',
      '6.1in': '6.1in',
      '27 inches monitor': '27in, monitor',
      '10,000 mAh': '10000mah',
      '10000mah': '10000mah',
      '2.4 GHz': '2.4ghz',
      '3 in 1': '3, in, 1',
      '5 minutes': '5, minut',
      '2.5 Metre': '2.5m',
      'MS30 M.2': 'ms30, m, 2',
    });
  });

  describe('product_query: Chinese, alone and mixed', () => {
    analyzes('product_query', {
      无线耳机: '无线, 线耳, 耳机, 耳機, headphon, earphon, earbud',
      酒: '酒',
      '索尼WH-1000XM5无线耳机': '索尼, wh, 1000xm5, 无线, 线耳, 耳机, 耳機, headphon, earphon, earbud',
    });
  });

  describe('product_query: synonyms', () => {
    analyzes('product_query', {
      tv: 'tv, televis',
      fridges: 'fridg, refriger',
      handphone: 'handphon, mobilephon, cellphon, smartphon',
      aircon: 'aircon, aircondition',
      notebook: 'notebook, laptop',
      earbuds: 'earbud, earphon, earpiec',
      // A microSD card is an SD card, but not the reverse.
      'sd card': 'sd, sdhc, sdxc, microsd, microsdhc, microsdxc, card',
      microSD: 'microsd, microsdhc, microsdxc',
    });
  });

  describe('product_query_as_typed: no synonyms', () => {
    analyzes('product_query_as_typed', { TVs: 'tv', 'the fridge': 'the, fridg' });
  });

  describe('product_name: words, and adjacent words as one word', () => {
    analyzes('product_name', {
      'Wi-Fi': 'wi, wifi, fi',
      'wi fi': 'wi, wifi, fi',
      WiFi: 'wifi',
      'T-shirt': 't, tshirt, shirt',
      'USB-C': 'usb, usbc, c',
      'power banks': 'power, powerbank, bank',
      'WH-1000XM5': 'wh, wh1000xm5, 1000xm5',
      '1 TB SSD': '1tb, 1tbssd, ssd',
      无线耳机: '无, 无线, 线, 线耳, 耳, 耳机, 机',
    });
  });

  describe('product_text: words, and Chinese as characters and pairs of characters', () => {
    analyzes('product_text', {
      'Wireless Headphones': 'wireless, headphon',
      耳机: '耳, 耳机, 机',
      'Sony 耳机': 'soni, 耳, 耳机, 机',
    });
  });

  describe('product_codes: each sequence of parts with a digit, as one code', () => {
    analyzes('product_codes', {
      'WH-1000XM5': 'wh1000, wh1000xm, wh1000xm5, 1000, 1000xm, 1000xm5, xm5',
      wh1000xm5: 'wh1000, wh1000xm, wh1000xm5, 1000, 1000xm, 1000xm5, xm5',
      'WH 1000 XM5': 'wh1000, wh1000xm, wh1000xm5, 1000, 1000xm, 1000xm5, xm5',
      '索尼WH-1000XM5无线耳机':
        '索尼wh1000, 索尼wh1000xm, 索尼wh1000xm5, wh1000, wh1000xm, wh1000xm5, wh1000xm5无线耳机, ' +
        '1000, 1000xm, 1000xm5, 1000xm5无线耳机, xm5, xm5无线耳机, 5无线耳机',
      'LV-CL11': 'lvcl11, cl11',
      'plain words, 12': 'plainwords12, words12',
      headphones: '',
    });
  });

  describe('product_codes_query: codes as typed, and joined words', () => {
    analyzes('product_codes_query', {
      'WH-1000XM5': 'wh1000xm5',
      wh1000xm5: 'wh1000xm5',
      'WH 1000 XM5': 'wh1000, wh1000xm5, 1000, 1000xm5, xm5',
      '索尼WH-1000XM5无线耳机': '索尼wh1000xm5, 索尼wh1000xm5无线耳机, wh1000xm5, wh1000xm5无线耳机',
      'lv cl 11': 'lvcl11, cl11',
      'noise cancelling 12': 'noisecancelling12, cancelling12',
    });
  });

  describe('identifier_query: text that may be a SKU, GTIN or model number', () => {
    analyzes('identifier_query', {
      'sony wh 1000 xm5': 'sonywh1000, sonywh1000xm5, wh1000, wh1000xm5, 1000xm5',
      '4905524731576': '4905524731576',
      'windows 2060': 'windows2060',
      '2060': '',
    });
  });

  describe('spelling: whole words of letters, in the singular', () => {
    analyzes('spelling', {
      'Café Batteries': 'cafe, battery',
      'WH-1000XM5 running boots': 'wh, running, boot',
    });
    // "torch" is a known word if listings have "flashlight", and not a typo of "porch".
    analyzes('spelling_with_synonyms', {
      'LED Flashlights': 'led, flashlight, torch, torchlight',
      'PS4 tires': 'tire, tyre',
    });
  });
});
