// Chaos only (kills, sampled, 2 min): it links from beginning to end, and kills the command at every point.
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';
import { main as ingest } from '../../scripts/ingest.js';
import { main as link } from '../../scripts/link.js';
import { productsIndex } from '../../src/engine/indices.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { withdrawListings } from '../../src/usecases/ingest/withdraw.js';
import { flagListings } from '../../src/usecases/quality/flag-listings.js';
import { parseRates } from '../../src/products/read-rates.js';
import { mappingsOf } from '../support/earlier-schema.js';
import { type Api, startApi } from '../support/api.js';
import { LOAD_ONLY, ends, run, startCommand } from '../support/command.js';
import { startGate } from '../support/gate.js';
import { record, withoutChanges } from '../support/listings.js';
import { elasticsearchUrl } from '../support/services.js';
import { isChaos, keepSome, sampled } from '../support/chaos.js';

const MODELS = ['WH-1000XM5', 'WH-CH720N', 'WF-C700N'] as const;
const WORDINGS = [
  (model: string) => `Sony ${model} Wireless Headphones`,
  (model: string) => `[Local Warranty] Sony ${model} Headphones Wireless READY STOCK`,
  (model: string) => `SONY Wireless Headphones ${model.replaceAll('-', '')}`,
];

/** Creates a listing of each model in each of the shops. */
const headphones = (models: readonly string[], shops: readonly string[]) =>
  models.flatMap((model) =>
    shops.map((shop, at) => {
      const name = WORDINGS[at % WORDINGS.length]?.(model) ?? model;
      return record({ sku: `${model}-${shop}`, source: shop, name, brand: 'Sony', price: '199.00' });
    }),
  );
const SHOPS = ['shop_a', 'shop_b', 'shop_c', 'shop_d'];

/** The number of loads with subsequent linking. The last load contains nothing new. */
const LOADS = isChaos ? 10 : 4;
const MANY_SHOPS = Array.from({ length: LOADS + 2 }, (_, at) => SHOPS[at] ?? `shop_${at}`);
/** The loads after which all listings are compared again. */
const LINKED_ANEW = isChaos ? [3, 6, 10] : [2, 4];

