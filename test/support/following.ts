import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { readFeed } from '../../src/feeds/read/feed.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { until } from './until.js';

/** The last acknowledged price of each listing of a writer, by SKU, and the number of acknowledged writes. */
export interface Written {
  source: string;
  prices: Map<string, string>;
  writes: number;
  stop(): Promise<void>;
}

/**
 * Starts a writer of a source of its own, whose every write changes the price of its listing.
 * @param options.perSecond the number of listings to write in a second, if the engine is as fast.
 * @param options.loadsPerSecond the number of loads in which they are written.
 */
export function startChanging(
  es: Client,
  prefix: string,
  options: { source: string; listings: number; perSecond: number; loadsPerSecond: number },
): Written {
  const { source, listings, perSecond, loadsPerSecond } = options;
  let running = true;
  let turn = 0;
  const written: Written = {
    source,
    prices: new Map(),
    writes: 0,
    async stop() {
      running = false;
      await loop;
    },
  };
  const write = async () => {
    while (running) {
      const since = performance.now();
      turn += 1;
      // The listings of a load are spread over the catalogue, and some of them are in the next load again.
      const records = Array.from({ length: Math.ceil(perSecond / loadsPerSecond) }, (_, i) => ({
        sku: `S${(turn * 37 + i * 11) % listings}`,
        source,
        name: `Kettle ${i % 5} of steel`,
        price: `${turn}.${String(i % 100).padStart(2, '0')}`,
        currency: 'SGD',
      }));
      const distinct = new Map(records.map((record) => [record.sku, record]));
      const lines = [...distinct.values()].map((record) => `${JSON.stringify(record)}\n`);
      const summary = await loadRecords({ es, indexPrefix: prefix, records: readFeed(Readable.from(lines)) });
      assert.deepInclude(summary, { read: distinct.size, rejected: 0 });
      for (const { sku, price } of distinct.values()) written.prices.set(sku, price);
      written.writes += distinct.size;
      await sleep(Math.max(0, 1_000 / loadsPerSecond - (performance.now() - since)));
    }
  };
  const loop = write();
  // The error is reported to the caller of `stop`.
  loop.catch(() => undefined);
  return written;
}

interface Item {
  id: number;
  kinds: string[];
  product: { source: string; sku: string; price: string } | null;
}

/** A client that follows `GET /v1/changes`, and what it has received. */
export interface Follower {
  name: string;
  listings: Map<number, NonNullable<Item['product']>>;
  resyncs: number;
  pages: number;
  /** Waits until it has read everything, and stops. */
  finish(): Promise<void>;
}

/**
 * Starts a client that follows changes from the start. It repeats a request with the same cursor if the service does not answer.
 * @param options.query further parameters, such as `limit=20`.
 * @param options.pauseMs how long the client is busy with a page.
 */
export function startFollower(
  url: () => string,
  { name, key, query, pauseMs }: { name: string; key: string; query: string; pauseMs: number },
): Follower {
  let finishing = false;
  const follower: Follower = {
    name,
    listings: new Map(),
    resyncs: 0,
    pages: 0,
    async finish() {
      finishing = true;
      await loop;
    },
  };
  const follow = async () => {
    let at = 'from=start';
    for (;;) {
      const isLast = finishing;
      const reply = await fetch(`${url()}/v1/changes?${at}&${query}&wait=${isLast ? 0 : 2}`, {
        headers: { authorization: `Bearer ${key}` },
      }).catch(() => null);
      const page = reply?.ok === true ? await reply.json().catch(() => null) : null;
      if (page === null) {
        assert.isTrue(reply === null || reply.ok || reply.status >= 429, `${name}: ${reply?.status}`);
        await sleep(200);
        continue;
      }
      const { items, cursor, has_more, resync } = page as {
        items: Item[];
        cursor: string;
        has_more: boolean;
        resync: boolean;
      };
      for (const { id, product } of items) {
        if (product === null) follower.listings.delete(id);
        else follower.listings.set(id, product);
      }
      follower.pages += 1;
      follower.resyncs += resync ? 1 : 0;
      at = `cursor=${cursor}`;
      if (isLast && !has_more) return;
      await sleep(isLast ? 0 : pauseMs);
    }
  };
  const loop = follow();
  loop.catch(() => undefined);
  return follower;
}

/** The last line of each id in a file of `npm run changes`. */
export function mirrorOf(lines: string): Follower['listings'] {
  const listings: Follower['listings'] = new Map();
  for (const line of lines.split('\n').filter((text) => text !== '')) {
    const { id, product } = JSON.parse(line) as Item;
    if (product === null) listings.delete(id);
    else listings.set(id, product);
  }
  return listings;
}

/** Asserts that a reader has every listing as of its last acknowledged write. @returns the number of those writes. */
export function assertHasAll(
  name: string,
  listings: Follower['listings'],
  writers: readonly Written[],
): number {
  const received = new Map(
    [...listings.values()].map(({ source, sku, price }) => [`${source}/${sku}`, price]),
  );
  const wrong = writers.flatMap(({ source, prices }) =>
    [...prices].flatMap(([sku, price]) =>
      received.get(`${source}/${sku}`) === price
        ? []
        : [`${source}/${sku}: ${received.get(`${source}/${sku}`)} instead of ${price}`],
    ),
  );
  assert.deepEqual(wrong.slice(0, 10), [], `${name} misses ${wrong.length} writes`);
  return writers.reduce((sum, { writes }) => sum + writes, 0);
}

/** Waits until each writer has written more. */
export async function untilMoreIsWritten(writers: readonly Written[], writes: number): Promise<void> {
  const before = writers.map((writer) => writer.writes);
  await until(() => writers.every((writer, at) => writer.writes >= (before[at] ?? 0) + writes));
}
