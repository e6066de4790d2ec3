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
  // The tests need a proxy that may not be installed. In CI they always run, and fail if the proxy is
  // missing.
  if (!isInstalled && !process.env['CI']) continue;
  /**
   * These tests were seen to fail with a proxy that stops using an instance after one late response, with a
   * proxy that has no instance while one restarts, and with a proxy that repeats no request.
   */
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
    const startInstance = async (port: number, onOutput: (text: string) => void = () => undefined) => {
      const env = {
        PORT: String(port),
        TRUST_PROXY: '1',
        ELASTICSEARCH_URL: elasticsearch.url,
        REDIS_URL: redis.url,
        INDEX_PREFIX: 'proxied',
      };
      const instance = await startApiProcess(env, { onOutput });
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
      const store = new KeyStore(new RedisBreaker(client, { deadlineMs: 5_000 }), 'proxied');
      // The number of keys is so large that no rate limit is reached, even on a fast machine.
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

    /** Runs `work` while two readers each send one request after another. */
    const duringReads = async (paths: string[], work: () => Promise<unknown>): Promise<void> => {
      const reads = keepReading({ readers: 2, urls: [proxy.url], paths, keys });
      try {
        await until(() => reads.count > 5);
        await work();
        const { count } = reads;
        await until(() => reads.count > count + 5);
      } finally {
        await reads.stop();
      }
      const warnings = started.map((instance) => instance.warnings).join('');
      assert.deepEqual(reads.failures, [], `of ${reads.count} reads; the instances said: ${warnings}`);
    };

    it('are updated one after the other, and no request fails', async () => {
      await duringReads(['/v1/search?q=a', '/v1/categories'], async () => {
        for (const i of [0, 1] as const) {
          assert.equal(await instances[i].stop(), 0);
          let log = '';
          instances[i] = await startInstance(ports[i], (text) => (log += text));
          // The test waits, as operators do in an update, until the proxy uses the instance again.
          await until(() => /GET \/v1\/(?:search|categories)/.test(log));
        }
      });
    });

    it('remain in the load balancer while Elasticsearch pauses for more than a second, and no request fails', async () => {
      await duringReads(['/v1/search?q=a', '/v1/deals'], async () => {
        process.kill(elasticsearch.pid, 'SIGSTOP');
        try {
          // The pause is clearly shorter than the time limit of the service, because it takes longer on a busy machine.
          await sleep(1_400);
        } finally {
          process.kill(elasticsearch.pid, 'SIGCONT');
        }
      });
    });

    it('serve recently used keys while Redis is unavailable', async () => {
      // An instance knows the keys that it has served itself, and a proxy may give all requests of a key to one instance.
      for (const { url } of instances)
        for (const key of keys) {
          const headers = { authorization: `Bearer ${key}` };
          assert.equal((await fetch(`${url}/v1/search?q=a`, { headers })).status, 200);
        }
      await duringReads(['/v1/search?q=a'], async () => {
        await redis.stop();
        await sleep(4_000);
        await startRedis();
      });
    });
  });
}
