import { once } from 'node:events';
import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { rejectionStatus } from './engine/errors.js';
import type { RequestHandler } from 'express';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import { certificateAuthorities, createElasticsearch } from './engine/client.js';
import { catalogueFigures } from './engine/catalogue-figures.js';
import { contentVersion, cachedFor, schemaVersionOf } from './engine/index-versions.js';
import { DiskFull } from './engine/disk-full.js';
import { ensureCatalogue, productsAlias } from './engine/indices.js';
import { listingReader } from './engine/documents.js';
import { PointInTimeSessions } from './engine/point-in-time-sessions.js';
import { ValueLabels } from './engine/value-labels.js';
import { createFollowUp } from './follow-up.js';
import {
  createChangeReadSlots,
  createExportSlots,
  createFollowerSlots,
  createPools,
} from './http/admission/pools.js';
import { createApp } from './http/app.js';
import { listen, urlOf } from './http/server.js';
import { BUSY, MAX_BYTES, ResponseCache } from './http/response-cache.js';
import { createHttpServer } from './http/server.js';
import { createAccess } from './platform/access/access.js';
import {
  PREVIOUS_ACCEPTED_SECONDS,
  type PreviousSecret,
  previousSecret,
  createTokens,
} from './platform/access/tokens.js';
import { createRedis } from './platform/redis/create-redis.js';
import { RedisBreaker } from './platform/redis/redis-breaker.js';
import { createSealed } from './platform/access/sealed.js';
import { type Config, shareOf, warnings } from './platform/config/config.js';
import { auditLog } from './telemetry/audit.js';
import { createEvents } from './telemetry/events/events.js';
import { eventStream } from './telemetry/events/streams.js';
import { createHealth, type Health } from './telemetry/health.js';
import { loggable, type Logger } from './telemetry/logger.js';
import type { CatalogueReaders } from './telemetry/metrics/catalogue-metrics.js';
import { createMetrics } from './telemetry/metrics/metrics.js';
import { metricsAddress, metricsServer } from './telemetry/metrics/metrics-server.js';
import { redactor } from './telemetry/redact.js';
import { startTracing } from './telemetry/tracing.js';
import type { Context } from './usecases/context.js';
import { createListingUpload } from './usecases/ingest/upload.js';
import { alertFigures } from './usecases/alerts/alert-progress.js';
import { loadFigures } from './usecases/ingest/load-figures.js';
import { sourceFigures } from './usecases/sync/source-figures.js';
import { decisionsIndex } from './usecases/shared/matcher/find-matches.js';
import { brandsIndex, brandsReader } from './usecases/shared/brands/brand-dictionary.js';
import { matchingModels, modelsIndex } from './usecases/shared/matcher/matching-models.js';
import { ChangeFeed } from './usecases/shared/changes/change-feed.js';
import { PublishedRules, ruleVersions } from './usecases/shared/rules/published-rules.js';
import { phaseOf } from './engine/queries/rules.js';
import { readRates } from './usecases/shared/read-rates.js';
import { suggestionsAlias } from './usecases/suggest/build-suggestions.js';
import { trendsIndex } from './usecases/trending/list-trending.js';

export interface Service {
  url: string;
  /**
   * The base URL of the server for Prometheus metrics, without `/metrics`; null if this process runs none.
   */
  metricsUrl: string | null;
  metrics: Registry | null;
  readonly ready: boolean;
  /**
   * Stops listening and waits, for at most `withinMs`, until every connection has received its last response.
   * Readiness stays as it is, because another process serves the same port.
   */
  drain(withinMs: number): Promise<void>;
  /**
   * Reports the service as not ready, finishes requests in progress and closes all sockets, within ten
   * seconds.
   */
  stop(): Promise<void>;
}

/** How many ms the start of the service waits for Redis, so that the first requests find it connected. */
const REDIS_START_MS = 1_000;

/**
 * How long, in ms, metrics about the whole catalogue are cached, because Prometheus reads them from every
 * instance several times a minute.
 */
const FIGURES_TTL_MS = 60_000;
/** The same for how far the alerts are checked, which is one small document. */
const ALERTS_TTL_MS = 5_000;

/**
 * The time limit in ms of a shutdown, then its parts: for requests in progress, and for writing the last
 * events.
 */
