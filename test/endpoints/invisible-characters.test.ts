// Chaos only (hostile, sampled): it sends invisible characters to every endpoint.
import { assert } from 'chai';
import { main as reindex } from '../../scripts/reindex.js';
import { productsIndex } from '../../src/engine/indices.js';
import { isInvisible } from '../../src/text/clean.js';
import { buildSuggestions } from '../../src/usecases/suggest/build-suggestions.js';
import { startApi, useApi } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { earlierSettings, moveToSchema } from '../support/earlier-schema.js';
import { offer, skus } from '../support/listings.js';

/** Characters that the service removes, written as code points, because they are invisible. */
const VANISHING = [
  '\u00AD',
  '\u034F',
  '\u061C',
  '\u180E',
  '\u200C',
  '\u200D',
  '\u200E',
  '\u200F',
  '\u202A',
  '\u202B',
  '\u202C',
  '\u202D',
  '\u202E',
  '\u2060',
  '\u2063',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
  '\uFE0F',
  '\uFEFF',
  '\u{E0041}',
];
const codeOf = (character: string) => `U+${character.codePointAt(0)?.toString(16).toUpperCase()}`;

describe('invisible format characters', () => {
  const api = useApi([
    ...VANISHING.map((mark, at) => {
      const name = `${mark}Mar${mark}vel${mark} kettle${at}`;
      const brand = `Bran${mark}dex`;
      return offer(`v${at}`, name, '10.00', {
        brand,
        category: `Ket${mark}tles`,
        metadata: { colour: `re${mark}d` },
      });
    }),
    offer('rtl', '\u202ERTL\u202C mark', '10.00', { metadata: { model: 'QX\u200E-700' } }),
    offer('gtin', 'Plain toaster', '10.00', {
      gtin: '036000291452',
      buy_url: 'https://shop.example/toaster',
    }),
    offer('zwsp', 'wireless\u200Bheadset', '10.00', { brand: 'Zero\u200BWidth', category: 'Head\u200Bsets' }),
  ]);

  const found = async (parameters: Record<string, string>, path = '/v1/search') =>
    skus(await api.ok(`${path}?${new URLSearchParams({ limit: '50', ...parameters }).toString()}`)).sort();
  const all = VANISHING.map((_, at) => `v${at}`).sort();

  it('are removed from names, brands, categories and attributes', async () => {
    assert.deepEqual(await found({ q: 'marvel', match: 'all' }), all);
    assert.deepEqual(await found({ q: 'brandex', match: 'all' }), all);
    assert.deepEqual(await found({ brand: 'Brandex' }), all);
    assert.deepEqual(await found({ category: 'kettles' }), all);
    assert.deepEqual(await found({ 'attr.colour': 'red' }), all);
    assert.deepEqual(await found({ q: 'RTL', match: 'all' }), ['rtl']);
    assert.deepEqual(await found({ q: 'mark', match: 'all' }), ['rtl']);
  });

  it('are removed from queries and filters', async () => {
    for (const mark of VANISHING) {
      const name = codeOf(mark);
      assert.deepEqual(
        await found({ q: `${mark}Plain${mark} toas${mark}ter`, match: 'all' }),
        ['gtin'],
        name,
      );
      assert.deepEqual(await found({ q: `"pl${mark}ain toaster"` }), ['gtin'], name);
      assert.deepEqual(await found({ q: `${mark}0360002${mark}91452`, match: 'all' }), ['gtin'], name);
      assert.deepEqual(await found({ brand: `Brand${mark}ex` }), all, name);
      assert.deepEqual(await found({ category: `ket${mark}tles` }), all, name);
      assert.deepEqual(await found({ gtin: `${mark}036000291452${mark}` }, '/v1/lookup'), ['gtin'], name);
      assert.deepEqual(await found({ model: `QX${mark}700` }, '/v1/lookup'), ['rtl'], name);
      assert.deepEqual(await found({ sku: `gtin${mark}` }, '/v1/lookup'), ['gtin'], name);
      assert.deepEqual(
        await found({ url: `https://shop.example/toaster${mark}` }, '/v1/lookup'),
        ['gtin'],
        name,
      );
      const best = await api.get(
        `/v1/products/best-price?q=${encodeURIComponent(`pl${mark}ain toas${mark}ter`)}`,
      );
      assert.equal(best.body.sku, 'gtin', name);
    }
  });

  it('do not include the zero-width space, which separates words in names, filters and queries', async () => {
    assert.deepEqual(await found({ q: 'headset', match: 'all' }), ['zwsp']);
    assert.deepEqual(await found({ q: 'plain\u200Btoaster', match: 'all' }), ['gtin']);
    assert.deepEqual(await found({ brand: 'zero width' }), ['zwsp']);
    assert.deepEqual(await found({ category: 'head sets' }), ['zwsp']);
    assert.deepEqual(await found({ category: 'head\u200Bsets' }), ['zwsp']);
  });

  it('are removed from suggestions and from typed text', async () => {
    const { es, prefix, products } = api;
    await buildSuggestions({ es, indexPrefix: prefix, products, requests: null, now: new Date() });
    const suggested = async (q: string) => {
      const { body } = await api.get(`/v1/suggest?types=brand&q=${encodeURIComponent(q)}`);
      return (body.items as { text: string }[]).map(({ text }) => text);
    };
    for (const q of ['brand', 'bra\u00ADnd', '\u202Ebrandex'])
      assert.deepEqual(await suggested(q), ['Brandex']);
    assert.deepEqual(await suggested('zero\u200Bwi'), ['Zero Width']);
  });

  it('are the same for the engine and for the service', async () => {
    const planes = [0x0000, 0xe0000].flatMap((first) =>
      Array.from({ length: 0x10000 }, (_, at) => first + at),
    );
    const characters = planes
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code));
    const { pattern } = productsIndex.settings.index?.analysis?.char_filter?.['invisible'] as {
      pattern: string;
    };
    const ofEngine = new RegExp(pattern.replaceAll(/\\x(\{[0-9A-F]+\})/g, '\\u$1'), 'u');
    const differing = characters.filter((one) => ofEngine.test(one) !== isInvisible(one)).map(codeOf);
    assert.deepEqual(differing, []);
  });
});

describe('invisible format characters in an index of schema 4', () => {
  it('are returned as before until a reindex removes them', async () => {
    const api = await startApi();
    await moveToSchema(api, 4, earlierSettings());
    await api.load([
      offer('s1', '\u202ERTL\u202C mark', '10.00', { brand: 'Bran\u00ADdex' }),
      offer('plain', 'Plain toaster', '10.00', { brand: 'Brandex', metadata: { colour: 'red' } }),
    ]);
    const found = async (query: string) => skus((await api.get(`/v1/search?${query}`)).body).sort();
    const served = async () => {
      assert.deepEqual(await found('q=plain+toaster&match=all'), ['plain']);
      assert.deepEqual(await found('q=pla%C2%ADin&match=all'), ['plain']);
      assert.deepEqual(await found('q=toastre'), ['plain']);
      assert.deepEqual(await found('brand=brandex'), ['plain', 's1']);
      assert.deepEqual(await found('attr.colour=red&facets=attributes&highlight=true'), ['plain']);
      assert.deepEqual(skus((await api.get('/v1/lookup?sku=s1')).body), ['s1']);
    };
    await served();
    assert.deepEqual(await found('q=rtl'), []);
    await outputOf(reindex, api.prefix, ['--accept-differences']);
    await served();
    assert.deepEqual(await found('q=rtl'), ['s1']);
    await api.stop();
  });
});
