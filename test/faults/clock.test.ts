// Chaos only (faults, sampled): it takes seconds.
import { assert } from 'chai';
import { redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import * as drill from './redis-drill.js';

/** These tests were seen to fail when the offset of the clock was measured only once, at the start. */
describe('two instances, of which one has a clock that is an hour ahead', function () {
  const prefix = drill.drillPrefix();
  let ahead: drill.Instance;
  let right: drill.Instance;
  let key: string;

  before(async () => {
    const redis = await drill.connect(redisUrl);
    [key = ''] = await drill.issueKeys(redis, prefix, 1);
    redis.disconnect();
    const env = {
      REDIS_URL: redisUrl,
      INDEX_PREFIX: prefix,
      JWT_SECRET: 'the secret that both instances of this drill share',
    };
    [ahead, right] = await Promise.all([
      drill.startInstance({ ...env, NODE_OPTIONS: '--import ./tools/soak-test/moved-clock.mjs' }),
      drill.startInstance(env),
    ]);
  });
  after(() => Promise.all([ahead.stop(), right.stop()]));

  const moveClock = () => process.kill(ahead.pid, 'SIGUSR2');
  const offset = async (instance: drill.Instance) =>
    (await instance.metric('catalog_clock_offset_seconds')) ?? NaN;
  const newToken = async (instance: drill.Instance) => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${instance.url}/v1/token`, { method: 'POST', headers });
    return ((await response.json()) as { access_token: string }).access_token;
  };

  it('serve the tokens of each other while their clocks agree', async () => {
    for (const instance of [ahead, right]) await until(async () => Math.abs(await offset(instance)) < 2);
    assert.equal(await right.statusOf(await newToken(ahead)), 200);
    assert.equal(await ahead.statusOf(await newToken(right)), 200);
  });

  it('say which clock is wrong, and refuse tokens because of it', async () => {
    moveClock();
    await until(async () => (await offset(ahead)) > 3_590);
    await until(() => drill.warnings(ahead, 'differs from that of Redis') === 1);
    assert.isBelow(Math.abs(await offset(right)), 2);
    assert.equal(drill.warnings(right, 'differs from that of Redis'), 0);

    const fromFuture = await newToken(ahead);
    assert.equal(await right.statusOf(fromFuture), 401);
    assert.equal(await ahead.statusOf(fromFuture), 200);
    // API keys and their rate limits do not depend on the clock of an instance.
    for (const instance of [ahead, right]) assert.equal(await instance.statusOf(key), 200);
    assert.equal((await fetch(`${ahead.url}/readyz`)).status, 200);
  });

  it('agree again once the clock is right', async () => {
    moveClock();
    await until(async () => Math.abs(await offset(ahead)) < 2);
    assert.equal(await right.statusOf(await newToken(ahead)), 200);
    assert.equal(drill.warnings(ahead, 'differs from that of Redis'), 1, 'it is told once');
  });
});
