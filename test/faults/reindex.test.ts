// Chaos only (faults, 3 min): it reindexes a large catalogue, seven times.
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { startApi, type Api } from '../support/api.js';
import { isBrief } from '../support/chaos.js';
import { type Gate, startGate } from '../support/gate.js';
import { startCommand } from '../support/command.js';
import {
  acknowledge,
  assertNothingLost,
  fill,
  killPoints,
  type Ledger,
  nextRecords,
  reindexKilledAt,
  startWriter,
} from '../support/reindexing.js';
import { elasticsearchUrl } from '../support/services.js';

const LISTINGS = isBrief ? 20_000 : 100_000;

/** Starts readers that each send one request after another, and records the failures. */
function startReaders(api: Api, keys: string[], ids: number[]) {
  let running = true;
  const failures: string[] = [];
  let reads = 0;
  const read = async (path: string, key: string, isComplete: (body: any) => boolean) => {
    const { status, body, text } = await api.open(path, { headers: { authorization: `Bearer ${key}` } });
    reads += 1;
    if (status !== 200 || !isComplete(body)) failures.push(`${path}: ${status} ${text.slice(0, 200)}`);
  };
  const loops = keys.map(async (key, reader) => {
    for (let turn = reader; running; turn += 1) {
      const id = ids[turn % ids.length];
      await read('/v1/products?limit=5', key, ({ total, items }) => total >= LISTINGS && items.length === 5);
      await read(`/v1/products/${id}`, key, (product) => product.id === id);
      await read(`/v1/search?q=S${turn}+kettle&limit=3`, key, ({ items }) => items.length === 3);
      await read('/v1/categories', key, ({ total }) => total >= 5);
      await sleep(200);
    }
  });
  return {
    failures,
    get reads() {
      return reads;
    },
    async stop() {
      running = false;
      await Promise.all(loops);
    },
  };
}

describe(`a reindex of ${LISTINGS.toLocaleString('en')} listings`, function () {
  this.timeout(600_000);
  let api: Api;
  let gate: Gate;
  before(async () => {
    [api, gate] = await Promise.all([startApi(), startGate(elasticsearchUrl)]);
    await fill(api.es, api.prefix, LISTINGS);
  });
  after(async () => {
    await gate.close();
    await api.es.indices.delete({ index: `${api.prefix}-reindex`, ignore_unavailable: true });
    await api.stop();
  });

  it('loses no write and shows no gap, killed at every point and run again', async () => {
    const { es, prefix, products } = api;
    const { hits } = await es.search<{ id: number }>({ index: products, size: 50, _source: ['id'] });
    const ids = hits.hits.map(({ _source }) => _source?.id ?? 0);
    const readers = startReaders(api, await Promise.all([api.key(), api.key()]), ids);
    const writers = [0, 1].map((lane) => startWriter(es, prefix, LISTINGS, lane));
    const ingest = startIngest(prefix);
    try {
      for (const point of killPoints(prefix)) await reindexKilledAt(gate, prefix, point);
      const env = { ELASTICSEARCH_URL: elasticsearchUrl, INDEX_PREFIX: prefix };
      const last = await startCommand('scripts/reindex.ts', [], env).ended;
      assert.strictEqual(last.code, 0, last.err);
    } finally {
      await Promise.all([...writers, ingest, readers].map((each) => each.stop()));
    }
    assert.deepEqual(Object.keys(await es.indices.getAlias({ name: products })), [`${products}-v2`]);
    assert.deepEqual(readers.failures, [], `of ${readers.reads} reads`);
    const ledgers = [...writers.map(({ ledger }) => ledger), ingest.ledger];
    const writes = await assertNothingLost(es, prefix, LISTINGS, ledgers);
    console.log(`      ${writes} writes and ${readers.reads} reads accounted for`);
  });
});

/**
 * Runs `npm run ingest -- -` and writes records to it while it runs. The records count as acknowledged when
 * the command has succeeded.
 */
function startIngest(prefix: string) {
  let running = true;
  const ledger: Ledger = new Map();
  const { child, ended } = startCommand('scripts/ingest.ts', ['-'], {
    ELASTICSEARCH_URL: elasticsearchUrl,
    INDEX_PREFIX: prefix,
  });
  const feed = async () => {
    for (let turn = 0; running; turn += 63) {
      for (const record of nextRecords(turn, LISTINGS, 2)) {
        child.stdin?.write(`${JSON.stringify(record)}\n`);
        acknowledge(ledger, record.source, record.sku, record.price);
      }
      await sleep(500);
    }
    child.stdin?.end();
  };
  const fed = feed();
  return {
    ledger,
    async stop() {
      running = false;
      await fed;
      const { code, err } = await ended;
      assert.strictEqual(code, 0, err);
    },
  };
}
