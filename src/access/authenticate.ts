import type { RequestHandler, Response } from 'express';
import { unauthorized } from '../errors.js';
import type { KeyIdentity } from './identity.js';
import type { KeyStore } from './keys.js';
import { counterOf, type RateLimitStore } from './rate-limit-store.js';

/** Checks a token (`header.payload.signature`) and gives the id of the key it stands for; null: not a token of ours. */
export type VerifyToken = (token: string) => Promise<string | null>;

/** One space, as RFC 6750 has it; a scheme is case-insensitive. */
const BEARER = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The request's usable key; null: none, or `identify` has not run. */
export const keyOf = (response: Response): KeyIdentity | null =>
  (response.locals.key as KeyIdentity | undefined) ?? null;

/**
 * Looks up the key that `Authorization` shows, at the cost of one Redis command, for those behind it to judge.
 * Goes to the error handler (503) when a key that may be good cannot be looked up.
 * @param windows where the request will be counted: for a key seen a moment ago, at the same time as it is looked up.
 */
export function identify(
  keys: KeyStore,
  counters: RateLimitStore,
  verifyToken?: VerifyToken,
): RequestHandler {
  return async (request, response, next) => {
    const credential = BEARER.exec(request.get('authorization') ?? '')?.[1];
    if (credential === undefined) {
      next();
      return;
    }
    if (verifyToken !== undefined && TOKEN.test(credential)) {
      const id = await verifyToken(credential);
      response.locals.key = id === null ? null : await keys.findById(id);
    } else {
      response.locals.key = await findAndCount(credential, keys, counters);
    }
    next();
  };
}

async function findAndCount(
  rawKey: string,
  keys: KeyStore,
  counters: RateLimitStore,
): Promise<KeyIdentity | null> {
  const expected = keys.expect(rawKey);
  if (expected === null) return keys.findByRawKey(rawKey);
  counters.countAhead(counterOf(expected));
  let key: KeyIdentity | null = null;
  try {
    key = await keys.findByRawKey(rawKey);
  } finally {
    // Revoked meanwhile, or not to be known: then the request counts against its address, or not at all.
    if (key === null) counters.takeAhead(counterOf(expected));
  }
  return key;
}

/** Refuses requests without a usable key. Comes after the limit, so that each refusal counts. */
export const requireKey: RequestHandler = (_request, response, next) => {
  next(keyOf(response) === null ? unauthorized() : undefined);
};
