import type { Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { rateLimited } from '../errors.js';
import { parseClientJson } from '../client-json.js';
import { addressOf } from './address.js';
import type { IsAdminSecret } from './admin-secret.js';
import { keyOf } from './authenticate.js';
import type { KeyIdentity } from './identity.js';
import { ADDRESS_LIMIT, TIERS, WINDOW_MS } from './tiers.js';
import { addressCounter, counterOf, type RateLimitStore } from './rate-limit-store.js';

/** Finds the request's key, and counts the request against that or else the address's counter; null: it has no key. */
export type FindAndCount = (
  request: Request,
  response: Response,
  address: string,
) => Promise<KeyIdentity | null>;

/**
 * Counts the request against its key, else against its address, and puts the state of the window into the headers.
 * What is over the limit is refused by those behind it.
 * @param find without it, nobody's key is looked for.
 * @param limitOf the requests of a key in a window; those of its tier unless said otherwise.
 */
export function count(
  counters: RateLimitStore,
  find: FindAndCount = () => Promise.resolve(null),
  limitOf: (key: KeyIdentity) => number = ({ tier }) => TIERS[tier],
): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    store: counters,
    keyGenerator: async (request, response) => {
      const address = addressCounter('address', addressOf(request));
      const key = await find(request, response, address);
      response.locals.key = key;
      return key === null ? address : counterOf(key);
    },
    limit: (_request, response) => {
      const key = keyOf(response);
      return key === null ? ADDRESS_LIMIT : limitOf(key);
    },
    standardHeaders: 'draft-8',
    legacyHeaders: true,
    retryAfter: WINDOW_MS / 1_000,
    handler: (_request, response, next) => {
      response.locals.overLimit = true;
      next();
    },
  });
}

/** Counts, and refuses with 429 what is over the limit. */
export function limit(counting: RequestHandler): RequestHandler {
  return (request, response, next) => {
    void counting(request, response, (error?: unknown) => {
      next(error ?? (isOverLimit(response) ? rateLimited() : undefined));
    });
  };
}

/** Refuses what is over the limit, but for the operator: others at that address cannot lock him out. */
export function refuseStrangers(isAdminSecret: IsAdminSecret): RequestHandler {
  return (request, response, next) => {
    const spared = !isOverLimit(response) || isAdminSecret(secretOf(request));
    next(spared ? undefined : rateLimited());
  };
}

const isOverLimit = (response: Response): boolean => response.locals.overLimit === true;

/** In the header, or in the body's text. */
function secretOf(request: Request): string | undefined {
  const header = request.get('x-admin-secret');
  if (header !== undefined) return header;
  try {
    const { admin_secret: secret } = parseClientJson(String(request.body)) as { admin_secret?: unknown };
    return typeof secret === 'string' ? secret : undefined;
  } catch {
    return undefined;
  }
}
