import { once } from 'node:events';
import { bulkhead, type BulkheadPolicy, BulkheadRejectedError } from 'cockatiel';
import type { RequestHandler } from 'express';
import { addressOf, networkOf } from '../platform/access/client-address.js';
import { overloaded } from '../platform/errors.js';

/** How many requests of a network are answered at the same time, and how many wait. The limit is low: a document may be 1 MB. */
const OPEN_PATHS = { concurrent: 8, waiting: 512 };

/** Middleware for open paths, which have no rate limit: of a network with more requests, some wait, and the rest get a 503. */
export function boundOpenPaths({ concurrent, waiting } = OPEN_PATHS): RequestHandler {
  const networks = new Map<string, BulkheadPolicy>();
  return async (request, response, next) => {
    // Node.js emits no `close` for a pipelined response that still waits for its socket, so its place would never be released.
    if (response.socket === null) await once(response, 'socket');
    const network = networkOf(addressOf(request));
    const bound = networks.get(network) ?? bulkhead(concurrent, waiting);
    networks.set(network, bound);
    try {
      await bound.execute(async () => {
        if (response.destroyed) return;
        const closed = once(response, 'close');
        next();
        await closed;
      });
    } catch (error) {
      next(error instanceof BulkheadRejectedError ? overloaded() : error);
    } finally {
      if (bound.executionSlots === concurrent) networks.delete(network);
    }
  };
}