const STOP_MS = 9_500;
const REQUESTS_MS = 8_000;
const EVENTS_MS = 1_500;

/**
 * How long, in ms, a connection without a request stays open while the process finishes its last requests: a
 * new request may just be arriving on the connection.
 */
const IDLE_MS = 10_000;

/** The time in ms after which a worker process starts to listen even if its readiness check still fails. */
const READY_MS = 5_000;

/**
 * Starts the service. If Elasticsearch or Redis is unavailable, it serves requests once they are available.
 * @param routes additional request handlers, used by tests.
 * @param worker whether this process shares the port with others; the primary then serves the metrics.
 * @throws ConfigError if the exchange rates are invalid; the listener's error if the port cannot be opened.
 */
export async function startService(
  config: Config,
  logger: Logger,
  routes: readonly RequestHandler[] = [],
  worker = false,
): Promise<Service> {
  for (const warning of warnings(config)) logger.warn(warning);
  const redact = redactor(config);
  const rates = readRates(config.exchangeRatesFile);
  const now = () => new Date();
  const engine = connectEngine(config, logger);
  const { es, writer, diskFull } = engine;
  const { connection, redis } = connectRedis(config, logger);

  const names = {
    products: productsAlias(config.indexPrefix),
    suggestions: suggestionsAlias(config.indexPrefix),
    decisions: decisionsIndex(config.indexPrefix),
    trends: trendsIndex(config.indexPrefix),
  };
  diskFull.watch(writer, (target) => (target === names.suggestions ? 'suggestions' : 'listings'));
  const health = createHealth({ es, redis, productsAlias: names.products, now, logger });
  const previous = previousSecret({ redis, config });
  const tokens = createTokens(config.jwtSecrets, now, previous?.isAccepted);
  const access = createAccess({ redis, config, verifyToken: tokens.verify });
  const events =
    config.events === null ? null : createEvents({ config, ...config.events, diskFull, logger, redact, now });
  const followUp = createFollowUp({ es: writer, rates, ...names }, (error) => {
    // A full disk is not logged here, because `diskFull` has already logged it.
    if (!diskFull.isFull)
      logger.warn('Flags or suggestions of written listings could not be updated', loggable(error));
  });
  const brands = brandsReader(es, config.indexPrefix);
  const matchingModel = matchingModels(es, config.indexPrefix).reader();
  const learnedVersions = async () => {
    const [dictionary, model] = await Promise.all([brands(), matchingModel()]);
    return { brands: dictionary.version, matcher: model?.version ?? null };
  };
  const changes = new ChangeFeed(es, config.indexPrefix, now, createChangeReadSlots(config.workers));
  const context: Context = {
    config,
    es,
    ...names,
    readListing: listingReader(es, names.products),
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
    uploadListings: createListingUpload({ ...config, es: writer, now, onWritten: followUp.written, brands }),
    brands,
    changes,
    followers: createFollowerSlots(config.workers),
    sealed: createSealed(config.jwtSecrets),
    pointInTimeSessions: new PointInTimeSessions(),
    valueLabels: new ValueLabels(),
    schemaVersion: cachedFor(() => schemaVersionOf(es, names.products)),
    matchingModel,
    learnedVersions,
    publishedRules: new PublishedRules(ruleVersions(es, config.indexPrefix)),
    rates,
    now,
  };

  const metrics =
    config.metrics === null
      ? null
      : createMetrics(
          {
            config,
            rates,
            learnedVersions,
            health,
            events,
            authorities: engine.authorities,
            diskFull,
            redisWrites: redis.writes,
            access,
            tokens,
          },
          catalogueReaders(es, config),
        );
  const tracing =
    config.traces === null
      ? null
      : await startTracing(config.traces, { environment: config.environment, logger, redact });
  const observers = [events, metrics, tracing].filter((observer) => observer !== null);
  const caches = createCaches(context);
  const app = createApp(context, { caches, pools: createPools(config.workers), logger, observers, routes });
  const server = createHttpServer(app, () => metrics?.unreadable(), config.workers);
  const serverClosed = new Promise<void>((resolve) => server.once('close', resolve));
  let isDraining = false;
  // A keep-alive connection would outlive the listener, so the client is asked to close it.
  server.prependListener('request', (_request, response) => {
    if (health.shuttingDown || isDraining) response.setHeader('Connection', 'close');
  });

  await Promise.race([once(connection, 'ready').catch(() => undefined), sleep(REDIS_START_MS)]);
  if (previous !== null) await logPreviousSecret(previous, now, logger);
  // The readiness is checked at once, because the first scheduled check is a second away.
  void health.check();
  const metricsListener = metrics === null || worker ? null : metricsServer(metrics.registry, logger);
  const metricsHost = metricsAddress(config.metrics?.host ?? '');
  if (metricsListener !== null && config.metrics !== null)
    await listen(metricsListener, { ...config.metrics, host: metricsHost }, 'METRICS_PORT');
  const stopCreating = createCatalogueWhenPossible(es, config, logger);
  if (worker) await waitUntilReady(health);
  await listen(server, config, 'PORT');

  let closing: Promise<void> | null = null;
  const closeAll = (eventsMs: number): Promise<void> =>
    (closing ??= (async () => {
      health.stop();
      followUp.stop();
      await Promise.all([events?.stop(eventsMs), tracing?.stop(eventsMs)]);
      metricsListener?.close();
      metricsListener?.closeAllConnections();
      connection.disconnect();
      await Promise.all([es.close(), writer.close()]);
    })());
  return {
    url: urlOf(server, config.host),
    metricsUrl: metricsListener === null ? null : urlOf(metricsListener, metricsHost),
    metrics: metrics?.registry ?? null,
    get ready() {
      return health.ready;
    },
    async drain(withinMs) {
      isDraining = true;
      stopCreating();
      changes.stop();
      // This method of the base class, unlike `close` of an HTTP server, leaves idle connections open.
      Server.prototype.close.call(server);
      const timers = [
        setTimeout(() => server.closeIdleConnections(), IDLE_MS),
        setTimeout(() => server.closeAllConnections(), withinMs),
      ];
      await serverClosed;
      timers.forEach(clearTimeout);
      await closeAll(EVENTS_MS);
    },
    async stop() {
      const deadline = performance.now() + STOP_MS;
      const remainingMs = () => Math.max(0, deadline - performance.now());
      health.shuttingDown = true;
      stopCreating();
      await sleep(config.shutdownDelayMs);
      changes.stop();
      server.close();
      server.closeIdleConnections();
      const requestsMs = Math.min(REQUESTS_MS, Math.max(0, remainingMs() - EVENTS_MS));
      const timer = setTimeout(() => server.closeAllConnections(), requestsMs);
      await serverClosed;
      clearTimeout(timer);
      await closeAll(Math.min(EVENTS_MS, remainingMs()));
    },
  };
}

