import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import {
  freePort,
  type LocalEngine,
  type Program,
  startLocalElasticsearch,
  startLocalRedis,
} from '../../tools/local-services/index.js';
import { type ApiProcess, startApiProcess } from './api-process.js';
import { haproxyIsInstalled, startHAProxy } from './haproxy.js';
import { nginxIsInstalled, startNginx } from './nginx.js';
import { until } from '../support/until.js';
import { keepReading } from './traffic.js';

const log = () => undefined;

const PROXIES = [
  { name: 'HAProxy', isInstalled: haproxyIsInstalled, startProxy: startHAProxy },
  { name: 'nginx', isInstalled: nginxIsInstalled, startProxy: startNginx },
];

for (const { name, isInstalled, startProxy } of PROXIES) {
  // Without the proxy there is nothing to test here; CI has both, and fails where it has not.
  if (!isInstalled && !process.env['CI']) continue;
  /** Seen to fail: with a proxy that takes an instance out at its first late answer, both while one comes back, or never retries. */
  describe(`two instances behind ${name}`, function () {
    this.timeout(240_000);
    let dir: string;
    let elasticsearch: LocalEngine;
    let redis: LocalEngine;
    let ports: [number, number];
    let instances: [ApiProcess, ApiProcess];
    let proxy: Program;
    let keys: string[];
    let redisPort: number;

    const started: ApiProcess[] = [];
    const startInstance = async (port: number) => {
      const instance = await startApiProcess({
        PORT: String(port),
        TRUST_PROXY: '1',
        ELASTICSEARCH_URL: elasticsearch.url,
        REDIS_URL: redis.url,
        INDEX_PREFIX: 'proxied',
        // The disk of a busy machine may keep Redis, which writes each command to it, from answering for a second.
        REDIS_DEADLINE_MS: '3000',
      });
      started.push(instance);
      return instance;
    };
    const startRedis = async () => {
      redis = await startLocalRedis({ log, dataDir: join(dir, 'redis'), port: redisPort });
    };
    before(async () => {
      dir = await mkdtemp(join(tmpdir(), 'proxied-'));
      redisPort = await freePort();
      [elasticsearch] = await Promise.all([startLocalElasticsearch({ log, heap: '1g' }), startRedis()]);
      ports = [await freePort(), await freePort()];
      instances = await Promise.all([startInstance(ports[0]), startInstance(ports[1])]);
      proxy = await startProxy([instances[0].url, instances[1].url]);
      const client = createRedis(redis.url);
      await once(client, 'ready');
      const wanted = { developerId: 'a', name: 'a', tier: 'premium', environment: 'test' } as const;
      const store = new KeyStore(new RedisBreaker(client), 'proxied');
      // So many that on a fast machine no allowance is used up.
      const created = await Promise.all(Array.from({ length: 8 }, () => store.create(wanted, new Date())));
      keys = created.map(({ rawKey }) => rawKey);
      client.disconnect();
      const headers = { authorization: `Bearer ${keys[0]}` };
      await until(async () => (await fetch(`${proxy.url}/v1/search?q=a`, { headers })).ok);
    });
    after(async () => {
      await proxy.stop();
      await Promise.all(instances.map((instance) => instance.stop()));
      await Promise.all([elasticsearch.stop(), redis.stop()]);
      await rm(dir, { recursive: true });
    });

    /** Requests, one after the other by each of two readers, while something happens. */
    const duringReads = async (paths: string[], work: () => Promise<unknown>): Promise<void> => {
      const reads = keepReading({ readers: 2, urls: [proxy.url], paths, keys });
      try {
        await sleep(500);
        await work();
        await sleep(500);
      } finally {
        await reads.stop();
      }
      assert.isAbove(reads.count, 5);
      const warnings = started.map((instance) => instance.warnings).join('');
      assert.deepEqual(reads.failures, [], `of ${reads.count} reads; the instances said: ${warnings}`);
    };

    it('are updated one after the other, and no request fails', async () => {
      await duringReads(['/v1/search?q=a', '/v1/categories'], async () => {
        for (const i of [0, 1] as const) {
          assert.equal(await instances[i].stop(), 0);
          instances[i] = await startInstance(ports[i]);
          // Whoever updates leaves the proxy the time to see that it is back; nginx looks every two seconds.
          await sleep(2_500);
        }
      });
    });

    it('stay where they are while the engine pauses for two seconds, and no request fails', async () => {
      await duringReads(['/v1/search?q=a', '/v1/deals'], async () => {
        process.kill(elasticsearch.pid, 'SIGSTOP');
        try {
          await sleep(2_000);
        } finally {
          process.kill(elasticsearch.pid, 'SIGCONT');
        }
      });
    });

    it('serve the keys that they have seen lately while Redis is away', async () => {
      await duringReads(['/v1/search?q=a'], async () => {
        await redis.stop();
        await sleep(4_000);
        await startRedis();
      });
    });
  });
}
