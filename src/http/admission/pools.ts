import { tooManyExports, tooManyFollowers } from '../../platform/errors.js';
import { shareOf } from '../../platform/config/config.js';
import { AdaptiveLimit } from './adaptive-limit.js';
import { ConcurrencySlots, type PoolBounds } from './concurrency-slots.js';

/** The pools of concurrency slots of one process. */
export interface Pools {
  /** Requests to Elasticsearch, but those of uploads. A slot stands for a millisecond of its estimated processor time. */
  requests: ConcurrencySlots;
  /** Uploads that are received, each of which takes up to 10 MB of memory. A client has one at a time. */
  uploads: ConcurrencySlots;
  /** Uploads whose listings are written. */
  load: ConcurrencySlots;
  /** Exports, each of about half a megabyte. A request never waits, because an export lasts as long as its client reads. */
  exports: ConcurrencySlots;
  /** Readings of the change feed, whose pages may have megabytes. Clients that have read equally far share one. */
  changeReads: ConcurrencySlots;
  /** Clients that wait for changes. If no slot is free, a client is refused at once. */
  followers: ConcurrencySlots;
}

/** The number of slots of the pools that do not adapt. */
const SIZES = { uploads: 8, load: 2, exports: 32, changeReads: 4, followers: 1_000 };

/**
 * The bounds of the number of simple searches that Elasticsearch processes at the same time, and the time in ms that one may
 * take. If it takes several times as long as on an idle machine, requests wait for each other inside Elasticsearch, where the
 * order is not fair; the wait belongs into the queue of the service.
 */
const SEARCHES = { min: 8, initial: 32, max: 512, targetMs: 200 };

/** The processor time of Elasticsearch for a simple search, in ms. */
const SEARCH_MS = 20;

/** The shares of the slots for one request and one client. A client that is alone leaves some slots free for the next client. */
const SHARES = { request: 1 / 8, alone: 3 / 4, member: 1 / 2, short: 2 * SEARCH_MS };

/**
 * The processor time in ms that the requests of a client may hold for each processor of Elasticsearch while others use the
 * service. With two processors, one expensive request of a client runs at a time, and the other processor is free for others; of
 * cheap requests, as many run as take no longer than an expensive one.
 */
const SHARED_MS = 10;

/** The shares of a pool of requests of equal size. @param shared the slots of a client while others use the pool. */
const ofClient = (shared: number, alone: number) => ({ request: 1, client: () => shared, alone, member: 1 });

interface PoolOptions {
  workers?: number;
  processors?: () => number;
  clock?: () => number;
}

/**
 * Creates the pools of one process. Each process of an instance gets an equal share of the slots, because all
 * of them use the same Elasticsearch cluster.
 * @param workers the number of processes of the instance.
 * @param processors returns the number of processors of Elasticsearch.
 * @param clock a monotonic clock in ms, for tests.
 */
export function createPools({ workers = 1, processors = () => 2, clock }: PoolOptions = {}): Pools {
  const share = (slots: number) => shareOf(slots, workers);
  const { min, initial, max, targetMs } = SEARCHES;
  const fixed = (pool: keyof typeof SIZES, bounds: Omit<PoolBounds, 'limit'>) => {
    const size = share(SIZES[pool]);
    return new ConcurrencySlots({ limit: { size: () => size }, ...bounds });
  };
  const adaptive = new AdaptiveLimit({ min: share(min), initial: share(initial), max: share(max), targetMs });
  return {
    requests: new ConcurrencySlots(
      {
        limit: {
          size: (now) => adaptive.size(now) * SEARCH_MS,
          // The time of an expensive request is scaled to that of a search. Below the limit, times do not show that it is too
          // low.
          observe: (tookMs, now, slots, isFull) => {
            const asSearch = (tookMs * SEARCH_MS) / Math.max(slots, SEARCH_MS);
            if (isFull || asSearch > targetMs) adaptive.observe(asSearch, now);
          },
        },
        // Even on a busy machine with few slots, fifty parallel requests of one client find room in the queue.
        queue: 8 / SEARCH_MS,
        maxWait: 5_000,
        overload: { after: 200, maxWait: 500 },
        shares: { ...SHARES, client: () => share(processors() * SHARED_MS) },
      },
      clock,
    ),
    uploads: fixed('uploads', { queue: 4, maxWait: 3_000, shares: ofClient(1, 0) }),
    // The queue has room for every upload that is being received, so that no client must send its body again.
    load: fixed('load', { queue: share(SIZES.uploads) / share(SIZES.load), maxWait: 30_000 }),
    // Each process counts exports by itself, so the slots of a key are divided by the number of processes.
    exports: fixed('exports', {
      queue: 0,
      maxWait: 0,
      refusal: tooManyExports,
      shares: ofClient(share(SIZES.exports / 4), 1 / 2),
    }),
    changeReads: fixed('changeReads', { queue: 64, maxWait: 5_000, shares: ofClient(1, 1 / 2) }),
    followers: fixed('followers', { queue: 0, maxWait: 0, refusal: tooManyFollowers }),
  };
}