describe('npm run link', function () {
  this.timeout(300_000);
  let apis: Api[] = [];

  const catalogue = async (records: unknown[]): Promise<Api> => {
    const api = await startApi();
    apis.push(api);
    await api.load(records);
    return api;
  };

  afterEach(async () => {
    await Promise.all(apis.map((api) => api.stop()));
    apis = [];
  });

  const linked = async ({ prefix }: Api, args: string[] = [], url = elasticsearchUrl) => {
    const outcome = await run(link, args, { env: { INDEX_PREFIX: prefix, ELASTICSEARCH_URL: url } });
    assert.strictEqual(outcome.code, 0, outcome.err);
    return outcome.out;
  };

  const stored = async ({ es, products }: Api): Promise<StoredListing[]> => {
    await es.indices.refresh({ index: products });
    const { hits } = await es.search<StoredListing>({ index: products, size: 1_000, sort: [{ id: 'asc' }] });
    return hits.hits.flatMap(({ _source }) => _source ?? []);
  };

  /** Returns the group of each listing by its SKU. */
  const groups = async (api: Api): Promise<Record<string, number | undefined>> =>
    Object.fromEntries((await stored(api)).map(({ sku, internal }) => [sku, internal.group_id]));

  const decide = (file: string, rows: string[]) =>
    writeFile(file, ['a_source,a_sku,b_source,b_sku,decision', ...rows].join('\n'));

  it('reports a change of group for a listing that returns to the product whose id is its own', async () => {
    const offers = headphones(MODELS.slice(0, 1), SHOPS.slice(0, 3));
    const api = await catalogue(offers);
    await linked(api);
    const [founder] = (await stored(api)).filter(({ id, internal }) => internal.group_id === id);
    assert(founder);
    const { source, sku } = founder;
    await withdrawListings({ es: api.es, indexPrefix: api.prefix, source, skus: [sku], now: new Date() });
    await api.load(offers.filter((offer) => offer.sku === sku));
    await linked(api);
    const back = (await stored(api)).find(({ id }) => id === founder.id);
    assert.equal(back?.internal.group_id, founder.id);
    assert.deepEqual(back?.internal.changes?.last, ['group']);
  });

  it('keeps the ids of groups over loads and links, and changes nothing else of a listing', async () => {
    const api = await catalogue(headphones(MODELS.slice(0, 2), SHOPS.slice(0, 3)));
    const before = await stored(api);
    assert.deepEqual(
      before.map(({ id, internal }) => [internal.group_id, internal.linked_at, id === internal.group_id]),
      before.map(({ id }) => [id, null, true]),
    );
    await linked(api);
    const after = await stored(api);
    const first = await groups(api);
    assert.strictEqual(new Set(Object.values(first)).size, 2);
    const linkless = (listing: StoredListing) => ({
      ...listing,
      internal: { ...withoutChanges(listing).internal, group_id: 0, product_key: 0, linked_at: null },
    });
    assert.strictEqual(JSON.stringify(after.map(linkless)), JSON.stringify(before.map(linkless)));
    assert.isTrue(after.every(({ internal }) => typeof internal.linked_at === 'string'));
    let known: Record<string, number | undefined> = first;
    for (let round = 1; round <= LOADS; round += 1) {
      const stdin = JSON.stringify(headphones(MODELS, MANY_SHOPS.slice(0, 3 + round)));
      const args = ['--link', ...LOAD_ONLY, '-'];
      await ends(run(ingest, args, { env: { INDEX_PREFIX: api.prefix }, stdin }), 0, {
        out: round < LOADS ? /[1-9] {2}listings to link/ : / 0 {2}listings to link/,
      });
      if (LINKED_ANEW.includes(round)) await linked(api, ['--all', '--no-quality']);
      const now = await groups(api);
      assert.include(now, known, `after load ${round}`);
      known = now;
    }
    assert.strictEqual(new Set(Object.values(known)).size, MODELS.length);
  });

  it('has prices judged by the groups that it has formed', async () => {
    const prices = ['199.00', '205.00', '198.00', '2.50'];
    const records = headphones(MODELS.slice(0, 1), SHOPS).map((one, at) => ({ ...one, price: prices[at] }));
    const api = await catalogue(records);
    const flagged = async () =>
      (await stored(api)).filter(({ internal }) => internal.flags?.includes('price_placeholder')).length;
    await linked(api, ['--no-quality']);
    assert.strictEqual(await flagged(), 0);
    assert.notInclude(await linked(api, ['--all']), 'quality:', 'no group has changed');
    const fresh = await catalogue(records);
    assert.match(await linked(fresh), /1 price_placeholder/);
  });

  it('updates the flags of changed groups only, with the same result as an update of all flags', async () => {
    const prices = ['199.00', '205.00', '198.00', '2.50'];
    const records = headphones(MODELS.slice(0, 2), SHOPS).map((one, at) => ({
      ...one,
      price: prices[at % 4],
    }));
    const api = await catalogue(records);
    await linked(api, ['--no-quality']);
    const [late] = headphones(MODELS.slice(0, 1), ['shop_x']);
    const stdin = JSON.stringify([{ ...late, price: '201.00' }]);
    await ends(run(ingest, ['--link', ...LOAD_ONLY, '-'], { env: { INDEX_PREFIX: api.prefix }, stdin }), 0);
    const flagged = async () =>
      (await stored(api)).flatMap(({ sku, internal }) =>
        internal.flags?.includes('price_placeholder') ? [sku] : [],
      );
    const { group_id: group } = (await stored(api)).find(({ sku }) => sku === late?.sku)?.internal ?? {};
    const options = {
      es: api.es,
      products: api.products,
      rates: parseRates({ base: 'USD', date: '2026-01-31', rates: { SGD: '1.25' } }),
    };
    await flagListings({ ...options, groups: [group ?? 0] });
    assert.lengthOf(await flagged(), 1, 'the other product is not checked');
    const { changed } = await flagListings(options);
    assert.strictEqual(changed, 1, 'only the other product is left');
    assert.lengthOf(await flagged(), 2);
  });

  it('asks of a load only for what it brought', async () => {
    const api = await catalogue(headphones(MODELS, SHOPS.slice(0, 3)));
    await linked(api);
    const gate = await startGate(elasticsearchUrl);
    const asked: string[] = [];
    gate.watch(({ line, body, answer }) => {
      if (answer === undefined && line.endsWith('/_msearch')) asked.push(body);
    });
    const env = { INDEX_PREFIX: api.prefix, ELASTICSEARCH_URL: gate.url };
    const [fresh] = headphones(['WH-1000XM5'], ['shop_x']);
    const stdin = JSON.stringify([...headphones(MODELS, SHOPS.slice(0, 3)), fresh]);
    const { out } = await run(ingest, ['--link', '-'], { env, stdin });
    await gate.close();
    assert.match(out, / 1 {2}listings to link/);
    assert.lengthOf(asked, 1, 'one request for one listing');
    assert.lengthOf(
      asked[0]?.trim().split('\n') ?? [],
      2,
      'the header and the body of the search for its candidates',
    );
    const found = await groups(api);
    assert.strictEqual(found['WH-1000XM5-shop_x'], found['WH-1000XM5-shop_a']);
  });

  it('takes a listing that says something else out of its group', async () => {
    const api = await catalogue(headphones(MODELS, SHOPS.slice(0, 3)));
    await linked(api);
    const before = await groups(api);
    const [changed] = headphones(['WF-C700N'], ['shop_b']);
    await api.load([{ ...changed, sku: 'WH-1000XM5-shop_b' }]);
    await linked(api);
    const after = await groups(api);
    assert.strictEqual(after['WH-1000XM5-shop_b'], before['WF-C700N-shop_b']);
    assert.include(after, { 'WH-1000XM5-shop_a': before['WH-1000XM5-shop_a'] });
  });

  it('obeys what people decided, at once and ever after', async () => {
    const api = await catalogue(headphones(MODELS, SHOPS.slice(0, 3)));
    await linked(api);
    const file = path.join(tmpdir(), `${api.prefix}-decisions.csv`);
    await decide(file, [
      'shop_a,WH-1000XM5-shop_a,shop_b,WH-1000XM5-shop_b,different',
      'shop_c,WH-CH720N-shop_c,shop_c,WF-C700N-shop_c,same',
      'shop_c,WH-CH720N-shop_c,nowhere,nothing,same',
    ]);
    const dry = await linked(api, ['--decisions', file, '--dry-run']);
    assert.match(dry, /[1-9] {2}listings would change their group/);
    const untouched = await groups(api);
    assert.strictEqual(untouched['WH-1000XM5-shop_a'], untouched['WH-1000XM5-shop_b']);
    const out = await linked(api, ['--decisions', file]);
    assert.match(
      out,
      / 2 {2}decisions obeyed\n +1 {2}decisions about listings that are not in the catalogue/,
    );
    for (const again of [[], ['--all'], ['--since', '1h']]) {
      const found = await groups(api);
      assert.notStrictEqual(found['WH-1000XM5-shop_a'], found['WH-1000XM5-shop_b']);
      assert.strictEqual(found['WH-CH720N-shop_c'], found['WF-C700N-shop_c']);
      await linked(api, again);
    }
    await decide(file, ['shop_b,WH-1000XM5-shop_b,shop_a,WH-1000XM5-shop_a,same']);
    await linked(api, ['--decisions', file]);
    const found = await groups(api);
    assert.strictEqual(found['WH-1000XM5-shop_a'], found['WH-1000XM5-shop_b'], 'the later decision counts');
    await decide(file, ['shop_a,WH-1000XM5-shop_a,shop_b,WH-1000XM5-shop_b,maybe', 'a,b,a,b,same']);
    await ends(run(link, ['--decisions', file], { env: { INDEX_PREFIX: api.prefix } }), 1, {
      err: /a decision is same or different.*maybe/s,
    });
  });

  it('ends in the same groups wherever it is killed and run again', async () => {
    const records = headphones([...MODELS, 'WH-XB910N', 'WF-1000XM4', 'ULT WEAR'], SHOPS);
    const [untouched, killed] = [await catalogue(records), await catalogue(records)];
    await linked(untouched);
    const expected = await groups(untouched);
    const gate = await startGate(elasticsearchUrl);
    const env = { INDEX_PREFIX: killed.prefix, ELASTICSEARCH_URL: gate.url };
    const points = [
      { line: `/${killed.prefix}-links/_bulk`, says: '"pairs"', answered: false },
      { line: `/${killed.prefix}-links/_bulk`, says: '"pairs"', answered: true },
      { line: `/${killed.prefix}-links/_bulk`, says: '"planned_by"', answered: true },
      { line: `/${killed.products}/_bulk`, says: '"group_id"', answered: false },
      { line: `/${killed.products}/_bulk`, says: '"group_id"', answered: true },
    ];
    for (const { line, says, answered } of sampled(points, 2)) {
      const { child, ended } = startCommand('scripts/link.ts', [], env);
      gate.watch(async (passing) => {
        if (!passing.line.endsWith(line) || !passing.body.includes(says)) return;
        if ((passing.answer !== undefined) !== answered) return;
        child.kill('SIGKILL');
        await ended;
        throw new Error('nobody is there any more, so nothing goes on');
      });
      assert.strictEqual((await ended).signal, 'SIGKILL', `${line} ${says}`);
    }
    gate.watch(() => undefined);
    assert.match(await linked(killed, [], gate.url), /going on with it/);
    await gate.close();
    assert.deepEqual(await groups(killed), expected);
    assert.isTrue((await stored(killed)).every(({ internal }) => typeof internal.linked_at === 'string'));
  });

  it('works alone, and on an index that has groups', async () => {
    const api = await catalogue(headphones(MODELS, SHOPS));
    const gate = await startGate(elasticsearchUrl);
    const others: { code: number; err: string }[] = [];
    gate.watch(async ({ line, answer }) => {
      if (!line.endsWith('/_msearch') || answer === undefined || others.length > 0) return;
      const { code, err } = await run(link, [], { env: { INDEX_PREFIX: api.prefix } });
      others.push({ code, err });
    });
    await linked(api, [], gate.url);
    await gate.close();
    assert.strictEqual(others[0]?.code, 1);
    assert.match(others[0]?.err ?? '', /Another link is at work/);
    const old = `${api.prefix}-old`;
    await api.es.indices.create({
      index: `${old}-products-v1`,
      mappings: mappingsOf(3),
      settings: productsIndex.settings,
      aliases: { [`${old}-products`]: {} },
    });
    await ends(run(link, [], { env: { INDEX_PREFIX: old } }), 1, { err: /npm run reindex/ });
  });

  keepSome(this, 4);
});
