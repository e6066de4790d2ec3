import { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { createPools } from '../../src/http/admission/pools.js';
import { type AccessRule, endpoint, get } from '../../src/http/endpoint.js';
import { performer, type Requester } from '../../src/http/perform.js';
import { endpoints } from '../../src/http/routes/index.js';
import type { Caches } from '../../src/http/response-cache.js';
import type { KeyIdentity } from '../../src/platform/access/key.js';
import type { ApiError } from '../../src/platform/errors.js';
import { ProcessorTime } from '../../src/telemetry/processor-time.js';
import { traceOf } from '../../src/telemetry/trace-context.js';
import type { Context } from '../../src/usecases/context.js';

const KEY: KeyIdentity = {
  id: 'a-key',
  counter: 'key:a',
  tier: 'free',
  environment: 'test',
  developerId: 'a-developer',
};
const ANOTHER: KeyIdentity = { ...KEY, id: 'another-key', developerId: 'another-developer' };

const requester = (client: string, key: KeyIdentity | null = null) =>
  ({
    caller: { key, client, isDisconnected: () => false },
    timings: { engine: 0, redis: 0 },
    trace: traceOf(undefined, 'a-request', 0),
  }) as unknown as Requester;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The number of requests of unknown cost that run at the same time. */
const ALL = 32;
interface Lasting {
  processors?: number;
  pool?: null;
  /** How often the endpoint reads from Elasticsearch, one after the other. */
  reads?: number;
  /** What the endpoint does with the answer of Elasticsearch. */
  process?: () => Promise<void>;
}

/** With so many processors of Elasticsearch, a client has a quarter of the slots while others use the service. */
const PROCESSORS = 16;

describe('the share of the requests that run at the same time', () => {
  /** An endpoint whose requests run until the test ends them. */
  function lasting(
    access: AccessRule = 'read',
    { processors = PROCESSORS, pool, reads = 1, process }: Lasting = {},
  ) {
    const running: string[] = [];
    const ends: (() => void)[] = [];
    // The client connects to nothing, because the operation only reads listings, which lasts until the test ends it.
    const es = new Client({ node: 'http://localhost:9200' });
    const readListing = (client: string) => {
      running.push(client);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    const context = { es, writer: es, readListing } as unknown as Context;
    const operation = endpoint({
      tag: 'Test',
      summary: 'Lasts',
      responses: {},
      ...(pool === null && { pool }),
      handle: async (given, _input, { client }) => {
        for (let read = 0; read < reads; read += 1)
          await (given as unknown as { readListing: typeof readListing }).readListing(client);
        await process?.();
        return {};
      },
    });
    const deps = {
      caches: {} as Caches,
      pools: createPools({ processors: () => processors }),
      processorTime: new ProcessorTime(() => Promise.resolve(null)),
    };
    const perform = performer(get('/v1/test', access, operation), context, deps);
    const sent: Promise<unknown>[] = [];
    return {
      send: (count: number, client: string, key: KeyIdentity | null = null) => {
        for (let i = 0; i < count; i += 1) sent.push(perform({}, requester(client, key)).catch(() => null));
        return turn();
      },
      runningOf: (...clients: string[]) => running.filter((client) => clients.includes(client)).length,
      /** Ends the requests that run, and then those that had to wait for them. */
      async end() {
        const all = Promise.all(sent).then(() => true);
        for (let isOver = false; !isOver; isOver = await Promise.race([all, turn().then(() => false)]))
          for (const one of ends.splice(0)) one();
      },
      perform,
      pools: deps.pools,
      processorTime: deps.processorTime,
    };
  }

  it('is one request of unknown cost for a key, for each two processors of Elasticsearch, while others use the service', async () => {
    for (const processors of [2, 4, 12]) {
      const { send, runningOf, end } = lasting('read', { processors });
      await send(1, 'another-key', ANOTHER);
      await send(20, 'a-key', KEY);
      assert.equal(runningOf('a-key'), processors / 2);
      await end();
    }
  });

  it('counts a request until it has processed the answer of Elasticsearch', async () => {
    const processed: (() => void)[] = [];
    const process = () => new Promise<void>((resolve) => processed.push(resolve));
    const { send, runningOf, end } = lasting('read', { processors: 2, process });
    await send(1, 'another-key', ANOTHER);
    await send(2, 'a-key', KEY);
    const ended = end();
    while (processed.length < 2) await turn();
    assert.equal(runningOf('a-key'), 1);
    for (const one of processed.splice(0)) one();
    while (processed.length < 1) await turn();
    assert.equal(runningOf('a-key'), 2);
    for (const one of processed.splice(0)) one();
    await ended;
  });

  it('is not bounded for an endpoint without slots, whose requests to Elasticsearch are charged', async () => {
    const { send, runningOf, end, pools } = lasting('read', { pool: null });
    const charged: [string, number][] = [];
    const { charge } = pools.requests;
    pools.requests.charge = (request, spent) => {
      charged.push([request.client, spent]);
      charge.call(pools.requests, request, spent);
    };
    await send(40, 'a-key', KEY);
    assert.equal(runningOf('a-key'), 40);
    await end();
    const ofEngine = charged.filter(([client, spent]) => client === 'developer:a-developer' && spent > 0);
    assert.isAtLeast(ofEngine.length, 40);
  });

  it('charges each answer of Elasticsearch once', async () => {
    const { send, end, pools, processorTime } = lasting('read', { pool: null, reads: 3 });
    const spent: number[] = [];
    const answered = processorTime.answered.bind(processorTime);
    processorTime.answered = (...answer) => {
      spent.push(answered(...answer));
      return spent.at(-1) as number;
    };
    const charged: number[] = [];
    pools.requests.charge = (_request, ms) => charged.push(ms);
    await send(1, 'a-key', KEY);
    await end();
    assert.lengthOf(spent, 3);
    assert.deepEqual(
      charged.filter((ms) => spent.includes(ms)),
      spent,
    );
  });

  it('leaves slots to the next client for a client that is alone, and to the next key or address', async () => {
    for (const key of [KEY, null]) {
      const { send, runningOf, end } = lasting();
      await send(40, 'alone', key);
      assert.equal(runningOf('alone'), (ALL * 9) / 16);
      // Others of the same developer, and other developers, find slots at once.
      await send(1, 'another', key);
      await send(1, 'another-key', ANOTHER);
      assert.deepEqual([runningOf('another'), runningOf('another-key')], [1, 1]);
      await end();
      assert.equal(runningOf('alone'), 40);
    }
  });

  it('is a quarter of them for a key while others use the service', async () => {
    const { send, runningOf, end } = lasting();
    await send(1, 'another-key', ANOTHER);
    await send(40, 'a-key', KEY);
    assert.equal(runningOf('a-key'), ALL / 4);
    await send(8, 'another-key', ANOTHER);
    assert.equal(runningOf('another-key'), ALL / 4);
    await end();
  });

  it('is shared by the keys of a developer', async () => {
    const { send, runningOf, end } = lasting();
    await send(1, 'another-key', ANOTHER);
    await send(20, 'a-key', KEY);
    await send(20, 'second-key', { ...KEY, id: 'second-key' });
    assert.equal(runningOf('a-key', 'second-key'), ALL / 4);
    await end();
  });

  it('is half of those of a developer for one of its keys while another one is used', async () => {
    const { send, runningOf, end } = lasting();
    await send(1, 'second-key', { ...KEY, id: 'second-key' });
    await send(40, 'a-key', KEY);
    assert.equal(runningOf('a-key'), (ALL * 3) / 8);
    await send(2, 'second-key', { ...KEY, id: 'second-key' });
    assert.equal(runningOf('second-key'), 3);
    await end();
  });

  it('is a quarter of them for all addresses without a key together, and half of that for one address', async () => {
    const { send, runningOf, end } = lasting();
    await send(1, 'a-key', KEY);
    await send(1, 'address:198.51.100.2');
    await send(40, 'address:198.51.100.1');
    assert.equal(runningOf('address:198.51.100.1'), ALL / 8);
    for (let at = 3; at < 20; at += 1) await send(1, `address:198.51.100.${at}`);
    await send(3, 'a-key', KEY);
    assert.equal(runningOf('a-key'), 4);
    const addresses = Array.from({ length: 20 }, (_, at) => `address:198.51.100.${at}`);
    assert.equal(runningOf(...addresses), ALL / 4);
    await end();
    assert.equal(runningOf(...addresses), 58);
  });

  it('does not exist without a key for an endpoint that needs one', async () => {
    for (const access of ['key', 'writer'] as const) {
      const { perform } = lasting(access);
      const error = await perform({}, requester('address:198.51.100.1')).catch((thrown: unknown) => thrown);
      assert.equal((error as ApiError).status, 401);
    }
  });

  it('is of every endpoint for clients, but of those that work without Elasticsearch', () => {
    const without = endpoints.filter(({ access, pool }) => access !== 'open' && pool === null);
    assert.sameMembers(
      without.map(({ path }) => path),
      ['/', '/v1', '/v1/token', '/v1/usage'],
    );
  });
});
