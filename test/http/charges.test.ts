// Runs alone: it measures the processor time of this process and of an engine of its own.
// Chaos only (engines, 5 min): it starts an engine of its own, and sends thousands of requests, because single measurements say little.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { temporaryFolder } from '../../scripts/shared/places.js';
import { ConcurrencySlots } from '../../src/http/admission/concurrency-slots.js';
import { endpoints } from '../../src/http/routes/index.js';
import { findExpensive } from '../../tools/expensive-requests/seeded-search.js';
import { type LocalEngine, startLocalElasticsearch } from '../../tools/local-services/index.js';
import { useApi } from '../support/api.js';
import { record } from '../support/listings.js';

const LISTINGS = 400;
/** The number of random requests of an endpoint of which the one that takes longest is the worst. */
const TRIES = 4;
/** How often the requests are charged while others are sent, and measured alone, in alternation, and how often each one is sent. */
const ROUNDS = 4;
const REPEATED = 8;
/** The number of requests that are sent at the same time while they are charged. */
const TOGETHER = 2;

/** The unit in which Linux counts processor time. */
const TICK_MS = 10;

interface Sent {
  method: string;
  path: string;
  body?: unknown;
  authorization: string;
}

/** The program of the client, which runs in a process of its own, so that it takes no processor time of this process. */
const CLIENT = `
process.on('message', async ({ requests, together }) => {
  const started = performance.now();
  const statuses = new Set();
  const send = async () => {
    for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
      const { url, method, authorization, body } = next;
      const headers = { authorization, accept: 'application/json, text/event-stream' };
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      if (body !== undefined) headers['content-type'] = 'application/json';
      const response = await fetch(url, { method, headers, ...init });
      await response.arrayBuffer();
      statuses.add(response.status);
    }
  };
  await Promise.all(Array.from({ length: together }, send));
  process.send({ ms: performance.now() - started, statuses: [...statuses] });
});
`;

