import { shareOf } from '../../platform/config/config.js';
import { DEEP_PLACES, type Pool } from '../../usecases/shared/cost.js';
import { tooManyExports } from '../../platform/errors.js';
import { AdaptiveLimit } from './adaptive-limit.js';
import { type Limit, Places } from './slots.js';

/**
 * With these, an engine that is asked five times too much answers what it takes in well under a second. A two-core engine
 * searches with four threads: more than a few slots each only move the wait from our queue into its deadline.
 */
const LIGHT_BOUNDS = { least: 8, first: 32, most: 512, target: 400 };

/** Fifty parallel light requests of one client wait in the queue, also on a busy machine; a lasting overload does not. */
const LIGHT_QUEUE = {
  queue: 0.5,
  queueAtLeast: 64,
  patience: 5_000,
  overload: { after: 200, patience: 500 },
};

/** One of the largest matrices: two at once are done no sooner, and keep searches waiting twice as long. */
const HEAVY_PLACES = 20;

/** Each holds half a megabyte or so. */
const EXPORT_PLACES = 32;

const fixed = (size: number): Limit => ({ size: () => size });

/** Bodies that are received at the same time: each takes up to 10 MB of memory. */
const UPLOADS_RECEIVED = 8;

/** Uploads that are loaded at the same time: they write while others search. */
const UPLOADS_LOADED = 2;

/** Places for requests of each kind. */
export type Pools = Record<Pool, Places>;

/**
 * The places of one process: its share of those of the instance, because all processes ask the same engine.
 * @param workers how many processes the instance has.
 * @param clock see `Places`.
 */
export function createPools(workers = 1, clock?: () => number): Pools {
  const share = (places: number) => shareOf(places, workers);
  const { least, first, most, target } = LIGHT_BOUNDS;
  const bounds = { least: share(least), first: share(first), most: share(most), target };
  return {
    light: new Places({ limit: new AdaptiveLimit(bounds), ...LIGHT_QUEUE }, clock),
    heavy: new Places({ limit: fixed(share(HEAVY_PLACES)), queue: 2, patience: 3_000 }),
    deep: new Places({ limit: fixed(share(DEEP_PLACES)), queue: 1, patience: 3_000 }),
    // As many may wait as are received, so that no client has to send its body again.
    load: new Places({
      limit: fixed(share(UPLOADS_LOADED)),
      queue: share(UPLOADS_RECEIVED) / share(UPLOADS_LOADED),
      patience: 30_000,
    }),
  };
}

/** An export lasts as long as its client reads: nobody waits for it, and no client has more than a few. */
export const createExportPlaces = (workers = 1): Places =>
  new Places({
    limit: fixed(shareOf(EXPORT_PLACES, workers)),
    queue: 0,
    patience: 0,
    refusal: tooManyExports,
  });

/**
 * Takes a slot for a body.
 * @param client the id of the key that sends it.
 * @returns what gives the slot back.
 * @throws ApiError 503 where none was free in time.
 */
export type UploadSlots = (client: string) => Promise<() => void>;

/** Slots for bodies that are being received; a client has one at a time, and its next request waits for that. */
export function createUploadSlots(workers = 1): UploadSlots {
  const bounds = { queue: 4, patience: 3_000 };
  const all = new Places({ limit: fixed(shareOf(UPLOADS_RECEIVED, workers)), ...bounds });
  const own = new Map<string, { places: Places; users: number }>();
  return async (client) => {
    const mine = own.get(client) ?? { places: new Places({ limit: fixed(1), ...bounds }), users: 0 };
    own.set(client, mine);
    mine.users += 1;
    const forget = () => {
      mine.users -= 1;
      if (mine.users === 0) own.delete(client);
    };
    let leaveOwn: (() => void) | undefined;
    try {
      leaveOwn = await mine.places.take({ client, places: 1 });
      const leave = await all.take({ client, places: 1 });
      return () => {
        leave();
        leaveOwn?.();
        forget();
      };
    } catch (error) {
      leaveOwn?.();
      forget();
      throw error;
    }
  };
}
