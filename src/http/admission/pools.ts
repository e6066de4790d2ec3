import { tooManyExports, tooManyFollowers } from '../../platform/errors.js';
import { shareOf } from '../../platform/config/config.js';
import { AdaptiveLimit } from './adaptive-limit.js';
import { ConcurrencySlots, type PoolBounds } from './concurrency-slots.js';

/** The pools of concurrency slots in which requests wait. */
export interface Pools {
  /** All requests but uploads. A slot stands for a millisecond of estimated processor time. */
  requests: ConcurrencySlots;
  /** Uploads whose listings are written. */
  load: ConcurrencySlots;
}

/**
 * The bounds of the number of simple searches that run at the same time, with which Elasticsearch answers in well under a
 * second even under five times the load that it can serve. It searches with four threads on two cores; with more than a few
 * searches per thread, requests would wait inside Elasticsearch, where the wait counts against their deadline.
 */
const SEARCHES = { min: 8, initial: 32, max: 512, targetMs: 400 };

/** The processor time of a simple search, in ms. */
const SEARCH_MS = 30;

/**
 * The shares of a pool that one request and one client may hold. Two clients with the most expensive requests leave
 * room for others, and one client leaves half of the slots.
 */
const SHARES = { request: 1 / 4, client: 1 / 2 };

/**
 * The number of uploads that may be received at the same time. It is limited because each takes up to 10 MB
 * of memory.
 */
const UPLOADS_RECEIVED = 8;

/** The number of uploads whose listings may be written at the same time. */
const UPLOADS_LOADED = 2;

/**
 * The number of exports that may be in progress at the same time. It is limited because each holds about half
 * a megabyte of memory.
 */
const EXPORTS = 32;

/**
 * Creates the pools of one process. Each process of an instance gets an equal share of the slots, because all
 * of them use the same Elasticsearch cluster.
 * @param workers the number of processes of the instance.
 * @param clock a monotonic clock in ms, for tests.
 */
export function createPools(workers = 1, clock?: () => number): Pools {
  const share = (slots: number) => shareOf(slots, workers);
  const { min, initial, max, targetMs } = SEARCHES;
  const adaptive = new AdaptiveLimit({ min: share(min), initial: share(initial), max: share(max), targetMs });
  return {
    requests: new ConcurrencySlots(
      {
        limit: {
          size: (now) => adaptive.size(now) * SEARCH_MS,
          // An expensive request takes longer than a search although nothing else runs.
          observe: (heldMs, now, slots) => {
            adaptive.observe(heldMs - Math.max(0, slots - SEARCH_MS), now);
          },
        },
        // The queue has room for fifty parallel requests of one client even on a busy machine, whose number
        // of slots has fallen.
        queue: 0.5 / SEARCH_MS,
        queueAtLeast: 64,
        maxWait: 5_000,
        overload: { after: 200, maxWait: 500 },
        shares: SHARES,
      },
      clock,
    ),
    // The queue has room for every upload that is being received, so that no client must send its body again.
    load: fixed(share(UPLOADS_LOADED), {
      queue: share(UPLOADS_RECEIVED) / share(UPLOADS_LOADED),
      maxWait: 30_000,
    }),
  };
}

/**
 * Creates the slots for exports. A request for an export never waits for a slot but is refused if none is
 * free, because an export lasts as long as its client reads.
 */
export const createExportSlots = (workers = 1): ConcurrencySlots =>
  fixed(shareOf(EXPORTS, workers), { queue: 0, maxWait: 0, refusal: tooManyExports });

/**
 * Creates the slots for request bodies that are being received. A client has one slot at a time, so its
 * further requests wait.
 */
export const createUploadSlots = (workers = 1): ConcurrencySlots =>
  fixed(shareOf(UPLOADS_RECEIVED, workers), {
    queue: 4,
    maxWait: 3_000,
    perClient: { slots: 1, waiting: 4 },
  });

/**
 * The number of readings of the change feed at the same time. It is small, because clients that have read equally far
 * share a reading, and each page may have megabytes.
 */
const CHANGE_READS = 4;

/** The number of clients that may wait for changes at the same time. */
const FOLLOWERS = 1_000;

/** Creates the slots for reading changes, which no other request needs. */
export const createChangeReadSlots = (workers = 1): ConcurrencySlots =>
  fixed(shareOf(CHANGE_READS, workers), { queue: 64, maxWait: 5_000 });

/** Creates the slots for clients that wait for changes. If none is free, a client is refused at once. */
export const createFollowerSlots = (workers = 1): ConcurrencySlots =>
  fixed(shareOf(FOLLOWERS, workers), { queue: 0, maxWait: 0, refusal: tooManyFollowers });

const fixed = (size: number, bounds: Omit<PoolBounds, 'limit'>): ConcurrencySlots =>
  new ConcurrencySlots({ limit: { size: () => size }, ...bounds });
