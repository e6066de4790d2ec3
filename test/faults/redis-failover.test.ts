// Chaos only (faults, sampled): it takes seconds.
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { type LocalEngine, startLocalRedis } from '../../tools/local-services/index.js';
import { type Proxy, startProxy } from '../support/proxy.js';
import { until } from '../support/until.js';
import * as drill from './redis-drill.js';

const log = () => undefined;

/**
 * These tests were seen to fail when the service did not look for the new primary, because no key could then
 * be created any more.
 */
describe('a failover of Redis behind one address', function () {
  const prefix = drill.drillPrefix();
  let engines: [LocalEngine, LocalEngine];
  let nodes: [Redis, Redis];
  let proxy: Proxy;
  let api: drill.Instance;

  before(async () => {
    engines = await Promise.all([startLocalRedis({ log }), startLocalRedis({ log })]);
    nodes = await Promise.all([drill.connect(engines[0].url), drill.connect(engines[1].url)]);
    await follow(nodes[1], engines[0]);
    proxy = await startProxy(engines[0].url);
    api = await drill.startInstance({ REDIS_URL: proxy.url, INDEX_PREFIX: prefix });
  });
  after(async () => {
    await api.stop();
    for (const node of nodes) node.disconnect();
    await proxy.close();
    await Promise.all(engines.map((engine) => engine.stop()));
  });

  /** Makes a Redis node a replica of another one, and waits until it has all data. */
  async function follow(node: Redis, { url }: LocalEngine): Promise<void> {
    const { hostname, port } = new URL(url);
    await node.replicaof(hostname, port);
    await until(async () => /master_link_status:up/.test(await node.info('replication')));
  }

  it('leaves the former primary, which is read-only now', async () => {
    const [seen = '', unseen = ''] = await drill.issueKeys(nodes[0], prefix, 2);
    assert.equal(await api.statusOf(seen), 200);
    await nodes[0].wait(1, 0);

    await nodes[1].replicaof('NO', 'ONE');
    await follow(nodes[0], engines[1]);
    // The address still leads to the old primary, which is now a replica, so only reads succeed.
    const refused = await api.createKey();
    assert.deepEqual([refused.status, refused.retryAfter], [503, '5']);
    assert.match(refused.body['detail'] ?? '', /read-only replica/);
    assert.equal(await api.statusOf(seen), 200);
    assert.equal(await api.statusOf(unseen), 200);

    proxy.leadTo(engines[1].url);
    const { key } = await drill.createOnceItHeals(api, seen);
    assert.equal(await api.statusOf(key), 200);
    assert.isAbove((await api.metric('catalog_redis_writes_refused_total{reason="readonly"}')) ?? 0, 0);
    assert.isAbove((await api.metric('catalog_limits_counted_locally_total')) ?? 0, 0);
    assert.equal(drill.warnings(api, 'Redis refuses writes'), 1, api.warnings);
  });
});