function connectEngine(config: Config, logger: Logger) {
  const authorities = certificateAuthorities(config.elasticsearch, (level, message, error) =>
    logger[level](message, error && loggable(error)),
  );
  const es = createElasticsearch(config.elasticsearch, undefined, authorities);
  const writer = createElasticsearch(
    config.elasticsearch,
    { requestTimeout: 10_000, maxRetries: 0 },
    authorities,
  );
  const diskFull = new DiskFull((isFull) => {
    if (isFull) logger.error('Elasticsearch refuses writes because its disk is full; reads are served');
    else logger.info('Elasticsearch takes writes again: there is room on its disk');
  });
  return { es, writer, authorities, diskFull };
}

function connectRedis(config: Config, logger: Logger): { connection: Redis; redis: RedisBreaker } {
  const { redisUrl, redisDeadlineMs: deadlineMs, redisSentinels: sentinels } = config;
  const connection = createRedis(redisUrl, { deadlineMs, sentinels });
  let loggedError: string | null = null;
  // ioredis emits an error for every attempt to connect, so only a new reason is logged.
  connection.on('error', ({ name, message }: Error) => {
    if (message !== loggedError) logger.warn('Redis is unavailable', { error: { type: name, message } });
    loggedError = message;
  });
  connection.on('ready', () => {
    if (loggedError !== null) logger.info('Redis is available again');
    loggedError = null;
  });
  const redis = new RedisBreaker(connection, {
    deadlineMs,
    onRefusal(refusal) {
      if (refusal === null) logger.info('Redis takes writes again');
      else logger.warn('Redis refuses writes', { error: { type: refusal.reason, message: refusal.error } });
    },
  });
  return { connection, redis };
}

