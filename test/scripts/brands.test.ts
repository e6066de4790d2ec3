import { expect } from 'chai';
import { main as brands } from '../../scripts/brands.js';
import { main as ingest } from '../../scripts/ingest.js';
import { main as learn } from '../../scripts/learn.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { type Api, startApi } from '../support/api.js';
import { run } from '../support/command.js';
import { record } from '../support/listings.js';

const KINDS = ['kettle', 'toaster', 'blender', 'iron', 'lamp', 'scale', 'mixer', 'radio', 'fan', 'grill'];

/** Listings of 40 products from two shops that state the brand; `UNSTATED` has listings without a brand. */
const STATED = ['Vortek', 'Brixalo', 'Ombrello', 'Quiet Harbor'].flatMap((brand) =>
  KINDS.map((kind, at) =>
    record({
      sku: `${brand}-${kind}`,
      source: `shop_${at % 2 === 0 ? 'a' : 'b'}`,
      name: `${brand} ${kind} ${at}00`,
      brand,
    }),
  ),
);
const UNSTATED = [
  record({ sku: 'u1', source: 'shop_c', name: 'VORTEK heater 7' }),
  record({ sku: 'u2', source: 'shop_c', name: 'Quiet Harbor heater 8' }),
  record({ sku: 'u3', source: 'shop_c', name: 'Heater for Vortek 9' }),
  record({ sku: 'u4', source: 'shop_c', name: 'Zephyra heater 10' }),
];

