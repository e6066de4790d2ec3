import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import type { Redis } from 'ioredis';
import { addressOf, trustProxies } from '../../../src/platform/access/client-address.js';
import { type Access, createAccess } from '../../../src/platform/access/access.js';
import { keyOf, type VerifyToken } from '../../../src/platform/access/key.js';
import type { Config } from '../../../src/platform/config/config.js';
import { createRedis } from '../../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../../src/platform/redis/redis-breaker.js';
import { invalid, notFound } from '../../../src/platform/errors.js';
import { createRateLimits, requireKey } from '../../../src/http/access-checks.js';
import { answerErrors } from '../../../src/http/errors.js';
import { createLogger } from '../../../src/telemetry/logger.js';

export interface SmallAppOptions {
  redisUrl: string;
  /** The first part of every Redis key. */
  prefix: string;
  adminSecret?: string;
  trustProxy?: Config['trustProxy'];
  verifyToken?: VerifyToken;
  /**
   * The time limit of a Redis command in ms. The default is long, so that no test fails on a busy machine.
   */
  redisDeadlineMs?: number;
}

export interface SmallApp {
  url: string;
  access: Access;
  redis: Redis;
  close(): Promise<void>;
}

/**
 * Starts an app that contains only the access checks: `/key` requires a key and states its owner, `/missing`
 * and `/invalid` require a key and fail, `/open` is counted, `/link` is counted only by address, and `/admin`
 * requires `X-Admin-Secret`.
 */
export async function startSmallApp(options: SmallAppOptions): Promise<SmallApp> {
  const { redisUrl, prefix, adminSecret = null, trustProxy = false, verifyToken } = options;
  const deadlineMs = options.redisDeadlineMs ?? 5_000;
  const redis = createRedis(redisUrl, { deadlineMs });
  redis.on('error', () => undefined);
  const access = createAccess({
    redis: new RedisBreaker(redis, { deadlineMs }),
    config: { indexPrefix: prefix, adminSecret },
    ...(verifyToken === undefined ? {} : { verifyToken }),
  });
  const app = express();
  trustProxies(app, trustProxy);
  addRoutes(app, access);
  app.use(answerErrors(createLogger({ environment: 'test', logLevel: 'silent' })));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    access,
    redis,
    async close() {
      redis.disconnect();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function addRoutes(app: Express, access: Access): void {
  const { limit, limitAddress, countAdmin, refuseOverLimit } = createRateLimits(access);
  const guards = [limit, requireKey];
  app.get('/key', guards, (_request: express.Request, response: express.Response) => {
    response.json(keyOf(response));
  });
  app.get('/missing', guards, () => {
    throw notFound();
  });
  app.get('/invalid', guards, () => {
    throw invalid([{ loc: ['query', 'limit'], msg: 'too large', type: 'less_than_equal' }]);
  });
  app.get('/open', limit, (_request, response) => {
    response.json({});
  });
  app.get('/link', limitAddress, (_request, response) => {
    response.json({});
  });
  app.get('/admin', countAdmin, refuseOverLimit, async (request, response) => {
    await access.checkAdminSecret({ given: request.get('x-admin-secret'), address: addressOf(request) });
    response.json({});
  });
}

/** Waits until the connection of the app to Redis can be used. */
export async function connected(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') await once(redis, 'ready');
}

/** Sends a request to an app, with or without a key. */
export function ask(
  app: { url: string },
  path: string,
  rawKey?: string,
  headers: Record<string, string> = {},
) {
  const authorization: Record<string, string> =
    rawKey === undefined ? {} : { authorization: `Bearer ${rawKey}` };
  return fetch(app.url + path, { headers: { ...authorization, ...headers } });
}

/** Sends `count` requests at once, and returns how often each status was received. */
export async function tally(
  count: number,
  request: (i: number) => Promise<Response>,
): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: count }, (_, i) => request(i)));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/**
 * Repeats a request until its response has the expected status. Otherwise, the time limit of Mocha ends the
 * test.
 */
export async function until(request: () => Promise<Response>, status: number): Promise<Response> {
  for (;;) {
    const answer = await request();
    if (answer.status === status) return answer;
    await answer.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