describe('what a request is charged', function () {
  this.timeout(900_000);
  let engine: LocalEngine;
  const name = (at: number) =>
    `Harrow kettle ${at % 40} of steel, ${at % 7} litres, ${'with lid '.repeat(at % 4)}`;
  const records = Array.from({ length: LISTINGS }, (_, at) =>
    record({ sku: `s${at}`, name: name(at), source: `shop_${at % 8}` }),
  );
  const api = useApi(records, async () => {
    engine = await startLocalElasticsearch({ log: () => undefined });
    return { ELASTICSEARCH_URL: engine.url };
  });
  const file = join(temporaryFolder('charges'), 'client.mjs');
  writeFileSync(file, CLIENT);
  const client = fork(file, { execArgv: [] });
  /** What each developer has been charged, in ms. */
  const charged = new Map<string, number>();
  const { charge } = ConcurrencySlots.prototype;
  before(() => {
    ConcurrencySlots.prototype.charge = function (request, spent) {
      charged.set(request.client, (charged.get(request.client) ?? 0) + spent);
      charge.call(this, request, spent);
    };
  });
  after(async () => {
    ConcurrencySlots.prototype.charge = charge;
    client.kill();
    await engine.stop();
  });

  async function send(requests: readonly Sent[], together = 1): Promise<{ ms: number; statuses: number[] }> {
    client.send({ requests: requests.map((one) => ({ ...one, url: api.url + one.path })), together });
    const [reply] = (await once(client, 'message')) as [{ ms: number; statuses: number[] }];
    return reply;
  }

  /** The processor time in ms of this process and of the engine. */
  function used(): number {
    const { user, system } = process.cpuUsage();
    // The name of the program, in parentheses, may contain blanks. Statistics of Elasticsearch are up to a second old.
    const fields = readFileSync(`/proc/${engine.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const ticks = Number(fields[11]) + Number(fields[12]);
    return (user + system) / 1_000 + ticks * TICK_MS;
  }

  it('agrees with the processor time that it uses within a factor of two', async () => {
    const { items } = (await api.ok('/v1/search?q=kettle&limit=100')) as {
      items: { id: number; name: string }[];
    };
    const ids = items.map(({ id }) => id);
    const finder = `Bearer ${await api.key()}`;
    let tried = 0;
    const timed = async ({ method, path, body }: Omit<Sent, 'authorization'>) => {
      tried += 1;
      const authorization = tried % 500 === 0 ? `Bearer ${await api.key()}` : finder;
      const { ms, statuses } = await send([{ method, path, body, authorization }]);
      return statuses[0] === 200 ? ms : null;
    };
    const catalogue = { words: items.flatMap(({ name: text }) => text.split(' ')), ids };
    const worst = await findExpensive(timed, catalogue, { tries: TRIES, seed: 7 });
    const simple = simpleRequests(ids);
    const kinds = await Promise.all(
      [...simple, ...worst].map(async ({ method, path, body }, at) => {
        const authorization = `Bearer ${await api.key('premium', `kind-${at}`)}`;
        const of = at >= simple.length ? 'worst' : at % 2 === 0 ? 'cheapest' : 'usual';
        return { of, request: { method, path, body, authorization }, charged: 0, measured: 0 };
      }),
    );
    const requests = Array.from({ length: REPEATED }, () => kinds.map(({ request }) => request)).flat();
    // Each request is sent together with several others, in an order that has nothing to do with their costs.
    const order = requests.map((_, at) => requests[(at * 37) % requests.length] as Sent);
    const mixed = () => send(order, TOGETHER);
    // The first requests make the averages known.
    await mixed();
    await mixed();
    for (let round = 0; round < ROUNDS; round += 1) {
      charged.clear();
      await mixed();
      for (const [at, kind] of kinds.entries()) kind.charged += charged.get(`developer:kind-${at}`) ?? 0;
      for (const kind of kinds) {
        const before = used();
        await send(Array.from({ length: REPEATED }, () => kind.request));
        kind.measured += used() - before;
      }
    }
    const ratios = kinds.map(({ of, request, ...kind }) => ({
      of,
      name: `${request.method} ${request.path.slice(0, 100)}`,
      ratio: kind.charged / kind.measured,
      ms: kind.measured / ROUNDS / REPEATED,
    }));
    const table = ratios
      .map(({ of, name, ratio, ms }) => `${ratio.toFixed(2)} ${ms.toFixed(1)} ms ${of} ${name}`)
      .join('\n');
    const share = (most: number) =>
      ratios.filter(({ ratio }) => ratio >= 1 / most && ratio <= most).length / ratios.length;
    const meanOf = (some: typeof ratios) =>
      Math.exp(some.reduce((sum, { ratio }) => sum + Math.log(ratio), 0) / some.length);
    assert.closeTo(meanOf(ratios), 1, 0.5, `the geometric mean\n${table}`);
    for (const which of ['cheapest', 'usual', 'worst']) {
      const mean = meanOf(ratios.filter(({ of }) => of === which));
      assert.isAtLeast(mean, 1 / 2, `the geometric mean of the ${which} requests\n${table}`);
      assert.isAtMost(mean, 2, `the geometric mean of the ${which} requests\n${table}`);
    }
    // A request of a few milliseconds is charged too much on an idle machine and too little on a busy one, because the engine's
    // time of reading listings by id is a constant, and other work of both processes is part of what is measured.
    assert.isAtLeast(share(2), 0.75, `within a factor of two\n${table}`);
    assert.isAtLeast(share(4), 0.95, `within a factor of four\n${table}`);
  });
});

/** The cheapest and a usual request to each endpoint that only reads, in turn. */
function simpleRequests(ids: readonly number[]): Omit<Sent, 'authorization'>[] {
  const [id = 0] = ids;
  const get = (path: string) => ({ method: 'GET', path });
  const post = (path: string, body: unknown) => ({ method: 'POST', path, body });
  const call = (at: number, q: string) => ({
    jsonrpc: '2.0',
    id: at,
    method: 'tools/call',
    params: { name: 'search_products', arguments: { q } },
  });
  const read = endpoints.filter(
    ({ method, access, path, pool }) =>
      method === 'get' && /^(?:read|suggestions)$/.test(access) && pool !== null && !path.includes('flag'),
  );
  return [
    ...read.flatMap(({ path, query }) => {
      const { properties } = query;
      const of = (q: string, limit: number) => {
        const given: Record<string, string> = { q, limit: String(limit), product_id: String(id) };
        const known = Object.entries(given).filter(([member]) => member in properties);
        if (path.endsWith('/lookup')) known.push(['gtin', '4006381333931']);
        const parameters = new URLSearchParams(known).toString();
        return get(`${path.replace('{product_id}', String(id))}?${parameters}`);
      };
      return [of('zzzz', 1), of('harrow kettle', 20)];
    }),
    get('/v1/products/export?format=csv&limit=1'),
    get('/v1/products/export?format=csv&limit=300'),
    post('/v1/products/compare', { product_ids: ids.slice(0, 2) }),
    post('/v1/products/compare', { product_ids: ids.slice(0, 10) }),
    post('/v1/products/compare/diff', { product_ids: ids.slice(0, 2) }),
    post('/v1/products/compare/diff', { product_ids: ids.slice(0, 5) }),
    post('/v1/products/price-history', { product_ids: ids.slice(0, 1) }),
    post('/v1/products/price-history', { product_ids: ids.slice(0, 10) }),
    post('/mcp', call(1, 'zzzz')),
    post('/mcp', call(1, 'harrow kettle')),
  ];
}
