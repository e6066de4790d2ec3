import { expect } from 'chai';
import { isBrokenCircuitError } from 'cockatiel';
import type { Redis } from 'ioredis';
import { RedisBreaker, RedisTimeoutError } from '../../../src/platform/redis/redis-breaker.js';
import { createRedis } from '../../../src/platform/redis/create-redis.js';
import { redisUrl } from '../../support/services.js';
import { until } from '../../support/until.js';
import { connected } from '../access/small-app.js';

describe('RedisBreaker', function () {
  let redis: Redis;

  before(async () => {
    redis = createRedis(redisUrl);
    redis.on('error', () => undefined);
    await connected(redis);
  });
  after(() => redis.disconnect());

  // The timeouts and answers of a circuit do not come from Redis, which may itself be late on a busy machine.
  const silence = () => new Promise<string>(() => undefined);
  const answer = () => Promise.resolve('here');
  /** The deadline of tests that wait for an answer of Redis, which may be late on a busy machine. */
  const PATIENT = { deadlineMs: 5_000 };

  it('returns an answer that arrived while the process was busy', async () => {
    const breaker = new RedisBreaker(redis);
    const echoed = breaker.run((connection) => connection.echo('here'));
    const busyUntil = Date.now() + 600;
    while (Date.now() < busyUntil);
    expect(await echoed).to.equal('here');
  });

  it('sends no command for a while after a timeout, then lets one probe', async () => {
    const breaker = new RedisBreaker(redis);
    let asked = 0;
    const outcome = (command: (connection: Redis) => Promise<string>) =>
      breaker
        .run((connection) => {
          asked++;
          return command(connection);
        })
        .catch((error: unknown) =>
          error instanceof RedisTimeoutError || isBrokenCircuitError(error) ? 'silent' : 'failed',
        );
    expect(await outcome(silence)).to.equal('silent');
    expect(await outcome(answer)).to.equal('silent');
    expect(asked).to.equal(1);
    // Afterwards the circuit lets a single command through.
    const [, other] = await until(async () => {
      const outcomes = await Promise.all([outcome(answer), outcome(answer)]);
      return outcomes[0] === 'here' ? outcomes : null;
    });
    expect(other, 'while another command probes').to.equal('silent');
    expect(await outcome(answer)).to.equal('here');
    expect(asked).to.equal(3);
  });

  it('keeps the circuit closed when errors arrive at once', async () => {
    const breaker = new RedisBreaker(redis, PATIENT);
    const refused = await breaker.run((connection) => connection.call('NOSUCHCOMMAND')).catch(String);
    expect(refused).to.match(/unknown command/);
    expect(await breaker.run((connection) => connection.echo('here'))).to.equal('here');
  });

  it('keeps the circuit closed when one command times out while others are answered', async () => {
    const breaker = new RedisBreaker(redis, { deadlineMs: 500 });
    const slow = breaker.run(silence).catch(String);
    expect(await breaker.run(answer)).to.equal('here');
    expect(await slow).to.match(/RedisTimeoutError/);
    expect(await breaker.run(answer)).to.equal('here');
  });
});
