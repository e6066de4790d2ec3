import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@elastic/elasticsearch';
import type { RequestHandler } from 'express';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import { createAccess } from './platform/access/index.js';
import { createSealed } from './platform/access/sealed.js';
import { createTokens } from './platform/access/token.js';
import {
  PREVIOUS_ACCEPTED_SECONDS,
  type PreviousSecret,
  previousSecret,
} from './platform/access/previous-secret.js';
import { RedisBreaker } from './platform/access/redis-breaker.js';
import { BUSY, MOST_BYTES, ResponseCache } from './http/response-cache.js';
import { createApp } from './http/app.js';
import { createHttpServer } from './http/server.js';
import { auditLog } from './telemetry/audit.js';
import { createIntake } from './usecases/ingest/intake.js';
import { ensureCatalogue, productsAlias } from './engine/indices.js';
import { authoritiesOf, createElasticsearch } from './engine/client.js';
import { createRedis } from './platform/access/redis.js';
import { type Config, shareOf, warnings } from './platform/config/config.js';
import type { Context } from './usecases/context.js';
import type { Health } from './telemetry/health.js';
import { remembered, schemaVersionOf } from './engine/schema-version.js';
import { contentVersion } from './engine/content-version.js';
import { DiskFull } from './engine/disk-full.js';
import { Spellings } from './engine/spellings.js';
import { Walks } from './engine/point-in-time-sessions.js';
import { catalogueFigures } from './engine/catalogue-figures.js';
import { createEvents } from './telemetry/events/index.js';
import { eventStream } from './telemetry/events/streams.js';
import { loadFigures } from './usecases/ingest/load-figures.js';
import { createFollowUp } from './follow-up.js';
import { createHealth } from './telemetry/health.js';
import { listingReader } from './engine/batched-reads.js';
import { listen, urlOf } from './http/listen.js';
import { decisionsIndex } from './usecases/shared/find-matches.js';
import { trendsIndex } from './usecases/trending/find-trending.js';
import { loggable, type Logger } from './telemetry/logger.js';
import { metricsAddress } from './telemetry/address.js';
import { startTracing } from './telemetry/tracing.js';
import { createMetrics } from './telemetry/metrics.js';
import { metricsServer } from './telemetry/metrics-server.js';
import { createExportSlots, createPools } from './http/admission/pools.js';
import { readRates } from './usecases/shared/read-rates.js';
import { redactor } from './telemetry/redact.js';
import { suggestionsAlias } from './usecases/suggest/indices.js';

/** A running service. */
export interface Service {
  /** Where it listens. */
  url: string;
  /** Where Prometheus reads, without `/metrics`; null: nowhere. */
  metricsUrl: string | null;
  /** What Prometheus reads; null: nothing. */
  metrics: Registry | null;
  /** Whether requests should come here. */
  readonly ready: boolean;
  /**
   * Takes no more connections, and ends once those that are open have had their last answer. Readiness does not fail:
   * another process serves the same port. @param withinMs how long that may take.
   */
  drain(withinMs: number): Promise<void>;
  /** Readiness fails, requests in flight are answered, sockets closed; at most ten seconds. */
  stop(): Promise<void>;
}

const REDIS_HEAD_START_MS = 1_000;

/** So long figures of the whole catalogue may be old: all instances are scraped, some times a minute each. */
const FIGURES_MS = 60_000;

/** A stop as a whole, of which requests in flight may take so much, and the last events so much. */
const STOP_MS = 9_500;
const DRAIN_MS = 8_000;
const LAST_EVENTS_MS = 1_500;

/** So long a connection of a process that drains may be idle: a request may just be arriving on it. */
const IDLE_MS = 10_000;

/** A worker listens once it is ready, so that requests go to those that are; or after this time, where none can be. */
const READY_WITHIN_MS = 5_000;

/**
 * Starts the service: clients, app, listener. It starts without Elasticsearch or Redis too, and serves as soon as
 * they are there.
 * @param routes besides the endpoints.
 * @param worker whether this is one of several processes that share the port; the metrics are then served by the primary.
 * @throws ConfigError for a wrong rate table; whatever keeps the port from being listened on.
 */
