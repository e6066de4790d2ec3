// Chaos only (engines, 2 min): it starts an engine of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { ensureCatalogue, productsAlias } from '../../src/engine/indices.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { type LocalEngine, startLocalElasticsearch } from '../../tools/local-services/index.js';
import { record } from '../support/listings.js';
import { redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import * as drill from './redis-drill.js';

/** Disk thresholds that are so low that every disk exceeds them. */
const FULL = {
  'cluster.info.update.interval': '10s',
  'cluster.routing.allocation.disk.threshold_enabled': true,
  'cluster.routing.allocation.disk.watermark.low': '0.01%',
  'cluster.routing.allocation.disk.watermark.high': '0.02%',
  'cluster.routing.allocation.disk.watermark.flood_stage': '0.03%',
};
const REFUSES = 'Elasticsearch refuses writes because its disk is full';
const ACCEPTS = 'Elasticsearch takes writes again';

describe('an Elasticsearch whose disk is full', function () {
  this.timeout(300_000);
  const prefix = drill.drillPrefix();
  let engine: LocalEngine;
  let es: Client;
  let redis: Redis;
  let api: drill.Instance;
  let writer: string;

  before(async () => {
    engine = await startLocalElasticsearch({ log: () => undefined });
    const elasticsearch = { nodes: [engine.url], auth: null, caFile: null };
    es = createElasticsearch(elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
    await ensureCatalogue(es, prefix);
    redis = await drill.connect(redisUrl);
    const wanted = { developerId: 'drill', name: 'drill', tier: 'premium', environment: 'test' } as const;
    const keys = new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), prefix);
    ({ rawKey: writer } = await keys.create({ ...wanted, scopes: ['write:shop_a'] }, new Date()));
    api = await drill.startInstance({
      ELASTICSEARCH_URL: engine.url,
      REDIS_URL: redisUrl,
      INDEX_PREFIX: prefix,
      EVENTS: 'on',
    });
  });
  after(async () => {
    await api.stop();
    redis.disconnect();
    await es.close();
    await engine.stop();
  });

  const load = async (sku: string) => {
    const response = await fetch(`${api.url}/v1/listings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${writer}` },
      body: JSON.stringify([record({ sku })]),
    });
    return { status: response.status, body: await response.text() };
  };
  const refused = (kind: string) =>
    api.metric(`catalog_engine_writes_refused_total{reason="disk_full",kind="${kind}"}`);
  const isBlocked = async () => {
    const answer = await es.indices.getSettings({ index: `${prefix}-*`, flat_settings: true });
    return Object.values(answer).some(
      ({ settings }) =>
        (settings as Record<string, unknown> | undefined)?.['index.blocks.read_only_allow_delete'] === 'true',
    );
  };

  it('is logged once and counted at once, for events too, and reads continue', async () => {
    assert.equal((await load('before')).status, 200);
    // The index of events exists, so that Elasticsearch can block it.
    await until(async () => ((await api.metric('catalog_events_written_total')) ?? 0) > 0);
    assert.deepEqual([await refused('listings'), await refused('events')], [0, 0]);

    await es.cluster.putSettings({ transient: FULL });
    await until(isBlocked);
    for (let i = 0; i < 3; i += 1) {
      const { status, body } = await load(`during-${i}`);
      assert.equal(status, 503);
      assert.include(body, 'the disk of Elasticsearch is full');
      assert.equal(await api.statusOf(writer), 200, 'reads are served');
    }
    assert.isAtLeast((await refused('listings')) ?? 0, 1);
    await until(async () => ((await refused('events')) ?? 0) > 0);
    assert.equal(drill.warnings(api, REFUSES), 1, api.warnings);
    assert.equal(drill.warnings(api, ACCEPTS), 0, api.warnings);
    assert.isAtMost(drill.warnings(api, ' warn '), 1, api.warnings);

    const none = Object.fromEntries(Object.keys(FULL).map((name) => [name, null]));
    await es.cluster.putSettings({ transient: none });
    await es.indices.putSettings({ index: '*', settings: { 'index.blocks.read_only_allow_delete': null } });
    await until(async () => (await load('after')).status === 200);
    await until(() => drill.warnings(api, ACCEPTS) === 1);
    await until(async () => (await api.metric('catalog_events_queue_length')) === 0);
    assert.equal(await api.metric('catalog_events_dropped_total'), 0, 'those that waited are written');
    // Further refused batches do not log the line again.
    await sleep(2_000);
    assert.deepEqual([drill.warnings(api, REFUSES), drill.warnings(api, ACCEPTS)], [1, 1], api.warnings);
    await es.indices.refresh({ index: productsAlias(prefix) });
    const { count } = await es.count({ index: productsAlias(prefix) });
    assert.equal(count, 2);
  });
});
