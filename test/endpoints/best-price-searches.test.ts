import { assert } from 'chai';
import { type Recorder, startRecorder } from '../../tools/benchmark/recorder.js';
import { main as link } from '../../scripts/link.js';
import { useApi } from '../support/api.js';
import { ends, run } from '../support/command.js';
import { offer } from '../support/listings.js';
import { elasticsearchUrl } from '../support/services.js';

const PATH = '/v1/products/best-price';
const SHOPS = ['shop_a', 'shop_b', 'shop_c'];

describe('the searches of a best price', () => {
  let recorder: Recorder;
  const sold = (name: string, price: number, more = {}) =>
    SHOPS.map((source, at) =>
      offer(`${name} ${at}`, at === 2 ? `${name} (Local)` : name, `${price + at}.00`, { source, ...more }),
    );
  const api = useApi(
    [
      ...sold('Lumera LT55 55" 4K Television', 700, { category: 'Televisions' }),
      ...sold('Lumera LT65 65" 4K Television', 1200, { category: 'Televisions' }),
      ...sold('Sonvara SNC-210M5 Wireless Headphones', 250, { brand: 'Sonvara' }),
      ...sold('Sonvara SNC-210M4 Wireless Headphones', 150, { brand: 'Sonvara' }),
      ...sold('Delmora DK17 Electric Kettle 1.7L', 45),
      ...sold('Velora wall clock with second hand', 20),
      ...Array.from({ length: 80 }, (_, at) =>
        offer(`uphone-${at}`, `Orbita uPhone 13 ${128 + (at % 2) * 128}GB`, `${900 - at}.00`, {
          source: SHOPS[at % 3],
          brand: 'Orbita',
        }),
      ),
    ],
    async () => {
      recorder = await startRecorder(elasticsearchUrl);
      return { ELASTICSEARCH_URL: recorder.url };
    },
  );
  after(() => recorder.close());

  /** The SKU of the best price, or the status, and how many searches Elasticsearch ran for it. */
  const ask = async (q: string): Promise<[answer: string | number, searches: number]> => {
    // What a service reads once, such as the schema of the index, does not count.
    await api.get(`${PATH}?q=warm+up`);
    recorder.take();
    const { status, body } = await api.get(`${PATH}?q=${encodeURIComponent(q)}`);
    return [status === 200 ? body.sku : status, recorder.take().reduce((sum, searches) => sum + searches, 0)];
  };

  const ANSWERS: readonly [q: string, answer: string | number, linked: number][] = [
    ['Sonvara SNC-210M5', 'Sonvara SNC-210M5 Wireless Headphones 0', 2],
    ['wireless headphones', 'Sonvara SNC-210M4 Wireless Headphones 0', 2],
    ['Orbita uPhone 13', 'uphone-79', 2],
    ['uphone', 'uphone-79', 2],
    ['tv under 1000', 'Lumera LT55 55" 4K Television 0', 2],
    ['wall clock with second hand', 'Velora wall clock with second hand 0', 2],
    ['electric kettle from shop_b', 'Delmora DK17 Electric Kettle 1.7L 1', 3],
    ['tv 55 inch', 'Lumera LT55 55" 4K Television 0', 2],
    ['electric ketle', 'Delmora DK17 Electric Kettle 1.7L 0', 3],
    ['tv 55" hedphones under 1500', 404, 2],
    ['Sonvara SNC-210M9', 404, 2],
    ['nothing like it', 404, 2],
  ];

  it('are at most four, and one more to read the shops if the text may name one', async () => {
    for (const [q, answer] of ANSWERS) {
      const [found, searches] = await ask(q);
      assert.equal(found, answer, q);
      assert.isAtMost(searches, q.includes(' from ') ? 5 : 4, q);
    }
  });

  it('have no more words together than Elasticsearch accepts, however long each wording is', async () => {
    const long = ['电子书阅读器'.repeat(30), 'สมาร์ทโฟน '.repeat(50), 'ab1c2d3 '.repeat(60), 'a'.repeat(500)];
    for (const q of long.flatMap((text) => [text.slice(0, 500), `used ${text.slice(0, 480)} under $500`])) {
      const { status } = await api.get(`${PATH}?nearest=true&explain=true&q=${encodeURIComponent(q)}`);
      assert.equal(status, 404, q);
    }
  });

  it('are two in a linked catalogue, and three if a word is misspelt or the text names a shop', async () => {
    await ends(run(link, [], { env: { INDEX_PREFIX: api.prefix } }), 0);
    for (const [q, answer, searches] of ANSWERS) assert.deepEqual(await ask(q), [answer, searches], q);
  });
});
