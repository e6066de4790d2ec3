import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assert } from 'chai';
import { isBrokenCircuitError } from 'cockatiel';
import { createElasticsearch } from '../../src/elasticsearch/client.js';
import { withCircuit } from '../../src/elasticsearch/transport.js';

const DEADLINES = { requestTimeout: 60, maxRetries: 4 };

/** Seen to fail: with the retries of a silence fixed at four, whatever the request said. */
describe('a silent Elasticsearch', () => {
  let nodes: Server[];
  let asked: number;

  beforeEach(async () => {
    asked = 0;
    nodes = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const server = createServer(() => (asked += 1)).listen(0, '127.0.0.1');
        await once(server, 'listening');
        return server;
      }),
    );
  });
  afterEach(() => {
    for (const node of nodes) {
      node.closeAllConnections();
      node.close();
    }
  });

  /** How often the nodes are asked for one request that none of them answers. */
  async function attempts(size: number, options: { maxRetries?: number } = {}): Promise<number> {
    const urls = nodes.slice(0, size).map((node) => {
      const { port } = node.address() as AddressInfo;
      return `http://127.0.0.1:${port}`;
    });
    const es = createElasticsearch({ nodes: urls, auth: null, caFile: null }, DEADLINES);
    const outcome: unknown = await es.info({}, options).catch((error: unknown) => error);
    assert.propertyVal(outcome, 'name', 'TimeoutError');
    await es.close();
    return asked;
  }

  it('of one node is asked once', async () => {
    assert.equal(await attempts(1), 1);
  });
  it('of several is asked twice where nothing else is answered', async () => {
    assert.equal(await attempts(3), 2);
  });
  /** Seen to fail: with one circuit for all. */
  it('is left alone by the route that met it, and by no other', async () => {
    const { port } = nodes[0]?.address() as AddressInfo;
    const es = createElasticsearch({ nodes: [`http://127.0.0.1:${port}`], auth: null, caFile: null });
    const ask = (circuit: string): Promise<unknown> =>
      withCircuit(es, circuit)
        .info({}, { requestTimeout: 20 })
        .catch((error: unknown) => error);
    for (let i = 0; i < 5; i += 1) assert.propertyVal(await ask('matrix'), 'name', 'TimeoutError');
    assert.isTrue(isBrokenCircuitError(await ask('matrix')));
    assert.equal(asked, 5);
    assert.propertyVal(await ask('search'), 'name', 'TimeoutError');
    assert.propertyVal(
      await es.info({}, { requestTimeout: 20 }).catch((error: unknown) => error),
      'name',
      'TimeoutError',
    );
    assert.equal(asked, 7);
    await es.close();
  });

  /** Seen to fail: with a circuit for each route and none for all. */
  it('is left alone by all once several routes have met nothing but silence', async () => {
    const { port } = nodes[0]?.address() as AddressInfo;
    const es = createElasticsearch({ nodes: [`http://127.0.0.1:${port}`], auth: null, caFile: null });
    const ask = (circuit: string): Promise<unknown> =>
      withCircuit(es, circuit)
        .info({}, { requestTimeout: 20 })
        .catch((error: unknown) => error);
    for (const circuit of ['a', 'b', 'c', 'd', 'e', 'f'])
      assert.propertyVal(await ask(circuit), 'name', 'TimeoutError');
    assert.isTrue(isBrokenCircuitError(await ask('g')));
    await es.close();
  });

  it('is not asked again for a request that must not be repeated', async () => {
    assert.equal(await attempts(3, { maxRetries: 0 }), 1);
  });
});
