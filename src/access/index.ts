import type { RequestHandler } from 'express';
import type { Redis } from 'ioredis';
import type { Config } from '../config.js';
import { type CheckAdminSecret, adminSecretCheck } from './admin-secret.js';
import { identify, requireKey, type VerifyToken } from './authenticate.js';
import { KeyStore } from './keys.js';
import { limit } from './limit.js';
import { RedisBreaker } from './redis-breaker.js';
import { RateLimitStore } from './rate-limit-store.js';

/** Who may call, and how often. The order is identify → limit → requireKey: every refusal counts. */
export interface Access {
  keys: KeyStore;
  /** Finds the request's key, if any; `keyOf(response)` gives it. */
  identify: RequestHandler;
  /** Counts against the key, else the address. */
  limit: RequestHandler;
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
  return {
    keys,
    identify: identify(keys, counters, verifyToken),
    limit: limit(counters),
    requireKey,
    checkAdminSecret: adminSecretCheck(config.adminSecret, counters),
  };
}