export async function startService(
  config: Config,
  logger: Logger,
  routes: readonly RequestHandler[] = [],
  worker = false,
): Promise<Service> {
  const redact = redactor(config);
  const rates = readRates(config.exchangeRatesFile);
  for (const warning of warnings(config)) logger.warn(warning);
  const authorities = authoritiesOf(config.elasticsearch, (level, message, error) =>
    logger[level](message, error && loggable(error)),
  );
  const es = createElasticsearch(config.elasticsearch, undefined, authorities);
  // Bulk writes take longer than any search may.
  const writer = createElasticsearch(
    config.elasticsearch,
    { requestTimeout: 10_000, maxRetries: 0 },
    authorities,
  );
  const diskFull = new DiskFull((isFull) => {
    if (isFull) logger.error('Elasticsearch refuses writes because its disk is full; reads are served');
    else logger.info('Elasticsearch takes writes again: there is room on its disk');
  });
  const { redisUrl, redisDeadlineMs: deadlineMs, redisSentinels: sentinels } = config;
  const connection = createRedis(redisUrl, { deadlineMs, sentinels });
  logRedis(connection, logger);
  const redis = new RedisBreaker(connection, {
    deadlineMs,
    onRefusal(refusal) {
      if (refusal === null) logger.info('Redis takes writes again');
      else logger.warn('Redis refuses writes', { error: { type: refusal.reason, message: refusal.error } });
    },
  });
  const products = productsAlias(config.indexPrefix);
  const suggestions = suggestionsAlias(config.indexPrefix);
  const decisions = decisionsIndex(config.indexPrefix);
  diskFull.watch(writer, (target) => (target === suggestions ? 'suggestions' : 'listings'));
  const now = () => new Date();
  const health = createHealth({ es, redis, productsAlias: products, now, logger });
  const previous = previousSecret({ redis, config });
  const tokens = createTokens(config.jwtSecrets, now, previous?.isAccepted);
  const access = createAccess({ redis, config, verifyToken: tokens.verify });
  const followUp = createFollowUp({ es: writer, products, suggestions, rates }, (error) => {
    // One line tells of a full disk, not one for each batch.
    if (!diskFull.isFull)
      logger.warn('Flags or suggestions of written listings could not be updated', loggable(error));
  });
  const events =
    config.events === null ? null : createEvents({ config, ...config.events, diskFull, logger, redact, now });
  const context: Context = {
    config,
    es,
    readListing: listingReader(es, products),
    keys: access.keys,
    tokens,
    access,
    audit: auditLog(logger, {
      secret: config.jwtSecrets[0],
      environment: config.environment,
      redact,
      now,
      write: events?.audit,
    }),
    health,
    exports: createExportSlots(config.workers),
    intake: createIntake({ ...config, es: writer, now, onWritten: followUp.written }),
    products,
    sealed: createSealed(config.jwtSecrets),
    walks: new Walks(),
    spellings: new Spellings(),
    schemaVersion: remembered(() => schemaVersionOf(es, products)),
    suggestions,
    decisions,
    trends: trendsIndex(config.indexPrefix),
    rates,
    now,
  };
  const figures = remembered(
    () =>
      catalogueFigures(es, { products, loads: eventStream('loads', { ...config, retentionDays: 0 }).name }),
    { forMs: FIGURES_MS },
  );
  const loads = remembered(() => loadFigures(es, config.indexPrefix), { forMs: FIGURES_MS });
  const metrics =
    config.metrics === null
      ? null
      : createMetrics(config, {
          events,
          health,
          access,
          tokens,
          redisWrites: redis.writes,
          diskFull,
          authorities,
          rates,
          figures,
          loads,
        });
  const tracing =
    config.traces === null
      ? null
      : await startTracing(config.traces, { environment: config.environment, logger, redact });
  const observers = [events, metrics, tracing].filter((observer) => observer !== null);
  const cached = shareOf(MOST_BYTES, config.workers);
  const caches = {
    listings: new ResponseCache(() => contentVersion(es, [products, decisions]), {
      busy: BUSY,
      bytes: cached,
    }),
    // To look costs less than to ask, also where few do.
    suggestions: new ResponseCache(() => contentVersion(es, [suggestions]), { busy: 2, bytes: cached }),
  };
  const app = createApp(context, { caches, pools: createPools(config.workers), logger, observers, routes });
  const server = createHttpServer(app, () => metrics?.unreadable(), config.workers);
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  let draining = false;
  // A kept-alive connection would outlive the listener: at shutdown each answer says that it is the last.
  server.prependListener('request', (_request, response) => {
    if (health.shuttingDown || draining) response.setHeader('Connection', 'close');
  });

  // The first requests should find Redis connected; without Redis the service starts all the same.
  await Promise.race([once(connection, 'ready').catch(() => undefined), sleep(REDIS_HEAD_START_MS)]);
  if (previous !== null) await logPrevious(previous, now, logger);
  // What is there is known, and the service ready, before the first look a second later.
  void health.check();
  const forMetrics = metrics === null || worker ? null : metricsServer(metrics.registry, logger);
  const forMetricsOn = metricsAddress(config.metrics?.host ?? '');
  if (forMetrics !== null && config.metrics !== null)
    await listen(forMetrics, { ...config.metrics, host: forMetricsOn }, 'METRICS_PORT');
  // A catalogue without an index would never be ready.
  const stopCreating = createCatalogueWhenPossible(es, config, logger);
  if (worker) await untilReady(health);
  await listen(server, config, 'PORT');
  const end = async (withinMs: number) => {
    health.stop();
    followUp.stop();
    await Promise.all([events?.stop(withinMs), tracing?.stop(withinMs)]);
    forMetrics?.close();
    forMetrics?.closeAllConnections();
    connection.disconnect();
    await es.close();
    await writer.close();
  };
  let ended: Promise<void> | null = null;
  return {
    url: urlOf(server, config.host),
    metricsUrl: forMetrics === null ? null : urlOf(forMetrics, forMetricsOn),
    metrics: metrics?.registry ?? null,
    get ready() {
      return health.ready;
    },
    async drain(withinMs) {
      draining = true;
      stopCreating();
      // The `close` of an HTTP server would also close idle connections at once.
      Server.prototype.close.call(server);
      const timers = [
        setTimeout(() => server.closeIdleConnections(), IDLE_MS),
        setTimeout(() => server.closeAllConnections(), withinMs),
      ];
      await closed;
      timers.forEach(clearTimeout);
      await (ended ??= end(LAST_EVENTS_MS));
    },
    async stop() {
      const deadline = performance.now() + STOP_MS;
      const left = () => Math.max(0, deadline - performance.now());
      health.shuttingDown = true;
      stopCreating();
      await sleep(config.shutdownDelayMs);
      closeWithin(server, Math.min(DRAIN_MS, Math.max(0, left() - LAST_EVENTS_MS)));
      await closed;
      await (ended ??= end(Math.min(LAST_EVENTS_MS, left())));
    },
  };
}