/**
 * The caches of HTTP responses. A cached response is valid until the content of the indices that it was made
 * from changes.
 */
function createCaches(context: Context) {
  const { es, config, products, decisions, suggestions, publishedRules, schemaVersion, now } = context;
  const models = modelsIndex(config.indexPrefix);
  const brands = brandsIndex(config.indexPrefix);
  const bytes = shareOf(MAX_BYTES, config.workers);
  // The rules that this process applies count, because it notices a published version only after some seconds.
  const appliedRules = async () => {
    const rules = await publishedRules.current();
    return [rules.version, phaseOf(rules, now())].join();
  };
  // The schema version that this process assumes counts as well, because it may be seconds old.
  const listingsVersion = async () =>
    (
      await Promise.all([
        contentVersion(es, [products, decisions, models, brands]),
        schemaVersion(),
        appliedRules(),
      ])
    ).join(' ');
  return {
    listings: new ResponseCache(listingsVersion, { busy: BUSY, bytes }),
    // Reading the version of the index is cheaper than reading suggestions, so this cache saves time from two
    // simultaneous requests on.
    suggestions: new ResponseCache(() => contentVersion(es, [suggestions]), { busy: 2, bytes }),
  };
}

/** Metrics about the whole catalogue and its loads, read from Elasticsearch at most once a minute. */
function catalogueReaders(es: Client, config: Config): CatalogueReaders {
  const products = productsAlias(config.indexPrefix);
  const loadEvents = eventStream('loads', { ...config, retentionDays: 0 }).name;
  const ttl = { forMs: FIGURES_TTL_MS };
  return {
    figures: cachedFor(() => catalogueFigures(es, { products, loads: loadEvents }), ttl),
    loads: cachedFor(() => loadFigures(es, config.indexPrefix), ttl),
    configuredSources: cachedFor(() => sourceFigures(es, config.indexPrefix), ttl),
    alerts: cachedFor(() => alertFigures(es, config.indexPrefix), { forMs: ALERTS_TTL_MS }),
  };
}

/** Logs until when tokens that were signed with `JWT_SECRET_PREVIOUS` are accepted. */
async function logPreviousSecret(previous: PreviousSecret, now: () => Date, logger: Logger): Promise<void> {
  const ageSeconds = await previous.ageSeconds();
  if (ageSeconds === null) {
    logger.warn(
      'Redis did not answer, so it is unknown how long JWT_SECRET_PREVIOUS has been in use: it is accepted for now',
    );
    return;
  }
  const end = new Date(now().getTime() + (PREVIOUS_ACCEPTED_SECONDS - ageSeconds) * 1_000).toISOString();
  if (ageSeconds < PREVIOUS_ACCEPTED_SECONDS) logger.info(`JWT_SECRET_PREVIOUS is accepted until ${end}`);
  else logger.warn(`JWT_SECRET_PREVIOUS is no longer accepted since ${end}; remove it`);
}

async function waitUntilReady(health: Health): Promise<void> {
  const deadline = performance.now() + READY_MS;
  while (!health.ready && performance.now() < deadline) {
    await health.check();
    if (!health.ready) await sleep(100);
  }
}

/** Creates the first product index once Elasticsearch is available. @returns a function that stops trying. */
function createCatalogueWhenPossible(es: Client, config: Config, logger: Logger): () => void {
  const stopped = new AbortController();
  let logged = '';
  const attempt = async () => {
    while (!stopped.signal.aborted) {
      try {
        if (await ensureCatalogue(es, config.indexPrefix)) logger.info('created the product index');
        return;
      } catch (error) {
        const reason = areCredentialsRefused(error)
          ? 'Elasticsearch refuses the credentials: see ELASTICSEARCH_USERNAME, ELASTICSEARCH_PASSWORD, ELASTICSEARCH_API_KEY'
          : 'Elasticsearch is not available yet';
        // If Elasticsearch refuses the credentials, its error is not logged: the request was a HEAD request,
        // whose answer has no text.
        if (reason !== logged) logger.warn(reason, areCredentialsRefused(error) ? {} : loggable(error));
        logged = reason;
      }
      await sleep(1_000, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  void attempt();
  return () => {
    stopped.abort();
  };
}

const areCredentialsRefused = (error: unknown): boolean => [401, 403].includes(rejectionStatus(error) ?? 0);
