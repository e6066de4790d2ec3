// Not a unit test: it waits for time limits of the client.
// Runs first: others run while it waits.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { isBrokenCircuitError } from 'cockatiel';
import { createElasticsearch } from '../../src/engine/client.js';
import { listening } from '../support/server.js';
import { until } from '../support/until.js';

const urlOf = (node: Server) => `http://127.0.0.1:${(node.address() as AddressInfo).port}`;

/** These deadlines do not pass by themselves: a test lets them pass when nodes have received the request, however long that takes. */
const DEADLINES = { requestTimeout: 400, maxRetries: 4 };
/** The deadline of each of three attempts that may take as long as two. */
const SHORTER = 267;

/** The timers of `DEADLINES`. */
const deadlines = new Set<() => void>();
const passDeadlines = () => {
  for (const end of deadlines) {
    deadlines.delete(end);
    end();
  }
};

const outcomeOf = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error);

/**
 * Lets each attempt of a request end at its deadline.
 * @param silent the number of attempts that nodes have received and do not answer.
 * @param meanwhile is awaited before each deadline.
 */
async function untilEnd<T>(
  request: Promise<T>,
  silent: () => number,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<T> {
  let isOver = false;
  const over = request.finally(() => (isOver = true));
  over.catch(() => undefined);
  for (let seen = 0; ; seen = silent()) {
    await until(() => isOver || silent() > seen);
    if (isOver) return over;
    await meanwhile();
    passDeadlines();
  }
}

/**
 * Tests with nodes that accept requests and do not respond. The number of attempts must depend on the
 * request.
 */
describe('an Elasticsearch that does not answer', () => {
  let nodes: Server[];
  let asked: number;
  const { setTimeout, clearTimeout } = globalThis;

  before(() => {
    globalThis.setTimeout = ((end: (...given: unknown[]) => void, ms: number, ...given: unknown[]) => {
      if (ms !== DEADLINES.requestTimeout && ms !== SHORTER) return setTimeout(() => end(...given), ms);
      deadlines.add(end);
      return end;
    }) as unknown as typeof setTimeout;
    globalThis.clearTimeout = (timer) => {
      if (!deadlines.delete(timer as unknown as () => void)) clearTimeout(timer);
    };
  });
  after(() => Object.assign(globalThis, { setTimeout, clearTimeout }));
  beforeEach(async () => {
    asked = 0;
    nodes = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const server = createServer(() => (asked += 1));
        await listening(server);
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

  /** The number of attempts for a request that no node answers. */
  async function attempts(
    size: number,
    options: { maxRetries?: number } = {},
    ask: (es: Client) => Promise<unknown> = (es) => es.info({}, options),
  ): Promise<number> {
    const urls = nodes.slice(0, size).map(urlOf);
    const es = createElasticsearch({ nodes: urls, auth: null, caFile: null }, DEADLINES);
    const outcome = await untilEnd(outcomeOf(ask(es)), () => asked);
    assert.propertyVal(outcome, 'name', 'TimeoutError');
    await es.close();
    return asked;
  }

  it('gets one attempt if it has one node', async () => {
    assert.equal(await attempts(1), 1);
  });
  it('gets two attempts if it has several nodes and nothing else is answered', async () => {
    assert.equal(await attempts(3), 2);
  });
  it('gets one attempt at each of several nodes for a read by id', async () => {
    assert.equal(await attempts(3, {}, (es) => es.get({ index: 'products', id: '1' })), 3);
  });
  /** The connection pool alone may pick the same node twice while other requests use the other nodes. */
  it('gets an attempt at each node before any node gets a second one, if only some nodes answer', async () => {
    const answer = (_request: IncomingMessage, response: ServerResponse) => {
      response.setHeader('x-elastic-product', 'Elasticsearch');
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    };
    let silent = 0;
    nodes[0]?.on('request', answer);
    nodes[1]?.on('request', (request, response) => {
      if (request.url === '/') answer(request, response);
      else silent += 1;
    });
    nodes[2]?.on('request', () => (silent += 1));
    const deadlines = { ...DEADLINES, maxRetries: 2 };
    const es = createElasticsearch({ nodes: nodes.map(urlOf), auth: null, caFile: null }, deadlines);
    const pool = es.connectionPool;
    const pick = () => pool.getConnection({ now: 0, requestId: 0, name: '', context: null });
    const [well, , gone] = pool.connections;
    // The pool never chooses the third node: it chooses the second one next, even after that has failed
    // twice.
    for (let i = 0; i < 3; i += 1) if (gone !== undefined) pool.markDead(gone);
    for (let i = 0; i < 300 || pick() !== well; i += 1) pick();
    const search = es.search({ index: 'products' });
    const found = await untilEnd(
      search,
      () => silent,
      () => es.info(),
    );
    assert.deepEqual(found, {} as never);
    assert.isAbove(silent, 0);
    await es.close();
  });
  /** The connection pool of the client may return no node after every node has failed, some more often than others. */
  it('is asked even if the connection pool selects no node', async () => {
    for (const node of nodes)
      node.on('request', (_request, response: ServerResponse) => {
        response.setHeader('x-elastic-product', 'Elasticsearch');
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    const es = createElasticsearch({ nodes: nodes.map(urlOf), auth: null, caFile: null }, DEADLINES);
    const pool = es.connectionPool;
    const first = pool.getConnection({ now: 0, requestId: 0, name: '', context: null });
    for (const node of [first, ...pool.connections]) if (node !== null) pool.markDead(node);
    assert.deepEqual(await es.info(), {} as never);
    await es.close();
  });
  /** Elasticsearch may forward a search to a copy on a node that hangs, whichever node receives the search. */
  it('is asked again for its own copies, the first node as well', async () => {
    const received: string[] = [];
    let silent = 0;
    nodes.forEach((node, i) =>
      node.on('request', ({ url = '' }: IncomingMessage, response: ServerResponse) => {
        if (url !== '/') received.push(`${i} ${url}`);
        if (url !== '/' && !(i === 0 && url.includes('_local'))) {
          silent += 1;
          return;
        }
        response.setHeader('x-elastic-product', 'Elasticsearch');
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      }),
    );
    const es = createElasticsearch({ nodes: nodes.map(urlOf), auth: null, caFile: null }, DEADLINES);
    const search = es.search({ index: 'products' });
    const found = await untilEnd(
      search,
      () => silent,
      () => es.info(),
    );
    assert.deepEqual(found, {} as never);
    const [first, ...retries] = received;
    assert.equal(first, '0 /products/_search');
    assert.sameMembers(
      retries.slice(0, 2),
      [1, 2].map((i) => `${i} /products/_search?preference=_local`),
    );
    assert.deepEqual(retries.slice(2), ['0 /products/_search?preference=_local']);
    await es.close();
  });
  it('opens the circuit for all requests after five consecutive requests without any answer', async () => {
    const es = createElasticsearch({ nodes: nodes.slice(0, 1).map(urlOf), auth: null, caFile: null });
    const info = () => outcomeOf(es.info({}, DEADLINES));
    for (let i = 0; i < 5; i += 1)
      assert.propertyVal(await untilEnd(info(), () => asked - i), 'name', 'TimeoutError');
    assert.isTrue(isBrokenCircuitError(await info()));
    assert.equal(asked, 5);
    await es.close();
  });

  /** undici's own timers would end some of these requests half a second early, with a `ConnectionError`. */
  it('is waited for until the deadline', async () => {
    const nodesOf = { nodes: nodes.slice(0, 1).map(urlOf), auth: null, caFile: null };
    const es = createElasticsearch(nodesOf, { requestTimeout: 1_990, maxRetries: 0 });
    // undici's timers share a tick of 499 ms. Therefore requests are started at different times of the tick.
    const starts = [0, 100, 200, 300, 400];
    const outcomes = await Promise.all(starts.map((ms) => sleep(ms).then(() => outcomeOf(es.info()))));
    for (const outcome of outcomes) assert.propertyVal(outcome, 'name', 'TimeoutError');
    await es.close();
  });

  /** undici itself gives up a connection only after several seconds. */
  it('fails at the deadline if it accepts connections and sends nothing', async () => {
    const server = createSocketServer(() => undefined);
    const url = (await listening(server)).replace('http', 'https');
    const nodesOf = { nodes: [url], auth: null, caFile: null };
    const es = createElasticsearch(nodesOf, { requestTimeout: 100, maxRetries: 0 });
    assert.propertyVal(await outcomeOf(es.info()), 'name', 'TimeoutError');
    const abort = new AbortController();
    const asked = outcomeOf(es.info({}, { signal: abort.signal, requestTimeout: 60_000 }));
    abort.abort();
    assert.propertyVal(await asked, 'name', 'RequestAbortedError');
    await es.close();
    server.close();
  });

  it('fails at the deadline if an answer begins and does not end', async () => {
    const server = createServer((_request, response) => {
      response.setHeader('x-elastic-product', 'Elasticsearch');
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"took":');
    });
    const nodesOf = { nodes: [await listening(server)], auth: null, caFile: null };
    const es = createElasticsearch(nodesOf, { requestTimeout: 300, maxRetries: 0 });
    assert.propertyVal(await outcomeOf(es.search()), 'name', 'TimeoutError');
    await es.close();
    server.closeAllConnections();
    server.close();
  });

  it('is asked again if an answer breaks off, whether it is parsed or not', async () => {
    let answers = 0;
    const server = createServer((_request, response) => {
      answers += 1;
      response.writeHead(200, {
        'x-elastic-product': 'Elasticsearch',
        'content-type': 'application/json',
        'content-length': 14,
      });
      response.write('{"took":');
      // The second part arrives in a packet of its own.
      if (answers % 2 === 0) setImmediate(() => response.end('12345}'));
      else setImmediate(() => response.destroy());
    });
    const nodesOf = { nodes: [await listening(server)], auth: null, caFile: null };
    const es = createElasticsearch(nodesOf, { requestTimeout: 60_000, maxRetries: 1 });
    assert.deepEqual(await outcomeOf(es.search()), { took: 12_345 });
    const { body } = (await es.search({}, { asStream: true, meta: true })) as unknown as { body: Buffer };
    assert.equal(body.toString(), '{"took":12345}');
    assert.equal(answers, 4);
    await es.close();
    server.close();
  });

  /** Slow requests of one client must not open the circuit for others. */
  it('does not open the circuit while it answers other requests', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/slow/_search') return;
      response.setHeader('x-elastic-product', 'Elasticsearch');
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    const es = createElasticsearch({ nodes: [await listening(server)], auth: null, caFile: null });
    const search = (index: string) => outcomeOf(es.search({ index }, DEADLINES));
    for (let i = 0; i < 3; i += 1) {
      const slow = Array.from({ length: 10 }, () => search('slow'));
      assert.deepEqual(await search('quick'), {});
      passDeadlines();
      for (const outcome of await Promise.all(slow)) assert.propertyVal(outcome, 'name', 'TimeoutError');
    }
    assert.deepEqual(await search('quick'), {});
    server.closeAllConnections();
    server.close();
    await es.close();
  });

  it('gets no second attempt for a request that must not be repeated', async () => {
    assert.equal(await attempts(3, { maxRetries: 0 }), 1);
  });
});