/** One line for each reason why Redis is away, and one when it is back; the client tells of every attempt. */
function logRedis(redis: Redis, logger: Logger): void {
  let told: string | null = null;
  redis.on('error', ({ name, message }: Error) => {
    if (message !== told) logger.warn('Redis is away', { error: { type: name, message } });
    told = message;
  });
  redis.on('ready', () => {
    if (told !== null) logger.info('Redis is back');
    told = null;
  });
}

/** Tells until when tokens of `JWT_SECRET_PREVIOUS` are accepted. */
async function logPrevious(previous: PreviousSecret, now: () => Date, logger: Logger): Promise<void> {
  const age = await previous.ageSeconds();
  if (age === null) {
    logger.warn(
      'Redis does not tell for how long JWT_SECRET_PREVIOUS has been in use: it is accepted for now',
    );
    return;
  }
  const end = new Date(now().getTime() + (PREVIOUS_ACCEPTED_SECONDS - age) * 1_000).toISOString();
  if (age < PREVIOUS_ACCEPTED_SECONDS) logger.info(`JWT_SECRET_PREVIOUS is accepted until ${end}`);
  else logger.warn(`JWT_SECRET_PREVIOUS is no longer accepted since ${end}; remove it`);
}

/** Closes the listener and idle connections at once, and all others after this time. */
function closeWithin(server: HttpServer, withinMs: number): void {
  server.close();
  server.closeIdleConnections();
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, withinMs);
  server.once('close', () => {
    clearTimeout(cut);
  });
}

async function untilReady(health: Health): Promise<void> {
  const givenUp = performance.now() + READY_WITHIN_MS;
  while (!health.ready && performance.now() < givenUp) {
    await health.check();
    if (!health.ready) await sleep(100);
  }
}

/** Creates the first index as soon as the engine is there, so that an empty catalogue answers rather than fails. */
function createCatalogueWhenPossible(es: Context['es'], config: Config, logger: Logger): () => void {
  const stopped = new AbortController();
  let told = '';
  const attempt = async () => {
    while (!stopped.signal.aborted) {
      try {
        if (await ensureCatalogue(es, config.indexPrefix)) logger.info('created the product index');
        return;
      } catch (error) {
        const why = isRefused(error)
          ? 'Elasticsearch refuses the credentials: see ELASTICSEARCH_USERNAME, ELASTICSEARCH_PASSWORD, ELASTICSEARCH_API_KEY'
          : 'Elasticsearch is not there yet';
        // A refusal is known as what it is, and its error says no more: of a HEAD it has no text.
        if (why !== told) logger.warn(why, isRefused(error) ? {} : loggable(error));
        told = why;
      }
      await sleep(1_000, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  void attempt();
  return () => {
    stopped.abort();
  };
}

const isRefused = (error: unknown): boolean =>
  error instanceof errors.ResponseError && (error.statusCode === 401 || error.statusCode === 403);
