import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { ends, run } from '../support/command.js';
import { pluck, record } from '../support/listings.js';

/** Tests whether an owner can displace or discredit the prices of others with many listings or several sources. */
describe('Listings of one owner against those of others', function () {
  const api = useApi();
  const linkAll = () => ends(run(link, [], { env: { INDEX_PREFIX: api.prefix } }), 0);

  /** Writes records with a key that may write their sources. */
  const writeAs = async (developer: string, records: readonly Record<string, unknown>[]) => {
    const sources = [...new Set(pluck(records, 'source'))];
    const issued = await api.open('/v1/keys', {
      method: 'POST',
      body: JSON.stringify({
        developer_id: developer,
        name: developer,
        tier: 'free',
        admin_secret: ADMIN_SECRET,
        scopes: sources.map((source) => `write:${source}`),
      }),
    });
    const { status, text } = await api.open('/v1/listings', {
      method: 'POST',
      headers: { authorization: `Bearer ${issued.body.raw_key}` },
      body: JSON.stringify(records),
    });
    assert.equal(status, 200, text);
    await api.es.indices.refresh({ index: api.products });
  };
  const bestPrice = async (q: string) =>
    (await api.get(`/v1/products/best-price?q=${encodeURIComponent(q)}`)).body;

  describe('with two sources of one key', () => {
    const products = [
      { name: 'Delmora Electric Kettle DK-17', brand: 'Delmora', usual: 35.9, asked: 179.5 },
      { name: 'Auralis Wireless Headphones AX-31', brand: 'Auralis', usual: 89, asked: 640 },
      { name: 'Kestrel Cordless Drill KT-52', brand: 'Kestrel', usual: 799, asked: 79.9 },
    ];
    const cases = products.flatMap(({ name, ...product }, at) =>
      [1, 2, 3].map((honest) => ({ ...product, name: `${name}${honest}0`, honest, key: `p${at}h${honest}` })),
    );

    before(async () => {
      for (const { key, name, brand, usual, asked, honest } of cases) {
        await api.load(
          Array.from({ length: honest }, (_, n) =>
            record({ sku: `${key}-${n}`, source: `honest_${n}`, name, brand, price: (usual + n).toFixed(2) }),
          ),
        );
        await writeAs(
          'pair',
          ['pair_a', 'pair_b'].map((source, n) =>
            record({ sku: `${key}-${source}`, source, name, brand, price: (asked + n).toFixed(2) }),
          ),
        );
      }
    });

    for (const when of ['unlinked', 'linked'] as const)
      it(`no honest price is discredited while the catalogue is ${when}`, async () => {
        if (when === 'linked') await linkAll();
        for (const { key, name, usual, asked, honest } of cases) {
          // Without links, the price of an unusually cheap offer is compared only with those of placeholders.
          if (when === 'unlinked' && asked < usual) continue;
          const { sku } = await bestPrice(name);
          // Two shops do not show which of their prices is wrong, so the lower one wins.
          const expected = honest === 1 && asked < usual ? `${key}-pair_a` : `${key}-0`;
          assert.equal(sku, expected, `${name}, ${honest} honest`);
          const { body } = await api.get(`/v1/products/${await api.id(`${key}-0`)}/offers?include=flags`);
          const flagsOf = Object.fromEntries(
            (body.offers as { sku: string; flags: string[] }[]).map((offer) => [
              offer.sku,
              offer.flags.filter((flag) => flag.startsWith('price_')),
            ]),
          );
          if (when === 'unlinked') continue;
          const wrong = honest === 1 ? ['price_disputed'] : ['price_outlier'];
          assert.deepEqual(flagsOf[`${key}-pair_a`], wrong, name);
          assert.deepEqual(flagsOf[`${key}-0`], honest === 1 ? ['price_disputed'] : [], name);
        }
      });
  });
});
