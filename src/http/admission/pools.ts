import { shareOf } from '../../platform/config/config.js';
import { DEEP_SLOTS, type Pool } from '../../usecases/shared/cost.js';
import { tooManyExports, tooManyFollowers } from '../../platform/errors.js';
import { AdaptiveLimit } from './adaptive-limit.js';
import { ConcurrencySlots, type PoolBounds } from './concurrency-slots.js';

/**
 * The pools of concurrency slots, one for each kind of request. `cost` of an endpoint names the pool and the
 * number of slots.
 */
export type Pools = Record<Pool, ConcurrencySlots> & {
  /**
   * The slots that a request without a key holds in addition to those of its cost. They are shared among addresses; in the
   * other pools, all requests without a key are of one client.
   */
  public: ConcurrencySlots;
};

/** The client of all requests without a key together. */
export const PUBLIC_CLIENT = 'public';

/**
 * The bounds of the pool for ordinary requests, with which Elasticsearch answers in well under a second even under five
 * times the load that it can serve. It searches with four threads on two cores; with more than a few slots per thread,
 * requests would wait inside Elasticsearch, where the wait counts against their deadline.
 */
const LIGHT = { min: 8, initial: 32, max: 512, targetMs: 400 };

/**
 * The shares of a pool that one request and one client may hold. Two clients with the most expensive requests leave
 * room for others, and one client leaves half of the slots.
 */
const SHARES = { request: 1 / 4, client: 1 / 2 };

/** The number of slots for comparisons. */
const HEAVY_SLOTS = 20;

/**
 * The number of slots for requests without a key. It is less than half of the slots for ordinary requests, so that any
 * number of addresses leaves room for requests with a key; one address may hold `PUBLIC_SLOTS_PER_ADDRESS`.
 */
const PUBLIC_SLOTS = 12;

export const PUBLIC_SLOTS_PER_ADDRESS = 4;

/** The maximum number of slots of a comparison or deep page without a key. A request that costs more needs a key. */
export const PUBLIC_HEAVY_SLOTS = HEAVY_SLOTS / 2;

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
  const { min, initial, max, targetMs } = LIGHT;
  const adaptive = new AdaptiveLimit({ min: share(min), initial: share(initial), max: share(max), targetMs });
  return {
    light: new ConcurrencySlots(
      {
        limit: adaptive,
        // The queue has room for fifty parallel requests of one client even on a busy machine, whose number
        // of slots has fallen.
        queue: 0.5,
        queueAtLeast: 64,
        maxWait: 5_000,
        overload: { after: 200, maxWait: 500 },
        shares: SHARES,
      },
      clock,
    ),
    public: fixed(share(PUBLIC_SLOTS), {
      queue: 4,
      maxWait: 3_000,
      perClient: { slots: PUBLIC_SLOTS_PER_ADDRESS, waiting: 2 * PUBLIC_SLOTS_PER_ADDRESS },
    }),
    heavy: fixed(share(HEAVY_SLOTS), { queue: 2, maxWait: 3_000, shares: SHARES }),
    deep: fixed(share(DEEP_SLOTS), { queue: 1, maxWait: 3_000, shares: SHARES }),
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
