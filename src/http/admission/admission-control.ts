import type { RequestHandler } from 'express';
import { addressOf, networkOf } from '../../platform/access/client-address.js';
import { ConcurrencySlots } from './concurrency-slots.js';

/** The maximum number of requests whose credentials are looked up at the same time. */
const LOOKUPS = { normal: 128, overloaded: 4 };
const MAX_WAIT_MS = 500;

/**
 * Limits how many credentials are looked up at the same time, because a look-up costs as much as two refusals. The fair queue
 * identifies clients by the credential or the address. While `pool` is full, fewer are looked up.
 * @returns `enter`, the middleware before the look-up, and `leave`, the middleware after it.
 */
export function createAdmissionControl(
  pool: ConcurrencySlots,
  maxWait = MAX_WAIT_MS,
): { enter: RequestHandler; leave: RequestHandler } {
  const lookups = new ConcurrencySlots({
    limit: { size: () => (pool.isFull ? LOOKUPS.overloaded : LOOKUPS.normal) },
    queue: 1,
    maxWait,
  });
  return {
    async enter(request, response, next) {
      const client = request.get('authorization') ?? networkOf(addressOf(request));
      const release = await lookups.acquire({ client });
      response.locals.releaseLookup = release;
      // The slot is also released if the request is refused after the look-up or its client disconnects.
      response.once('close', release);
      next();
    },
    leave(_request, response, next) {
      const { releaseLookup } = response.locals as { releaseLookup?: () => void };
      if (releaseLookup !== undefined) {
        releaseLookup();
        response.off('close', releaseLookup);
      }
      next();
    },
  };
}
