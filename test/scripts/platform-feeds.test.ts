// Chaos only (oracles): it loads a feed in each format into Elasticsearch.
import { assert } from 'chai';
import { main } from '../../scripts/ingest.js';
import { seededRandom } from '../../src/text/statistics.js';
import { comparable, CURRENCY, GENERATED, generatedFeed, SHOP_URL } from '../feeds/map/generated-feeds.js';
import { LOAD_ONLY, run } from '../support/command.js';
import { testCatalogue } from '../support/test-catalogue.js';

describe('npm run ingest -- --as', () => {
  const catalogue = testCatalogue('platforms');
  after(() => catalogue.remove());

  for (const [number, name] of GENERATED.entries()) {
    it(`${name}: one command loads the feed, and again changes nothing`, async () => {
      const { format, text, expected } = generatedFeed(name, seededRandom(number), 200);
      const source = `shop_${number}`;
      const file = catalogue.file(`${source}.feed`, text);
      const options = ['--as', format, '--source', source, '--currency', CURRENCY, '--shop-url', SHOP_URL];
      const load = () => run(main, [...options, ...LOAD_ONLY, file], { env: catalogue.env });
      const { code, out } = await load();
      assert.strictEqual(code, 0, out);
      const stored = await catalogue.stored();
      for (const record of expected) {
        const found = stored.get(`${source}/${String(record['sku'])}`)?.listing;
        const { list_price, declared_gtins: gtin } = found?.internal ?? {};
        assert.deepEqual(comparable({ ...found, list_price, gtin }), comparable(record));
      }
      assert.lengthOf(
        [...stored.values()].filter(({ listing }) => listing.source === source),
        expected.length,
      );
      const again = await load();
      assert.match(again.out, new RegExp(`${expected.length} {2}unchanged`), again.out);
    });
  }
});
