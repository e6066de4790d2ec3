import { DEEP_PLACES, type Pool } from '../cost.js';
import { tooManyExports } from '../errors.js';
import { AdaptiveLimit } from './adaptive-limit.js';
import { type Limit, Places } from './places.js';

/** With these, an engine that is asked five times too much answers what it takes in well under a second. */
const LIGHT_BOUNDS = { least: 32, first: 128, most: 512, target: 400 };

/** One of the largest matrices: two at once are done no sooner, and keep searches waiting twice as long. */
const HEAVY_PLACES = 20;

/** Each holds half a megabyte or so. */
const EXPORT_PLACES = 32;

const fixed = (size: number): Limit => ({ size: () => size });

/** Each holds ten megabytes and what is read of them, and writes while others search. */
const UPLOAD_PLACES = 2;

/** Places for requests of each kind. */
export type Pools = Record<Pool, Places>;

/** The places of one process. */
export const createPools = (): Pools => ({
  light: new Places({ limit: new AdaptiveLimit(LIGHT_BOUNDS), queue: 0.5, patience: 500 }),
  heavy: new Places({ limit: fixed(HEAVY_PLACES), queue: 2, patience: 3_000 }),
  deep: new Places({ limit: fixed(DEEP_PLACES), queue: 1, patience: 3_000 }),
});

/** An export lasts as long as its client reads: nobody waits for it, and no client has more than a few. */
export const createExportPlaces = (): Places =>
  new Places({ limit: fixed(EXPORT_PLACES), queue: 0, patience: 0, refusal: tooManyExports });

/** Takes a place for a body. @returns what gives it back. @throws ApiError 503 where none came in time. */
export type UploadPlaces = (client: string) => Promise<() => void>;

/** A client has one body at a time, and its next waits for that; whose turn does not come soon is to come again. */
export function createUploadPlaces(): UploadPlaces {
  const bounds = { queue: 4, patience: 3_000 };
  const all = new Places({ limit: fixed(UPLOAD_PLACES), ...bounds });
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
