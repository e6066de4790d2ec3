// Chaos only (engines, 3 min): it starts an engine of its own.
import { Readable } from 'node:stream';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { generationName, productsAlias, productsIndex } from '../../src/engine/indices.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { readConfig } from '../../src/platform/config/config.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { generateCatalogue } from '../../tools/sample-catalogue/catalogue.js';
import { type LocalCluster, startLocalCluster } from '../../tools/local-services/index.js';
import { type Api, startApi } from '../support/api.js';
import { run } from '../support/command.js';
import { recipe, wordsOf } from '../support/recipes.js';
import { until } from '../support/until.js';

const LISTINGS = 300;
const SHARDS = { whole: 1, parted: 3 } as const;
type Kind = keyof typeof SHARDS;

/**
 * Compares the responses for a catalogue in one shard with those for the same catalogue in three shards with
 * a copy each, on three nodes.
 */
describe('a catalogue in several shards', function () {
  this.timeout(600_000);
  let cluster: LocalCluster;
  let es: Client;
  const apis = {} as Record<Kind, Api>;

  before(async () => {
    cluster = await startLocalCluster(3, { log: console.log });
    const elasticsearch = { nodes: cluster.urls, auth: null, caFile: null };
    es = createElasticsearch(elasticsearch, { requestTimeout: 30_000, maxRetries: 4 });
    const now = new Date();
    const sample = [
      ...generateCatalogue({ seed: 3, listings: LISTINGS, now, imageBaseUrl: 'http://localhost/images' }),
    ];
    for (const [kind, shards] of Object.entries(SHARDS) as [Kind, number][]) {
      const api = await startApi({ ELASTICSEARCH_URL: cluster.urls.join(',') }, [], readConfig);
      apis[kind] = api;
      const index = generationName(productsAlias(api.prefix), 1);
      await es.indices.delete({ index });
      await es.indices.create({
        index,
        settings: {
          ...productsIndex.settings,
          index: { ...productsIndex.settings.index, number_of_shards: shards },
        },
        mappings: productsIndex.mappings,
        aliases: { [productsAlias(api.prefix)]: { is_write_index: true } },
      });
      const records = readFeed(Readable.from(sample.map((listing) => `${JSON.stringify(listing)}\n`)));
      await loadRecords({ es, indexPrefix: api.prefix, records });
      const env = { ELASTICSEARCH_URL: cluster.urls.join(','), INDEX_PREFIX: api.prefix };
      const { code, err } = await run(link, [], { env });
      assert.strictEqual(code, 0, err);
    }
    await until(isGreen);
  });
  after(async () => {
    await Promise.all(Object.values(apis).map((api) => api.stop()));
    await es.close();
    await cluster.stop();
  });

  async function isGreen(): Promise<boolean> {
    const wanted = { wait_for_status: 'green', timeout: '10s' } as const;
    return !(await es.cluster.health(wanted, { ignore: [408] })).timed_out;
  }

  const stored = async (kind: Kind): Promise<StoredListing[]> => {
    const index = productsAlias(apis[kind].prefix);
    const { hits } = await es.search<StoredListing>({ index, size: 10_000, sort: [{ id: 'asc' }] });
    return hits.hits.flatMap(({ _source }) => _source ?? []);
  };

  /** Removes the times from a response, because the two catalogues were loaded at different times. */
  const told = (text: string): unknown =>
    JSON.parse(text, (name, value: unknown) =>
      name === 'updated_at' || name === 'linked_at' ? null : value,
    );

  const both = async (path: string) => {
    const [whole, parted] = await Promise.all([apis.whole.get(path), apis.parted.get(path)]);
    assert.deepEqual([whole.status, parted.status], [200, 200], `${path}: ${whole.text}, ${parted.text}`);
    return [told(whole.text), told(parted.text)] as const;
  };

  it('has all of its shards filled, on several nodes', async () => {
    const shards = await es.cat.shards({ index: productsAlias(apis.parted.prefix), format: 'json' });
    assert.lengthOf(shards, 2 * SHARDS.parted);
    for (const { docs } of shards) assert.isAbove(Number(docs), LISTINGS / 10);
    assert.isAtLeast(new Set(shards.map(({ node }) => node)).size, 2);
  });

  it('is linked to the same groups', async () => {
    const groups = async (kind: Kind) =>
      (await stored(kind)).map(({ id, internal }) => [id, internal.group_id] as const);
    const [whole, parted] = [await groups('whole'), await groups('parted')];
    assert.lengthOf(whole, LISTINGS);
    assert.deepEqual(parted, whole);
  });

  const paths = (id: number): string[] => [
    '/v1/search?sort=price_asc&limit=100',
    '/v1/search?sort=newest&limit=100&offset=300',
    '/v1/search?sort=rating&limit=50&facets=brand,category,source,currency,availability,rating,price,attributes',
    '/v1/search?sort=price_desc&brand=sonvara&facets=brand,source,attr.colour&limit=50',
    '/v1/search?sort=price_asc&group=product&limit=100',
    '/v1/search?sort=rating&group=product&limit=100&offset=150',
    '/v1/search?sort=price_desc&group=product&limit=60&q=wireless+headphones&match=all&facets=source',
    '/v1/deals?limit=100',
    '/v1/deals?group=product&limit=50&min_discount_pct=1&out_of_stock=last',
    '/v1/categories?include=prices',
    '/v1/products/trending?basis=movement',
    '/v1/quality',
    `/v1/products/${id}/offers`,
    `/v1/products/compare?product_id=${id}&include_same_source=true`,
    '/v1/products/export?limit=10000',
  ];

  it('gives the same answers, facets, groups and counts of groups', async () => {
    const [{ id = 0 } = {}] = (await stored('whole')).filter(
      ({ internal }) => internal.group_id !== undefined,
    );
    for (const path of paths(id)) {
      const [whole, parted] = await both(path);
      assert.deepEqual(parted, whole, path);
    }
  });

  it('returns each listing once when paged by cursor', async () => {
    for (const query of ['sort=price_asc', 'sort=newest&source=shopee_sg', 'q=case&match=all&sort=rating']) {
      const walked = async (api: Api): Promise<number[]> => {
        const ids: number[] = [];
        for (let cursor: string | null = ''; cursor !== null;) {
          const { body } = await api.get(`/v1/search?${query}&limit=90&cursor=${encodeURIComponent(cursor)}`);
          ids.push(...body.items.map((item: { id: number }) => item.id));
          cursor = body.next_cursor as string | null;
        }
        return ids;
      };
      const [whole, parted] = [await walked(apis.whole), await walked(apis.parted)];
      assert.isAbove(whole.length, 0, query);
      assert.strictEqual(new Set(parted).size, parted.length, query);
      assert.deepEqual(parted, whole, query);
    }
  });

  it('gives the same pages by relevance', async () => {
    // The former versions of listings count in the statistics of terms until Elasticsearch has removed them.
    const index = Object.values(apis).map(({ prefix }) => productsAlias(prefix));
    await es.indices.forcemerge({ index, max_num_segments: 1 });
    const names = (await stored('whole')).map(({ name }) => name.split(' ').slice(0, 2).join(' '));
    const words = [...new Set(names)].slice(0, 25);
    for (const q of ['wireless headphones', 'usb c charger', 'stainless steel bottle', 'bottel', ...words])
      for (const more of ['', '&match=any', '&group=product', '&offset=10']) {
        const path = `/v1/search?q=${encodeURIComponent(q)}&limit=20${more}`;
        const [whole, parted] = (await both(path)) as [Page, Page];
        assert.deepEqual([parted.total, parted.items.map(idOf)], [whole.total, whole.items.map(idOf)], path);
      }
  });

  it('fails no read while a node is restarted by the book', async () => {
    const commands = recipe('docs/operations.md', 'Updates', 'es ');
    const [allocatePrimaries = '', flush = '', allocateAll = '', untilGreen = ''] = commands;
    const es1 = async (command: string) => {
      const [, path = '', ...options] = wordsOf(command);
      const option = (name: string) => options[options.indexOf(name) + 1] ?? '';
      const [method, body] = [
        options.includes('--request') ? option('--request') : 'GET',
        options.includes('--data') ? { body: option('--data') } : {},
      ];
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${cluster.urls[0]}${path}`, { method, headers, ...body });
      assert.isTrue(response.ok, `${command}: ${await response.text()}`);
    };
    let isRunning = true;
    const statuses: Record<number, number> = {};
    const reading = (async () => {
      let key = await apis.parted.key();
      while (isRunning) {
        const headers = { authorization: `Bearer ${key}` };
        const { status } = await apis.parted.open('/v1/search?q=case&limit=5', { headers });
        // A restart may take longer than the requests that a key may send in a minute.
        if (status === 429) key = await apis.parted.key();
        else statuses[status] = (statuses[status] ?? 0) + 1;
      }
    })();
    await es1(allocatePrimaries);
    await es1(flush);
    await cluster.restart('node-3');
    await es1(allocateAll);
    await es1(untilGreen);
    isRunning = false;
    await reading;
    assert.hasAllKeys(statuses, ['200']);
  });

  // This test is the last one, because it kills a node.
  it('gives the same answers when a node is killed', async () => {
    const grouped = paths(0).filter((path) => path.includes('group=product'));
    const before = await Promise.all(grouped.map(both));
    const [, node] = [...cluster.nodes].at(-1) ?? [];
    if (node === undefined) throw new Error('there is no node');
    process.kill(node.pid, 'SIGKILL');
    for (let times = 0; times < 5; times += 1) {
      for (const [at, path] of grouped.entries())
        assert.deepEqual((await both(path))[1], before[at]?.[1], path);
    }
  });
});

interface Page {
  total: number;
  items: { id: number }[];
}

const idOf = ({ id }: { id: number }): number => id;
