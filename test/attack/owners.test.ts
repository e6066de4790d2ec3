// Chaos too (oracles, 20 min): npm test lists a few products sixty times, npm run test:chaos fifty products a thousand times.
import { assert } from 'chai';
import { main as brands } from '../../scripts/brands.js';
import { main as learn } from '../../scripts/learn.js';
import { main as link } from '../../scripts/link.js';
import { main as quality } from '../../scripts/quality.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { ends, run } from '../support/command.js';
import { isBrief, isChaos, oracle } from '../support/chaos.js';
import { pluck, record, skus } from '../support/listings.js';

/** How often each of how many products is listed. In `npm run test:chaos`, more products are listed more often. */
const [COUNTS, PRODUCTS] = isChaos && !isBrief ? [[10, 60, 250, 1_000], 50] : [[10, 60], 4];

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

  describe('with baits that are in no group of the others', () => {
    const [drill, lamp] = ['Brightwell Cordless Drill BT-6300 Black', 'Lumora Desk Lamp LD-840 White'];
    const bait = (sku: string, name: string, price: string) =>
      record({ sku, source: 'bait', name, brand: name.split(' ', 1)[0], price });

    before(async () => {
      for (const [at, name] of [drill, lamp].entries())
        await api.load(
          [0, 1, 2].map((n) => ({ ...bait(`${at}-${n}`, name, `${120 + n}.00`), source: `shop_${n}` })),
        );
      await writeAs('bait', [
        bait('green-drill', drill.replace('Black', 'Green'), '19.00'),
        bait('pink-drill', drill.replace('Black', 'Pink'), '21.00'),
        bait('two-lamps', `${lamp} 2-Pack`, '12.90'),
        bait('green-lamp', lamp.replace('White', 'Green'), '29.00'),
      ]);
    });

    for (const when of ['unlinked', 'linked'] as const)
      it(`keeps the best price of the others while the catalogue is ${when}`, async () => {
        if (when === 'linked') await linkAll();
        assert.equal((await bestPrice('Brightwell BT-6300')).sku, '0-0');
        assert.equal((await bestPrice('Lumora Desk Lamp LD-840')).sku, '1-0');
      });
  });

  describe('with the names, numbers and pages of others', () => {
    const name = 'Zorvane Wireless Headphones ZH-4417';
    const listing = (sku: string, source: string, of: string, price: string) =>
      record({
        sku,
        source,
        name: of,
        brand: null,
        price,
        buy_url: `https://${source}.example/${encodeURIComponent(sku)}`,
      });
    const found = async (q: string) => (await bestPrice(q)).sku as string;

    before(async () => {
      await api.load([
        listing('z-0', 'shop_0', name, '100.00'),
        listing('z-1', 'shop_1', `${name} black`, '104.00'),
        listing('z-2', 'shop_2', 'Zorvane ZH-4417 Headphones', '108.00'),
      ]);
      await writeAs('squatter', [
        ...[name, 'ZH-4417', 'headphones'].map((sku) =>
          listing(sku, 'squatter', 'Rubber duck yellow', '50.00'),
        ),
        {
          ...listing('page', 'squatter', 'Rubber duck green', '3.00'),
          buy_url: 'https://shop_0.example/z-0',
        },
      ]);
    });

    it('gives no name and no model number of theirs to an SKU', async () => {
      for (const q of [name, 'ZH-4417', 'zorvane headphones']) assert.equal(await found(q), 'z-0', q);
      for (const q of [name, 'headphones']) {
        const { body } = await api.get(`/v1/search?q=${encodeURIComponent(q)}&limit=3`);
        assert.notIncludeMembers(skus(body), [q], 'the SKU of the squatter');
      }
    });

    it('gives no page of theirs to a listing that states its address', async () => {
      const stolen = (n: number) => record({ sku: `old-${n}`, source: 'squatter', name: 'Rubber duck' });
      const numbers = Array.from({ length: 8 }, (_, n) => n);
      const stating = (url: string) =>
        writeAs(
          'squatter',
          numbers.map((n) => ({ ...stolen(n), buy_url: url })),
        );
      await stating('https://squatter.example/1');
      await api.load([listing('new', 'shop_0', 'Kestrel Lamp KL-9', '40.00')]);
      // Nor to a listing that is older than the page.
      await stating('https://shop_0.example/new');
      assert.equal(await found('https://shop_0.example/new'), 'new');
      assert.equal(await found('https://shop_0.example/z-0'), 'z-0');
    });

    it('warns of a price below half of the usual one before the catalogue is linked', async () => {
      await writeAs('squatter', [listing('bait', 'squatter', name, '49.00')]);
      const q = encodeURIComponent(name);
      const { body } = await api.get(`/v1/products/best-price?q=${q}&include=flags,seen_at&limit=2`);
      const flags = (body.items as { sku: string; flags: string[] }[]).map((item) => [
        item.sku,
        item.flags.includes('price_low'),
      ]);
      assert.deepEqual(flags, [
        ['bait', true],
        ['z-0', false],
      ]);
      const { offers } = (await api.get(`/v1/products/${await api.id('z-0')}/offers?include=flags`)).body;
      const low = (offers as { sku: string; flags: string[] }[]).filter(({ flags: all }) =>
        all.includes('price_low'),
      );
      assert.deepEqual(pluck(low, 'sku'), ['bait']);
    });
  });

  describe('with the GTIN of others', () => {
    const [gtin, pair] = ['4006381333931', '5901234123457'];
    const named = (sku: string, source: string, name: string, price: string, code = gtin) =>
      record({ sku, source, name, brand: null, price, gtin: [code] });

    it('are not the best price of this GTIN once the catalogue is linked', async () => {
      const name = 'Zorbax Espresso Machine ZE-410';
      await api.load([
        named('ze-0', 'shop_0', name, '100.00'),
        named('ze-1', 'shop_1', `${name} black`, '103.00'),
        named('pair-0', 'shop_0', 'Quillon Cordless Vacuum QV-88', '101.00', pair),
      ]);
      await writeAs('gtins', [
        named('hose', 'gtins', 'Garden hose connector brass', '50.00'),
        named('boat', 'gtins', 'Toy boat blue', '60.00', pair),
      ]);
      await linkAll();
      assert.equal((await bestPrice(gtin)).sku, 'ze-0');
      // A new offer counts at once, and two shops do not show which of them is wrong.
      await api.load([named('ze-2', 'shop_2', name, '95.00')]);
      assert.equal((await bestPrice(gtin)).sku, 'ze-2');
      assert.equal((await bestPrice(pair)).sku, 'boat');
      // A third one does, before it is linked.
      await api.load([named('pair-1', 'shop_1', 'Quillon Cordless Vacuum QV-88 red', '120.00', pair)]);
      assert.equal((await bestPrice(pair)).sku, 'pair-0');
    });
  });

  describe('that are told apart only by attributes and merchants', () => {
    it('rank below those of others', async () => {
      const name = 'Ferwick Garden Hose';
      const listing = (sku: string, source: string, more: object = {}) =>
        record({ sku, source, name, brand: null, price: '20.00', ...more });
      await api.load([
        listing('hose-0', 'hose_0', { name: `${name} green 25 m with nozzle` }),
        listing('hose-1', 'hose_1', { name: 'Garden Hose by Ferwick, blue, 15 m' }),
      ]);
      const numbers = Array.from({ length: 30 }, (_, n) => n);
      await writeAs('hoses', [
        ...numbers.map((n) => listing(`lot-${n}`, 'hoses', { metadata: { lot: `lot ${n}` } })),
        ...numbers.map((n) => listing(`merchant-${n}`, 'hoses', { merchant_id: `m${n}` })),
      ]);
      await ends(run(quality, [], { env: { INDEX_PREFIX: api.prefix } }), 0);
      await api.es.indices.refresh({ index: api.products });
      const { body } = await api.get(`/v1/search?q=${encodeURIComponent(name)}&limit=3`);
      assert.includeMembers(skus(body), ['hose-0', 'hose-1'], skus(body).join());
    });
  });

  describe('that are each like one of two others', () => {
    const names = ['Talgan Cordless Drill AT-2279', 'Cordless Drill Talgan AT-2279 18 V with case'];
    const cheapest = 'Talgan AT2279 18 V with case';

    it('keep these in one group', async () => {
      await api.load(
        [...names, cheapest].map((of, n) =>
          record({ sku: `t-${n}`, source: `shop_${n}`, name: of, brand: 'Talgan', price: `${140 - n}.00` }),
        ),
      );
      const mimics = ['finvaren', 'tumiwex', 'shibrutu', 'lorendor', 'dortuzo', 'kaquiqui'].map((word, n) =>
        record({
          sku: `mimic-${n}`,
          source: 'mimic',
          name: `${n % 2 === 0 ? names[1] : cheapest} ${word}`,
          brand: 'Talgan',
          price: `${150 + n}.00`,
        }),
      );
      await writeAs('mimic', mimics);
      await linkAll();
      for (const name of names) assert.equal((await bestPrice(name)).sku, 't-2', name);
    });
  });

  describe('that connect two products', () => {
    const [drill, saw] = ['Brightwell Cordless Drill BT-5200', 'Brightwell Cordless Drill BT-7700'];
    const [gtinOfDrill, gtinOfSaw] = ['4006381333931', '5901234123457'];
    const hostile = [
      { sku: 'name-of-other', name: saw, gtin: gtinOfDrill, price: '310.00' },
      { sku: 'both-names', name: `${drill} and BT-7700`, gtin: gtinOfDrill, price: '320.00' },
    ];

    before(async () => {
      const shops = (name: string, gtin: string, price: number) =>
        ['shop_0', 'shop_1'].map((source, n) =>
          record({ sku: `${gtin}-${n}`, source, name, brand: 'Brightwell', gtin, price: `${price + n}.00` }),
        );
      await api.load([...shops(drill, gtinOfDrill, 100), ...shops(saw, gtinOfSaw, 300)]);
      await writeAs(
        'connector',
        hostile.map((one) => record({ ...one, source: 'connector', brand: 'Brightwell' })),
      );
      await linkAll();
    });

    it('give no product the price of the other one', async () => {
      assert.equal((await bestPrice(saw)).sku, `${gtinOfSaw}-0`);
      assert.equal((await bestPrice(drill)).sku, `${gtinOfDrill}-0`);
    });
  });

  describe('that teach brands', () => {
    it('as two sources of one key refute no maker on which others agree', async () => {
      const kinds = [
        'kettle',
        'toaster',
        'blender',
        'iron',
        'lamp',
        'scale',
        'mixer',
        'radio',
        'fan',
        'grill',
      ];
      const listings = (source: string, brand: string, count: number) =>
        Array.from({ length: count }, (_, n) => {
          const name = `Vortalis ${kinds[n % kinds.length]} ${source} ${100 + n}`;
          return record({ sku: `${source}-${n}`, source, name, brand });
        });
      await api.load(['teacher_a', 'teacher_b'].flatMap((source) => listings(source, 'Vortalis', 20)));
      await writeAs(
        'liar',
        ['liar_a', 'liar_b'].flatMap((source) => listings(source, 'Wrongmark', 50)),
      );
      const env = { INDEX_PREFIX: api.prefix };
      await ends(run(learn, ['--brands'], { env }), 0);
      const { out } = await run(brands, ['list', 'vortalis', '--json'], { env });
      const { entries } = JSON.parse(out) as { entries: { maker: string }[] };
      assert.deepEqual(pluck(entries, 'maker'), ['Vortalis'], out);
    });
  });

  for (const count of COUNTS)
    describe(`with ${count} near-identical listings of a product`, function () {
      if (isChaos) this.timeout('40m');
      const { random } = oracle(54 + count, 1);
      const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)] as T;

      interface Sample {
        key: string;
        /** The name by which the product is sought, which the first shop and its clones state. */
        name: string;
        records: Record<string, unknown>[];
        clones: Record<string, unknown>[];
        /** Whether the clones are near-identical: a bare number may tell two products apart, but not many. */
        areAlike: boolean;
        /** The number of clones for which linking needs no candidates, because they are near-identical to another one. */
        repeated: number;
      }

      /** Creates a product of three shops, of which the cheapest words its name differently, and the clones of a fourth one. */
      function sample(key: string, clones: number, nth: number): Sample {
        const brand = pick(['Delmora', 'Auralis', 'Kestrel', 'Brightwell', 'Sonvara']);
        const [kind, extra] = pick([
          ['Electric Kettle', '1.7 L black'],
          ['Wireless Headphones', 'black over-ear'],
          ['Cordless Drill', '18 V with case'],
          ['Coffee Grinder', 'steel 150 W'],
        ] as const);
        const letters = `${pick([...'ABCDEFGHJ'])}${pick([...'KLMNPQRST'])}`;
        const digits = String(1_000 + Math.floor(random() * 9_000));
        const price = 20 + Math.floor(random() * 400);
        const name = `${brand} ${kind} ${letters}-${digits}`;
        const shop = (n: number, named: string, more: number) =>
          record({
            sku: `${key}-${n}`,
            source: `shop_${n}`,
            name: named,
            brand,
            price: `${price + more}.00`,
          });
        const cloned = [
          () => name,
          (n: number) => `${name} (${n})`,
          (n: number) => `${name} ${n}`,
          (n: number) => `${kind} ${brand} ${letters}-${digits} #${n}`,
        ];
        const at = nth % cloned.length;
        const nameOf = cloned[at] as (n: number) => string;
        return {
          key,
          name,
          areAlike: at !== 2 || clones > 20,
          repeated: at === 2 ? 0 : clones - 1,
          records: [
            shop(0, name, 9),
            shop(1, `${kind} ${brand} ${letters}-${digits} ${extra}`, 5),
            shop(2, `${brand} ${letters}${digits} ${extra}`, 0),
          ],
          clones: Array.from({ length: clones }, (_, n) =>
            record({
              sku: `${key}-clone-${n}`,
              source: 'shop_evil',
              name: nameOf(n),
              brand,
              price: (price + 7 + n / 100).toFixed(2),
            }),
          ),
        };
      }
      const samples = Array.from({ length: PRODUCTS }, (_, n) => sample(`c${count}p${n}`, count, n));
      const best = new Map<string, string>();
      const bestSkus = async () => {
        const found = new Map<string, string>();
        for (const { key, name } of samples) found.set(key, (await bestPrice(name)).sku);
        return found;
      };

      before(async () => {
        await api.load(samples.flatMap(({ records }) => records));
        for (const [key, sku] of await bestSkus()) best.set(key, sku);
        await api.load(samples.flatMap(({ clones }) => clones));
      });

      for (const when of ['unlinked', 'linked'] as const)
        it(`keeps the best price of the others while the catalogue is ${when}`, async () => {
          if (when === 'linked') {
            const { out } = await linkAll();
            const numberOf = (label: string) =>
              Number(new RegExp(`([\\d,]+)  ${label}`).exec(out)?.[1]?.replaceAll(',', ''));
            const repeated = samples.reduce((sum, one) => sum + one.repeated, 0);
            assert.isAtMost(numberOf('looked up'), numberOf('listings to link') - repeated, out);
          }
          assert.deepEqual(Object.fromEntries(await bestSkus()), Object.fromEntries(best));
          for (const { key } of samples) assert.equal(best.get(key), `${key}-2`);
        });

      it('takes the models of a line for no clones', async () => {
        const line = (of: (n: number) => string) => Array.from({ length: 8 }, (_, n) => of(n));
        const names = [
          ...line((n) => `Delmora Electric Kettle DK-${1_701 + n}`),
          ...line((n) => `Kestrel Wood Drill Bit ${n + 3}`),
          ...line((n) => `Auralis Cable USB-C 100W ${n + 1} m`),
        ];
        await api.load(names.map((name, n) => record({ sku: `line-${n}`, source: 'shop_line', name })));
        await ends(run(quality, [], { env: { INDEX_PREFIX: api.prefix } }), 0);
        await api.es.indices.refresh({ index: api.products });
        const query = {
          bool: { filter: [{ term: { source: 'shop_line' } }, { term: { 'internal.crowd': true } }] },
        };
        assert.equal((await api.es.count({ index: api.products, query })).count, 0);
      });

      it('ranks them below others, on every page in one order', async () => {
        await ends(run(quality, [], { env: { INDEX_PREFIX: api.prefix } }), 0);
        await api.es.indices.refresh({ index: api.products });
        for (const { key, name } of samples.filter(({ areAlike }) => areAlike).slice(0, 40)) {
          const q = encodeURIComponent(name);
          const first = (await api.get(`/v1/search?q=${q}&limit=5`)).body;
          const honest = skus(first).filter((sku) => /-[012]$/.test(sku) && sku.startsWith(`${key}-`));
          assert.isAtLeast(honest.length, 2, `${name}: ${skus(first).join()}`);
          const all = skus((await api.get(`/v1/search?q=${q}&limit=12`)).body);
          const pages = await Promise.all(
            [0, 4, 8].map((offset) => api.get(`/v1/search?q=${q}&limit=4&offset=${offset}`)),
          );
          assert.deepEqual(
            pages.flatMap(({ body }) => skus(body)),
            all,
          );
        }
      });
    });
});
