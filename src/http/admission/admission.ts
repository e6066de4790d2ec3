import type { RequestHandler } from 'express';
import { addressOf } from '../../platform/access/address.js';
import { Places } from './slots.js';

/** How many are looked at together: as many as a burst brings; where most would find no place, only a few. */
const AT_ONCE = { open: 128, crowded: 4 };
const PATIENCE_MS = 500;

/**
 * Keeps a crowd from costing more than it is served: to find out whose a request is takes as long as to refuse two.
 * Nobody is known yet here, so what requests show as their credential tells them apart.
 *
 * @param patience how long a request waits before it is let in, in ms.
 */
export function createDoor(
  behind: Places,
  patience = PATIENCE_MS,
): { enter: RequestHandler; leave: RequestHandler } {
  const door = new Places({
    limit: { size: () => (behind.isFull ? AT_ONCE.crowded : AT_ONCE.open) },
    queue: 1,
    patience,
  });
  return {
    async enter(request, response, next) {
      const client = request.get('authorization') ?? addressOf(request);
      const leave = await door.take({ client, places: 1 });
      response.locals.leaveDoor = leave;
      // Refused by what follows, or gone.
      response.once('close', leave);
      next();
    },
    leave(_request, response, next) {
      const { leaveDoor } = response.locals as { leaveDoor?: () => void };
      if (leaveDoor !== undefined) {
        leaveDoor();
        response.off('close', leaveDoor);
      }
      next();
    },
  };
}
