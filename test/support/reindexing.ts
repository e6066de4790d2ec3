import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { readFeed } from '../../src/feeds/read/feed.js';
import { productsAlias } from '../../src/engine/indices.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { applyRecord } from '../../src/listing/merge.js';
import { listingId } from '../../src/listing/identify.js';
import { startCommand } from './command.js';
import type { Gate, Passing } from './gate.js';

/** A point at which a reindex is killed: when a certain request passes the proxy. */
export interface KillPoint {
  name: string;
  at: (passing: Passing) => boolean;
}

interface TaskAnswer {
  completed: boolean;
  task: { status?: { created: number; total: number } };
}

const task = ({ line, answer }: Passing): TaskAnswer | null =>
  line.startsWith('GET /_tasks/') && answer !== undefined ? (JSON.parse(answer) as TaskAnswer) : null;

/**
 * Returns all points at which a killed reindex leaves a different state, in the order in which a run reaches
 * them.
 */
export function killPoints(prefix: string): KillPoint[] {
  const alias = productsAlias(prefix);
  const answered = (request: string) => (passing: Passing) =>
    passing.line === request && passing.answer !== undefined;
  return [
    { name: 'after the index was created', at: answered(`PUT /${alias}-v2`) },
    {
      name: 'in the middle of the copy',
      at: (passing) => task(passing)?.completed === false && (task(passing)?.task.status?.created ?? 0) > 0,
    },
    { name: 'after the copy', at: (passing) => task(passing)?.completed === true },
    { name: 'before the block', at: ({ line }) => line === `PUT /${alias}-v1/_block/write` },
    { name: 'under the block', at: answered(`PUT /${alias}-v1/_block/write`) },
    { name: 'before the swap', at: ({ line }) => line === 'POST /_aliases' },
    { name: 'right after the swap', at: answered('POST /_aliases') },
  ];
}

/**
 * Runs `npm run reindex` through a proxy, and kills it with SIGKILL at a point. @throws Error if it does not
 * reach the point.
 */
export async function reindexKilledAt(gate: Gate, prefix: string, { name, at }: KillPoint): Promise<void> {
  const { child, ended } = startCommand('scripts/reindex.ts', [], {
    ELASTICSEARCH_URL: gate.url,
    INDEX_PREFIX: prefix,
  });
  gate.watch((passing) => {
    if (!at(passing)) return;
    child.kill('SIGKILL');
    // Neither Elasticsearch nor the killed process receives this request or its response.
    throw new Error('killed');
  });
  const { signal, out, err } = await ended;
  gate.watch(() => undefined);
  assert.strictEqual(signal, 'SIGKILL', `${name}: ended before:\n${out}${err}`);
}

/** Writes listings `S0`, `S1`… of the source `shop` directly into the index. */
export async function fill(es: Client, prefix: string, count: number): Promise<void> {
  const index = productsAlias(prefix);
  const now = new Date('2026-01-01T00:00:00Z');
  for (let start = 0; start < count; start += 5_000) {
    const operations = Array.from({ length: Math.min(5_000, count - start) }, (_, i) => {
      const sku = `S${start + i}`;
      const id = listingId('shop', sku, 0);
      const record = { ...plain(sku, 'shop'), price: '1.00', last_checked: '2026-01-01T00:00:00Z' };
      return `{"create":{"_id":"${id}"}}\n${JSON.stringify(applyRecord(null, record, { id, now }).listing)}`;
    });
    const { errors } = await es.bulk({ index, operations });
    assert.isFalse(errors);
  }
  await es.indices.refresh({ index });
}

const LINES = 1_000;

/**
 * A listing whose words only some twenty listings share. If thousands had the same relevance, a search would rank
 * those that its first phase met first, and two indices of the same listings would answer golden searches differently.
 */
const plain = (sku: string, source: string) => {
  const line = Number(sku.slice(1)) % LINES;
  return {
    sku,
    source,
    // With three words, the whole name and its first words are one golden search of a reindex.
    name: `Steel${line} kettle ${sku}`,
    currency: 'SGD',
    category: `Kitchen${line}`,
  };
};

/** The prices that a load has acknowledged, by source and SKU. */
export type Ledger = Map<string, string[]>;

