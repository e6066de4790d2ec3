import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import type { Redis } from 'ioredis';
import { addressOf, trustProxies } from '../../../src/platform/access/client-address.js';
import { type Access, createAccess } from '../../../src/platform/access/access.js';
import { keyOf, type VerifyToken } from '../../../src/platform/access/authenticate.js';
import type { Config } from '../../../src/platform/config/config.js';
import { createRedis } from '../../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../../src/platform/redis/redis-breaker.js';
import { invalid, notFound } from '../../../src/platform/errors.js';
import { answerErrors } from '../../../src/http/errors.js';
import { createLogger } from '../../../src/telemetry/logger.js';

export interface SmallAppOptions {
  redisUrl: string;
  /** First part of every Redis key. */
  prefix: string;
  adminSecret?: string;
  trustProxy?: Config['trustProxy'];
  verifyToken?: VerifyToken;
  /** How long a Redis command may take; the default is long, because a loaded machine must not fail a test. */
  redisDeadlineMs?: number;
}

export interface SmallApp {
  url: string;
  access: Access;
  redis: Redis;
  close(): Promise<void>;
}

/**
 * An app of nothing but the access checks: `/key` needs a key and tells whose, `/missing` and `/invalid` need one and
 * fail, `/open` is counted, `/link` is counted by address alone, `/admin` asks for `X-Admin-Secret`.
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
  const { limit, limitAddress, requireKey, count, refuseOverLimit, checkAdminSecret } = access;
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
  app.get('/admin', count, refuseOverLimit, async (request, response) => {
    await checkAdminSecret({ given: request.get('x-admin-secret'), address: addressOf(request) });
    response.json({});
  });
}

/** Resolves once the app's connection to Redis is usable. */
export async function connected(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') await once(redis, 'ready');
}

/** Asks an app, with a key or without. */
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

/** Asks `count` times at once; how often each status came. */
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

/** Asks again and again until the answer is as wanted; mocha's timeout ends it otherwise. */
export async function until(request: () => Promise<Response>, status: number): Promise<Response> {
  for (;;) {
    const answer = await request();
    if (answer.status === status) return answer;
    await answer.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
