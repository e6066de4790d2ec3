import { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { createPools, PUBLIC_HEAVY_SLOTS, PUBLIC_SLOTS_PER_ADDRESS } from '../../src/http/admission/pools.js';
import { endpoint, get } from '../../src/http/endpoint.js';
import { performer, type Requester } from '../../src/http/perform.js';
import type { KeyIdentity } from '../../src/platform/access/key.js';
import { ApiError } from '../../src/platform/errors.js';
import type { Caches } from '../../src/http/response-cache.js';
import type { Context } from '../../src/usecases/context.js';
import type { Pool } from '../../src/usecases/shared/cost.js';

const KEY: KeyIdentity = { id: 'a-key', tier: 'free', environment: 'test' };

const requester = (client: string, key: KeyIdentity | null = null) =>
  ({
    client,
    caller: { key, client },
    timings: { engine: 0, redis: 0 },
    isDisconnected: () => false,
  }) as unknown as Requester;

/** An operation that runs until the test ends it. */
function lasting(slots: number, pool: Pool = slots === 1 ? 'light' : 'heavy') {
  let running = 0;
  const ends: (() => void)[] = [];
  const operation = endpoint({
    tag: 'Test',
    summary: 'Lasts',
    responses: {},
    cost: () => ({ pool, slots }),
    handle: async () => {
      running += 1;
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
      return {};
    },
  });
  return { operation, running: () => running, endAll: () => ends.splice(0).forEach((end) => end()) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the slots of requests without a key', () => {
  // The client connects to nothing, because the operations of these tests send no request.
  const es = new Client({ node: 'http://localhost:9200' });
  const context = { es, readListing: () => null } as unknown as Context;
  const deps = () => ({ caches: {} as Caches, pools: createPools() });

  it('are few for one address, and leave room for other addresses and for keys', async () => {
    const { operation, running, endAll } = lasting(1);
    const perform = performer(get('/v1/test', 'read', operation), context, deps());
    const first = Array.from({ length: 12 }, () => perform({}, requester('address:198.51.100.1')));
    await turn();
    assert.equal(running(), PUBLIC_SLOTS_PER_ADDRESS);
    const other = perform({}, requester('address:198.51.100.2'));
    const keyed = Array.from({ length: 15 }, () => perform({}, requester('a-key', KEY)));
    await turn();
    assert.equal(running(), PUBLIC_SLOTS_PER_ADDRESS + 1 + 15);
    const refused = await perform({}, requester('address:198.51.100.1')).catch((error: unknown) => error);
    assert.instanceOf(refused, ApiError);
    assert.equal((refused as ApiError).status, 503);
    const all = Promise.all([...first, other, ...keyed]);
    for (let i = 0; i < 5; i += 1) {
      endAll();
      await turn();
    }
    await all;
    assert.equal(running(), 0);
  });

  it('are all taken by one comparison of an address', async () => {
    const { operation, running, endAll } = lasting(6);
    const perform = performer(get('/v1/test', 'read', operation), context, deps());
    const two = [1, 2].map(() => perform({}, requester('address:198.51.100.1')));
    await turn();
    assert.equal(running(), 1);
    endAll();
    await turn();
    assert.equal(running(), 1);
    endAll();
    await Promise.all(two);
  });

  it('are of one client in every pool, however many addresses send expensive requests', async () => {
    for (const pool of ['light', 'heavy'] as const) {
      const { operation, running, endAll } = lasting(8, pool);
      const perform = performer(get('/v1/test', 'read', operation), context, deps());
      const keyed = perform({}, requester('a-key', KEY));
      const many = [1, 2, 3].map((end) => perform({}, requester(`address:198.51.100.${end}`)));
      await turn();
      assert.equal(running(), 3, 'two requests fill half of the pool');
      const another = perform({}, requester('another-key', KEY));
      await turn();
      assert.equal(running(), 4);
      const all = Promise.all([...many, keyed, another]);
      for (let i = 0; i < 5; i += 1) {
        endAll();
        await turn();
      }
      await all;
    }
  });

  it('do not suffice for a comparison that costs more than this share, which needs a key', async () => {
    const { operation, running, endAll } = lasting(PUBLIC_HEAVY_SLOTS + 1);
    const perform = performer(get('/v1/test', 'read', operation), context, deps());
    const error = await perform({}, requester('address:198.51.100.1')).catch((thrown: unknown) => thrown);
    assert.deepInclude(error, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
    assert.match((error as ApiError).message, /too large without an API key: send an API key/);
    const keyed = perform({}, requester('a-key', KEY));
    await turn();
    assert.equal(running(), 1);
    endAll();
    await keyed;
  });

  it('do not exist for an endpoint that needs a key, whoever calls it', async () => {
    const { operation } = lasting(1);
    for (const access of ['key', 'writer'] as const) {
      const perform = performer(get('/v1/test', access, operation), context, deps());
      const error = await perform({}, requester('address:198.51.100.1')).catch((thrown: unknown) => thrown);
      assert.equal((error as ApiError).status, 401);
    }
  });
});
