// Chaos only (hostile, sampled): it keeps the service busy with heavy requests of several keys.
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { readConfig } from '../../src/platform/config/config.js';
import { startApi, type Api, type Reply } from '../support/api.js';
import { startGate, type Gate, type Passing } from '../support/gate.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl } from '../support/services.js';
import { until } from '../support/until.js';

const BURSTS = 3;
const MATRICES = 25;
const PRODUCTS = 20;
const DEEP_PAGES = 12;
/** The minimum number of searches during the heavy requests, which continue until it is reached. */
const MIN_SEARCHES = 50;
/** The pause in ms between two searches, which leaves CPU time to other tests. */
const PAUSE_MS = 20;

/** A promise and its `resolve` function. */
function deferred() {
  let resolve = () => {
    // The initial function is replaced before it is called.
  };
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Tests that the heavy requests of one key do not delay the searches of another key. */
describe('the heavy requests of one key', function () {
  // On a machine that is busy for seconds, Elasticsearch exceeds the time limit of the service, and searches fail by chance.
  this.retries(2);
  let gate: Gate;
  let api: Api;
  let ids: number[];
  before(async () => {
    gate = await startGate(elasticsearchUrl);
    api = await startApi({ ELASTICSEARCH_URL: gate.url }, [], readConfig);
    const skus = Array.from({ length: MATRICES + PRODUCTS }, (_, i) => `s${i}`);
    await api.load(skus.map((sku) => record({ sku, name: `Kettle ${sku} of steel` })));
    ids = await Promise.all(skus.map((sku) => api.id(sku)));
  });
  beforeEach(() => {
    gate.watch(() => undefined);
  });
  after(async () => {
    await api.stop();
    await gate.close();
  });

  /** Delays engine requests until the test releases them, like an overloaded engine. */
  function hold(held: (passing: Passing) => boolean): () => void {
    const { promise: until, resolve: letGo } = deferred();
    gate.watch((passing) => (passing.answer === undefined && held(passing) ? until : undefined));
    return () => {
      gate.watch(() => undefined);
      letGo();
    };
  }

  /**
   * Sends searches of another key in sequence until `send` is settled.
   * @param send is given a function that tells whether the minimum number of searches has been sent.
   * @returns the failed searches.
   */
  async function searchesWhile(
    send: (isEnough: () => boolean) => Promise<Reply[]>,
  ): Promise<{ failed: Reply[]; count: number; others: Reply[] }> {
    const failed: Reply[] = [];
    let count = 0;
    const others = send(() => count > MIN_SEARCHES);
    const ended = others.then(() => true);
    // The key is replaced before it reaches its rate limit.
    let key = '';
    for (let running = true; running; count += 1) {
      if (count % 500 === 0) key = await api.key();
      const headers = { authorization: `Bearer ${key}` };
      const reply = await api.get(`/v1/search?q=kettle+s${count % 40}`, { headers });
      if (reply.status !== 200) failed.push(reply);
      running = !(await Promise.race([ended, sleep(PAUSE_MS, false)]));
    }
    return { failed, count, others: await others };
  }

  /** Sends bursts of comparisons, each with a new key, so that none exceeds its rate limit. */
  const matrices = async (isEnough: () => boolean): Promise<Reply[]> => {
    const replies: Reply[] = [];
    let headers = {};
    for (let burst = 0; burst < BURSTS || !isEnough(); burst += 1) {
      if (burst % BURSTS === 0) headers = { authorization: `Bearer ${await api.key('free')}` };
      const bodies = Array.from({ length: MATRICES }, (_, i) => ({
        product_ids: ids.slice(i, i + PRODUCTS),
      }));
      replies.push(
        ...(await Promise.all(bodies.map((body) => api.post('/v1/products/compare', body, { headers })))),
      );
    }
    return replies;
  };

  it('(comparisons that the engine cannot complete) fail no search of another key', async () => {
    const letGo = hold(({ line }) => line.includes('_msearch'));
    const { failed, count, others } = await searchesWhile(matrices);
    letGo();
    assert.deepEqual(failed, []);
    assert.isAbove(count, MIN_SEARCHES);
    assert.deepEqual([...new Set(others.map(({ status }) => status))], [503]);
    // After the heavy requests, every request is served again, at the latest when the circuit breaker has closed.
    await until(async () => (await api.get('/v1/search?q=kettle')).status === 200);
    const headers = { authorization: `Bearer ${await api.key('free')}` };
    const matrix = () => api.post('/v1/products/compare', { product_ids: ids.slice(0, 2) }, { headers });
    // The number of concurrent searches is lower than the number of slots, so that even a busy machine
    // refuses none.
    for (let sent = 0; sent < 60; sent += 6) {
      const searches = await Promise.all(Array.from({ length: 6 }, () => api.get('/v1/search?q=kettle')));
      assert.deepEqual([...new Set(searches.map(({ status }) => status))], [200]);
    }
    let status = 0;
    for (let i = 0; i < 90 && status !== 200; i += 1) ({ status } = await matrix());
    assert.equal(status, 200);
  });

  it('(tool calls of agents) share the concurrency slots of their key', async () => {
    const letGo = hold(({ line }) => line.includes('search'));
    const authorization = `Bearer ${await api.key('free')}`;
    const call = async (): Promise<string> => {
      const params = { name: 'find_best_price', arguments: { q: 'kettle of steel' } };
      const { body } = await api.open('/mcp', {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        headers: {
          authorization,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
      });
      return body.result.content[0].text;
    };
    const calls = Array.from({ length: 60 }, call);
    // Elasticsearch's responses are delayed, so the first response can only be a refusal.
    const first = await Promise.race(calls);
    assert.match(first, /- Service temporarily unavailable\. Retry after \d+ seconds\n/, first);
    letGo();
    await Promise.all(calls);
  });

  it('(deep pages that the engine cannot complete) fail no search of another key', async () => {
    const letGo = hold(({ body }) => body.includes('"search_after"') || body.includes('"from":49999'));
    const headers = { authorization: `Bearer ${await api.key('free')}` };
    const { failed, others } = await searchesWhile(() =>
      Promise.all(
        Array.from({ length: DEEP_PAGES }, (_, i) =>
          api.get(`/v1/search?q=kettle&sort=updated&offset=${60_000 + i}`, { headers }),
        ),
      ),
    );
    letGo();
    assert.deepEqual(failed, []);
    assert.deepEqual([...new Set(others.map(({ status }) => status))], [503]);
  });

  it('let a request of another key go first', async () => {
    // Every request to Elasticsearch is delayed, so that the burst lasts.
    const waiting: (() => void)[] = [];
    gate.watch(({ line, answer }) =>
      answer === undefined && line.includes('_msearch')
        ? new Promise<void>((resolve) => waiting.push(resolve))
        : undefined,
    );
    let rounds = 0;
    const pump = setInterval(() => {
      rounds += 1;
      for (const go of waiting.splice(0)) go();
    }, 100);
    const otherKey = { authorization: `Bearer ${await api.key('free')}` };
    const burstKey = { authorization: `Bearer ${await api.key('premium', 'burst')}` };
    const compare = (headers: Record<string, string>, from: number) =>
      api.post('/v1/products/compare', { product_ids: ids.slice(from, from + PRODUCTS) }, { headers });
    /** Compares listings with the other key, and returns the number of rounds of Elasticsearch that this took. */
    const ask = async (): Promise<number> => {
      const began = rounds;
      const { status, text } = await compare(otherKey, 15);
      assert.strictEqual(status, 200, text);
      return rounds - began;
    };
    const alone = await ask();
    const burst = Promise.all(Array.from({ length: 25 }, (_, i) => compare(burstKey, i)));
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const other = await ask();
    const served = (await burst).filter(({ status }) => status === 200);
    clearInterval(pump);
    gate.watch(() => undefined);
    // A slow machine may refuse the last requests of the burst, which have waited for too long.
    assert.isAtLeast(served.length, 10, 'requests of the burst that were served');
    // It waits at most for a request of the burst that is running, and then for its own searches.
    assert.isAtMost(other, 2 * alone + 2, 'rounds');
  });
});
