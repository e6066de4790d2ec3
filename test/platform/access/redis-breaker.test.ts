import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { RedisBreaker, RedisSilent } from '../../../src/platform/access/redis-breaker.js';
import { createRedis } from '../../../src/platform/access/redis.js';
import { redisUrl } from '../../support/services.js';
import { connected } from './small-app.js';

describe('Redis breaker', function () {
  this.timeout(30_000);

  let redis: Redis;

  before(async () => {
    redis = createRedis(redisUrl);
    redis.on('error', () => undefined);
    await connected(redis);
  });
  after(() => redis.disconnect());

  const silence = () => new Promise<string>(() => undefined);

  it('reads an answer that came while this process was busy', async () => {
    const breaker = new RedisBreaker(redis);
    const answer = breaker.ask((connection) => connection.echo('here'));
    const busyUntil = Date.now() + 600;
    while (Date.now() < busyUntil);
    expect(await answer).to.equal('here');
  });

  it('asks nobody for a moment after a wait in vain, then lets one find out', async () => {
    const breaker = new RedisBreaker(redis);
    let asked = 0;
    const outcome = (command: (connection: Redis) => Promise<string>) =>
      breaker
        .ask((connection) => {
          asked++;
          return command(connection);
        })
        .catch((error: unknown) => (error instanceof RedisSilent ? 'silent' : 'failed'));
    const echo = (connection: Redis) => connection.echo('here');

    expect(await outcome(silence)).to.equal('silent');
    expect(await outcome(echo)).to.equal('silent');
    expect(asked).to.equal(1);
    let first = 'silent';
    while (first === 'silent') {
      const both = [outcome(echo), outcome(echo)];
      first = await (both[0] ?? '');
      if (first === 'here') expect(await both[1], 'beside the one who finds out').to.equal('silent');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await outcome(echo)).to.equal('here');
    expect(asked).to.equal(3);
  });

  it('goes on asking where refusals come at once', async () => {
    const breaker = new RedisBreaker(redis);
    const refused = await breaker.ask((connection) => connection.call('NOSUCHCOMMAND')).catch(String);
    expect(refused).to.match(/unknown command/);
    expect(await breaker.ask((connection) => connection.echo('here'))).to.equal('here');
  });
});
