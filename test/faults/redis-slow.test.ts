// Chaos only (faults, sampled): it takes seconds.
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { type Proxy, startProxy } from '../support/proxy.js';
import { redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { connect, drillPrefix, type Instance, issueKeys, startInstance } from './redis-drill.js';

const SLOW_MS = 400;

/**
 * These tests were seen to fail when the health check of Redis had another time limit than commands, and when
 * the time limit could not be configured.
 */
describe('a Redis that answers in 400 ms', function () {
  const prefix = drillPrefix();
  let proxy: Proxy;
  let redis: Redis;
  const instances: Instance[] = [];
  const start = async (deadlineMs: string, untilReady: boolean) => {
    const env = { REDIS_URL: proxy.url, INDEX_PREFIX: prefix, REDIS_DEADLINE_MS: deadlineMs };
    const instance = await startInstance(env, { untilReady });
    instances.push(instance);
    return instance;
  };

  before(async () => {
    redis = await connect(redisUrl);
    proxy = await startProxy(redisUrl, { slowMs: SLOW_MS });
    await proxy.set('slow');
  });
  after(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    redis.disconnect();
    await proxy.close();
  });

  const healthOf = async ({ url }: Instance) => {
    const response = await fetch(`${url}/health`);
    const { checks } = (await response.json()) as { checks: Record<string, string> };
    return { status: response.status, checks };
  };

  it('serves requests if the deadline is longer', async () => {
    const patient = await start('3000', true);
    for (const key of await issueKeys(redis, prefix, 3)) assert.equal(await patient.statusOf(key), 200);
    assert.equal((await patient.createKey()).status, 201);
    assert.equal((await fetch(`${patient.url}/health`)).status, 200);
    assert.equal(await patient.metric('catalog_limits_counted_locally_total'), 0);
  });

  it('counts as unavailable for requests, health and readiness if the deadline is shorter', async () => {
    const hasty = await start('100', false);
    const [key = ''] = await issueKeys(redis, prefix, 1);
    for (let i = 0; i < 4; i += 1) {
      assert.equal(await hasty.statusOf(key), 503);
      const { status, checks } = await healthOf(hasty);
      assert.equal(status, 503);
      assert.equal(checks['redis'], 'unavailable');
      assert.equal((await fetch(`${hasty.url}/readyz`)).status, 503);
      await sleep(300);
    }
    assert.equal(await hasty.metric('catalog_dependency_up{dependency="redis"}'), 0);
    // A busy Elasticsearch may miss the time limit of a health check.
    await until(async () => (await healthOf(hasty)).checks['elasticsearch'] === 'ok');

    await proxy.set('up');
    await until(async () => (await fetch(`${hasty.url}/readyz`)).ok);
    await until(async () => (await hasty.statusOf(key)) === 200);
  });
});
