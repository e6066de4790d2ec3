import type { RequestHandler } from 'express';
import type { Redis } from 'ioredis';
import type { Config } from '../config.js';
import { type CheckAdminSecret, adminSecretCheck, adminSecretTest } from './admin-secret.js';
import { identify, requireKey, type VerifyToken } from './authenticate.js';
import { KeyStore } from './keys.js';
import { count, limit, refuseStrangers } from './limit.js';
import { RedisBreaker } from './redis-breaker.js';
import { RateLimitStore } from './rate-limit-store.js';

/** Who may call, and how often. The order is identify → limit → requireKey: every refusal counts. */
export interface Access {
  keys: KeyStore;
  /** Finds the request's key, if any; `keyOf(response)` gives it. */
  identify: RequestHandler;
  /** Counts against the key, else the address. */
  limit: RequestHandler;
  /** The operator's endpoints count first, and refuse when the body is read: it may hold the secret. */
  count: RequestHandler;
  refuseStrangers: RequestHandler;
  /** 401 without a usable key. */
  requireKey: RequestHandler;
  checkAdminSecret: CheckAdminSecret;
}

/** @param verifyToken without it, no tokens are taken. */
export function createAccess(given: {
  redis: Redis;
  config: Pick<Config, 'indexPrefix' | 'adminSecret'>;
  verifyToken?: VerifyToken;
}): Access {
  const { redis, config, verifyToken } = given;
  const breaker = new RedisBreaker(redis);
  const keys = new KeyStore(breaker, config.indexPrefix);
  const counters = new RateLimitStore(breaker, config.indexPrefix);
  const counting = count(counters);
  return {
    keys,
    identify: identify(keys, counters, verifyToken),
    limit: limit(counting),
    count: counting,
    refuseStrangers: refuseStrangers(adminSecretTest(config.adminSecret)),
    requireKey,
    checkAdminSecret: adminSecretCheck(config.adminSecret, counters),
  };
}