describe('npm run learn -- --brands and npm run brands', function () {
  let api: Api;
  before(async () => {
    api = await startApi();
    await api.load([...STATED, ...UNSTATED]);
  });
  after(() => api.stop());

  const called = async (main: typeof brands, ...args: string[]): Promise<string> => {
    const { code, out, err } = await run(main, args, { env: { INDEX_PREFIX: api.prefix } });
    expect(code, err).to.equal(0);
    return out;
  };
  /** Returns the inferred makers of the listings without a brand, by SKU. */
  const makers = async (): Promise<Record<string, string | null>> => {
    await api.es.indices.refresh({ index: api.products });
    const { hits } = await api.es.search<StoredListing>({
      index: api.products,
      query: { term: { source: 'shop_c' } },
      sort: [{ sku: 'asc' }],
    });
    return Object.fromEntries(
      hits.hits.flatMap(({ _source: listing }) =>
        listing === undefined ? [] : [[listing.sku, listing.internal.maker ?? null]],
      ),
    );
  };
  const updatedAt = async () => {
    const { body } = await api.get(`/v1/products/${await api.id('u1')}`);
    return body.updated_at as string;
  };
  const totalOf = async (brand: string): Promise<number> => {
    await api.es.indices.refresh({ index: api.products });
    return (await api.get(`/v1/search?brand=${encodeURIComponent(brand)}`)).body.total;
  };
  const LEARNED = { u1: 'Vortek', u2: 'Quiet Harbor', u3: null, u4: null };

  it('measures without storing, then infers the makers of listings without a brand', async () => {
    const before = await updatedAt();
    expect(await called(learn, '--brands', '--dry-run')).to.include('would be activated');
    expect(await makers()).to.deep.equal({ u1: null, u2: null, u3: null, u4: null });
    const { brands: report } = JSON.parse(await called(learn, '--brands', '--json'));
    expect(report).to.deep.include({ outcome: 'activated', version: 1 });
    expect(report.inferred).to.deep.equal({ listings: 4, inferred: 2, changed: 2, left: 0 });
    expect(await makers()).to.deep.equal(LEARNED);
    expect(await updatedAt()).to.equal(before);
    await api.es.updateByQuery({
      index: api.products,
      query: { term: { sku: 'u1' } },
      script: { source: 'ctx._source.internal.remove("maker")' },
      refresh: true,
    });
    expect(await called(learn, '--brands')).to.match(/not better, .* 1 were changed/);
    expect(await makers()).to.deep.equal(LEARNED);
    expect(await called(learn, '--status')).to.match(/^1 .*active$/m);
  });

  it('infers the maker of a listing when it is loaded, and forgets it when the feed states a brand', async () => {
    await api.load([record({ sku: 'u4', source: 'shop_c', name: 'Brixalo heater 10' })]);
    expect(await makers()).to.deep.include({ u4: 'Brixalo' });
    await api.load([
      record({ sku: 'u4', source: 'shop_c', name: 'Brixalo heater 10', brand: 'Zephyra', maker: 'Vortek' }),
    ]);
    expect(await makers()).to.deep.include({ u4: null });
    await api.load([UNSTATED[3]]);
    expect(await makers()).to.deep.equal(LEARNED);
  });

  it('includes inferred brands in filters, facets and the list of brands only while activated', async () => {
    expect(await totalOf('vortek')).to.equal(10);
    expect(await called(brands, 'activate')).to.match(
      /^brands: filters and facets by brand include inferred brands now\n.* 2 were changed$/m,
    );
    expect(await called(brands, 'activate')).to.match(/include inferred brands already\n.* 0 were changed$/m);
    expect(await totalOf('vortek')).to.equal(11);
    const { body } = await api.get('/v1/search?source=shop_c&facets=brand');
    expect(body.facets[0].values.map(({ value, count }: any) => [value, count])).to.deep.equal([
      ['Quiet Harbor', 1],
      ['Vortek', 1],
    ]);
    expect((await api.get('/v1/brands?q=vor')).body.items).to.deep.equal([{ brand: 'Vortek', listings: 11 }]);
    await api.load([record({ sku: 'u5', source: 'shop_c', name: 'Vortek fan 12' })]);
    expect(await totalOf('vortek')).to.equal(12);
    expect(body.items.map(({ brand }: any) => brand)).to.deep.equal([null, null, null, null]);
    await called(brands, 'deactivate');
    expect(await totalOf('vortek')).to.equal(10);
  });

  it('keeps what the operator adds and removes when it learns again', async () => {
    expect(await called(brands, 'remove', 'Vortek')).to.match(
      /^brands: removed: "vortek" \(Vortek\)\nbrands: /,
    );
    const add = () => called(brands, 'add', 'Zephyra Labs', '--words', 'zephyra');
    expect(await add()).to.match(/^brands: added: "zephyra" stands for the maker "Zephyra Labs"\nbrands: /);
    expect(await add()).to.match(
      /^brands: no change: "zephyra" stands for the maker "Zephyra Labs" already\n/,
    );
    expect(await called(brands, 'add', 'Zephyra')).to.match(
      /^brands: changed: "zephyra" stands for the maker "Zephyra"; it stood for "Zephyra Labs" \(added\)\n/,
    );
    await add();
    expect(await called(brands, 'remove', 'Nosuch')).to.match(
      /^brands: no entry has the words or the maker "nosuch"; it will not be learned either\n/,
    );
    const edited = { u1: null, u2: 'Quiet Harbor', u3: null, u4: 'Zephyra Labs', u5: null };
    expect(await makers()).to.deep.equal(edited);
    await api.load(
      KINDS.map((kind) =>
        record({ sku: `n-${kind}`, source: 'shop_a', name: `Nimbora ${kind}`, brand: 'Nimbora' }),
      ),
    );
    expect(await called(learn, '--brands')).to.include('dictionary 2');
    expect(await makers()).to.deep.equal(edited);
    const { entries, removed } = JSON.parse(await called(brands, 'list', '--json'));
    expect(removed).to.have.members(['vortek', 'nosuch']);
    expect(entries.map(({ maker }: any) => maker)).to.include.members(['Nimbora', 'Zephyra Labs']);
    expect(await called(brands, 'list', 'zeph')).to.match(/^zephyra +Zephyra Labs +added/m);
    await called(brands, 'add', 'Vortek');
    expect(await makers()).to.deep.include({ u1: 'Vortek' });
  });

  it('applies what the operator adds to stated brands, and takes it back', async () => {
    await api.load([record({ sku: 's1', source: 'shop_d', name: 'Kettle 71', brand: 'Brixalo Home' })]);
    const stated = async () => {
      const { body } = await api.get('/v1/products?source=shop_d&facets=brand&include=brand_inferred');
      return [body.items[0].brand, body.items[0].brand_inferred, body.facets[0].values[0].value];
    };
    expect(await totalOf('Brixalo')).to.equal(10);
    expect(await called(brands, 'add', 'Brixalo', '--words', 'brixalo home')).to.match(/ 1 were changed$/m);
    expect(await totalOf('Brixalo')).to.equal(11);
    expect((await stated()).slice(0, 2)).to.deep.equal(['Brixalo Home', null]);
    await api.load([record({ sku: 's2', source: 'shop_d', name: 'Kettle 72', brand: 'BRIXALO-HOME' })]);
    expect(await totalOf('Brixalo')).to.equal(12);
    expect(await called(brands, 'remove', 'brixalo home')).to.match(/ 2 were changed$/m);
    expect(await totalOf('Brixalo')).to.equal(10);
    expect(await totalOf('Brixalo Home')).to.equal(2);
  });

  it('states the active versions in explanations', async () => {
    const fresh = await startApi({ INDEX_PREFIX: api.prefix });
    try {
      const headers = { authorization: `Bearer ${await api.key()}` };
      const { body } = await fresh.open('/v1/search?q=vortek&explain=true', { headers });
      expect(body.explanation.learned).to.deep.equal({ brands: 2, matcher: null });
    } finally {
      await fresh.stop();
    }
  });

  it('rolls back to the dictionary before, and to none', async () => {
    expect(await called(learn, '--rollback')).to.include('Brand dictionary 1 is active');
    expect(await called(learn, '--rollback', '--brands')).to.include('No learned brand dictionary is active');
    expect(await makers()).to.deep.include({ u1: 'Vortek', u2: null, u4: 'Zephyra Labs' });
    expect(await called(learn, '--brands', '--use', '2')).to.include('Brand dictionary 2 is active');
    expect(await makers()).to.deep.include({ u2: 'Quiet Harbor' });
  });

  for (const [args, message] of [
    [['--use', '1'], '--use needs --brands or --matcher'],
    [['--brands', '--use', '7'], 'There is no brand dictionary 7.'],
    [['--status', '--rollback'], 'Choose one of'],
    [['--matcher', '--rollback'], 'No other matching model was active before.'],
  ] as const)
    it(`refuses npm run learn -- ${args.join(' ')}`, async () => {
      const { code, err } = await run(learn, [...args], { env: { INDEX_PREFIX: api.prefix } });
      expect(code).to.not.equal(0);
      expect(err).to.include(message);
    });

  for (const args of [
    ['add'],
    ['add', '  '],
    ['remove', '!!'],
    ['add', 'x'.repeat(101)],
    ['add', 'one two three four five'],
  ])
    it(`refuses npm run brands -- ${args.join(' ').slice(0, 20)}`, async () => {
      const { code } = await run(brands, args, { env: { INDEX_PREFIX: api.prefix } });
      expect(code).to.not.equal(0);
    });
});

describe('npm run ingest', function () {
  it('learns the brand dictionary after a load, unless --no-brands is given', async () => {
    const api = await startApi();
    try {
      const load = (records: unknown[], ...args: string[]) =>
        run(ingest, ['-', '--no-suggest', '--no-quality', ...args], {
          env: { INDEX_PREFIX: api.prefix },
          stdin: records.map((one) => JSON.stringify(one)).join('\n'),
        });
      expect((await load(STATED, '--no-brands')).out).to.not.include('brands:');
      expect((await load(UNSTATED.slice(0, 1))).out).to.include('dictionary 1');
      expect((await load(UNSTATED.slice(1))).out, 'the catalogue has hardly grown').to.not.include('brands:');
      const { body } = await api.get('/v1/search?source=shop_c&q=heater');
      expect(body.total).to.equal(4);
    } finally {
      await api.stop();
    }
  });
});