/**
 * A writer that loads feeds one after another. Each has new prices for a part of the listings, and some new
 * listings.
 */
export interface Writer {
  ledger: Ledger;
  loads: number;
  /** Stops the writer after its current load. @throws the error of a failed load. */
  stop(): Promise<void>;
}

const PAUSE_MS = 200;
const BASE_TIME = Date.parse('2026-02-01T00:00:00Z');

/**
 * Starts a writer.
 * @param lane a number from 0 to 9. Writers with different lanes never use the same prices and times.
 */
export function startWriter(es: Client, prefix: string, listings: number, lane: number): Writer {
  let running = true;
  let turn = 0;
  const writer: Writer = {
    ledger: new Map(),
    loads: 0,
    async stop() {
      running = false;
      await loop;
    },
  };
  const write = async () => {
    while (running) {
      const records = nextRecords(turn, listings, lane);
      turn += records.length;
      const lines = records.map((record) => `${JSON.stringify(record)}\n`);
      const summary = await loadRecords({ es, indexPrefix: prefix, records: readFeed(Readable.from(lines)) });
      assert.deepInclude(summary, { read: records.length, rejected: 0 });
      for (const { source, sku, price } of records) acknowledge(writer.ledger, source, sku, price);
      writer.loads += 1;
      // The writer pauses, because Elasticsearch, the API, readers and a reindex may share two cores.
      await sleep(PAUSE_MS);
    }
  };
  const loop = write();
  // The error is reported to the caller of `stop`.
  loop.catch(() => undefined);
  return writer;
}

/** Returns records of sixty existing listings at different places of the catalogue, and of three new ones. */
export function nextRecords(turn: number, listings: number, lane: number) {
  return Array.from({ length: 63 }, (_, i) => {
    const number = (turn + i) * 10 + lane;
    const isNew = i >= 60;
    const source = isNew ? `new-${lane}` : 'shop';
    return {
      ...plain(isNew ? `N${number}` : `S${(number * 7_919) % listings}`, source),
      price: `${Math.floor(number / 100) + 2}.${String(number % 100).padStart(2, '0')}`,
      last_checked: new Date(BASE_TIME + number).toISOString(),
    };
  });
}

export function acknowledge(ledger: Ledger, source: string, sku: string, price: string): void {
  const key = `${source}/${sku}`;
  const prices = ledger.get(key) ?? [];
  ledger.set(key, prices);
  prices.push(price);
}

/**
 * Asserts that no write was lost: each acknowledged price is in the history of its listing, and nothing else
 * is missing.
 */
export async function assertNothingLost(
  es: Client,
  prefix: string,
  listings: number,
  ledgers: Ledger[],
): Promise<number> {
  const index = productsAlias(prefix);
  await es.indices.refresh({ index });
  const histories = new Map<string, Set<string>>();
  const fields = ['source', 'sku', 'internal.price_history'];
  const helper = es.helpers.scrollDocuments<StoredListing>({ index, size: 5_000, _source: fields });
  for await (const { source, sku, internal } of helper) {
    histories.set(`${source}/${sku}`, new Set(internal.price_history.map(({ price }) => price)));
  }
  const lost: string[] = [];
  let writes = 0;
  const expected = new Set(Array.from({ length: listings }, (_, i) => `shop/S${i}`));
  for (const ledger of ledgers) {
    for (const [key, prices] of ledger) {
      expected.add(key);
      writes += prices.length;
      for (const price of prices)
        if (histories.get(key)?.has(price) !== true) lost.push(`${key} at ${price}`);
    }
  }
  assert.deepEqual(lost, [], `of ${writes} writes`);
  const missing = [...expected].filter((key) => !histories.has(key));
  assert.deepEqual(missing, []);
  assert.strictEqual(histories.size, expected.size);
  return writes;
}

/** Deletes the indices with a prefix. */
export async function removeIndices(es: Client, prefix: string): Promise<void> {
  const indices = await es.indices.get({
    index: `${prefix}-*`,
    allow_no_indices: true,
    expand_wildcards: 'all',
    filter_path: '*.aliases',
  });
  for (const index of Object.keys(indices)) await es.indices.delete({ index });
}
