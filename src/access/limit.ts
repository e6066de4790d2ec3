import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { rateLimited } from '../errors.js';
import { keyOf } from './authenticate.js';
import { ADDRESS_LIMIT, TIERS, WINDOW_MS } from './tiers.js';
import { counterOf, type RateLimitStore } from './rate-limit-store.js';

/**
 * Counts the request against its key, else against its address (an IPv6 one with the rest of its /56, which one
 * customer has to himself), and puts the state of the window into the headers. Over the limit is a 429.
 */
export function limit(counters: RateLimitStore): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    store: counters,
    keyGenerator: (request, response) => {
      const key = keyOf(response);
      return key === null ? `address:${ipKeyGenerator(request.ip ?? '')}` : counterOf(key);
    },
    limit: (_request, response) => {
      const key = keyOf(response);
      return key === null ? ADDRESS_LIMIT : TIERS[key.tier];
    },
    standardHeaders: 'draft-8',
    legacyHeaders: true,
    retryAfter: WINDOW_MS / 1_000,
    handler: (_request, _response, next) => {
      next(rateLimited());
    },
  });
}
