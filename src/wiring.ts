import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import type { RequestHandler } from 'express';
import type { Registry } from 'prom-client';
import {
  type Connections,
  connectElasticsearch,
  connectRedis,
  createCatalogueWhenPossible,
} from './connections.js';
import { catalogueFigures } from './engine/catalogue-figures.js';
import { METRIC_READS } from './engine/client.js';
import { readOnlyIndices } from './engine/disk-full.js';
import { contentVersion, cachedFor, hasSeveralShards, schemaVersionOf } from './engine/index-versions.js';
import { productsAlias } from './engine/indices.js';
import { listingReader } from './engine/documents.js';
import { PointInTimeSessions } from './engine/point-in-time-sessions.js';
import { storedRevocations } from './engine/revocations.js';
import { ValueLabels } from './engine/value-labels.js';
import type { ExchangeRates } from './listing/rates.js';
import { createFollowUp } from './follow-up/after-upload.js';
import { createPools, type Pools } from './http/admission/pools.js';
import { Shutdown } from './shutdown.js';
import { createApp } from './http/app.js';
import { BUSY, MAX_BYTES, ResponseCache } from './http/response-cache.js';
import { createHttpServer, listen, urlOf } from './http/server.js';
import { createAccess } from './platform/access/access.js';
import {
  PREVIOUS_ACCEPTED_SECONDS,
  type PreviousSecret,
  previousSecret,
  createTokens,
} from './platform/access/tokens.js';
import { createSealed } from './platform/sealed.js';
import { type Config, shareOf, warnings } from './platform/config/config.js';
import { auditLog } from './telemetry/audit.js';
import { createEvents } from './telemetry/events/events.js';
import { eventStream } from './telemetry/events/streams.js';
import { createHealth, type Health } from './telemetry/health.js';
import { loggable, type Logger } from './telemetry/logger.js';
import type { CatalogueReaders } from './telemetry/metrics/catalogue-metrics.js';
import { createMetrics } from './telemetry/metrics/metrics.js';
import { metricsAddress, metricsServer } from './telemetry/metrics/metrics-server.js';
import { engineTime, ProcessorTime } from './telemetry/processor-time.js';
import { redactor } from './telemetry/redact.js';
import { startTracing } from './telemetry/tracing.js';
import type { Context } from './usecases/context.js';
import { createListingUpload } from './usecases/ingest/upload.js';
import { followUpFigures } from './sources/follow-up-progress.js';
import { alertFigures } from './usecases/alerts/alert-progress.js';
import { backupFigures } from './usecases/backups/progress.js';
import { loadFigures } from './usecases/ingest/load-figures.js';
import { sourceFigures } from './usecases/sync/source-figures.js';
import { shopsReader } from './sources/source-states.js';
import { brandsReader } from './published/brand-dictionary.js';
import { matchingModels } from './published/matching-models.js';
import { ChangeFeed } from './products/changes/change-feed.js';
import { PublishedRules, ruleVersions } from './published/published-rules.js';
import { phaseOf } from './published/compile-rules.js';
import { readRates } from './products/read-rates.js';
import { storedIndex } from './platform/stored.js';

export interface Service {
  url: string;
  /** The base URL of the server for Prometheus metrics, without `/metrics`; null if this process runs none. */
  metricsUrl: string | null;
  metrics: Registry | null;
  readonly ready: boolean;
  /** Ends this process while another one serves the same port; see `Shutdown`. */
  drain(withinMs: number): Promise<void>;
  /** Ends the service; see `Shutdown`. */
  stop(): Promise<void>;
}

/** How many ms the start of the service waits for Redis, so that the first requests find it connected. */
const REDIS_START_MS = 1_000;

/** How long, in ms, metrics about the catalogue are cached, because Prometheus reads them several times a minute. */
const FIGURES_TTL_MS = 60_000;
/** How long, in ms, the progress of checking alerts is cached for metrics. It is one small document. */
const ALERTS_TTL_MS = 5_000;
/** How long, in ms, the answer to whether the product index has several shards is cached. Only a reindex changes it. */
const SHARDS_TTL_MS = 10_000;

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
  const rates = readRates(config.exchangeRatesFile);
  const connections = { ...connectElasticsearch(config, logger), ...connectRedis(config, logger) };
  const processorTime = new ProcessorTime(engineTime(connections.es), config.workers);
  const pools = createPools({ workers: config.workers, processors: () => processorTime.processors });
  const parts = { rates, pools, ...connections };
  const { context, events, followUp, previous } = createContext(config, logger, parts);
  const { es, health, changes, now } = context;
  const metrics =
    config.metrics === null
      ? null
      : createMetrics({ ...context, ...connections, events }, catalogueReaders(es, config));
  const tracing =
    config.traces === null
      ? null
      : await startTracing(config.traces, {
          environment: config.environment,
          logger,
          redact: redactor(config),
        });
  const observers = [events, metrics, tracing].filter((observer) => observer !== null);
  const caches = createCaches(context);
  const app = createApp(context, { caches, pools, processorTime, logger, observers, routes });
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const isProxy = (address: string) => trusts(address, 0);
  const server = createHttpServer(app, () => metrics?.unreadable(), isProxy, config.workers);

  const { connection } = connections;
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

  const shutdown = new Shutdown(server, {
    health,
    stopWaiting() {
      stopCreating();
      changes.stop();
    },
    async close(eventsMs) {
      health.stop();
      followUp.stop();
      await Promise.all([events?.stop(eventsMs), tracing?.stop(eventsMs)]);
      metricsListener?.close();
      metricsListener?.closeAllConnections();
      connection.disconnect();
      await Promise.all([es.close(), connections.writer.close()]);
    },
  });
  return {
    url: urlOf(server, config.host),
    metricsUrl: metricsListener === null ? null : urlOf(metricsListener, metricsHost),
    metrics: metrics?.registry ?? null,
    get ready() {
      return health.ready;
    },
    drain: (withinMs) => shutdown.drain(withinMs),
    stop: () => shutdown.stop(config.shutdownDelayMs),
  };
}

/** Creates what the use cases depend on, and what writes in the background. */
function createContext(
  config: Config,
  logger: Logger,
  { rates, pools, es, writer, diskFull, redis }: Connections & { rates: ExchangeRates; pools: Pools },
) {
  const { indexPrefix } = config;
  const redact = redactor(config);
  const now = () => new Date();
  const names = {
    products: productsAlias(indexPrefix),
    suggestions: storedIndex(indexPrefix, 'suggestions'),
    decisions: storedIndex(indexPrefix, 'decisions'),
    trends: storedIndex(indexPrefix, 'trends'),
  };
  diskFull.watch(writer, (target) => (target === names.suggestions ? 'suggestions' : 'listings'));
  const previous = previousSecret({ redis, config });
  const tokens = createTokens(config.jwtSecrets, now, previous?.isAccepted);
  const revocations = storedRevocations(es, indexPrefix);
  const access = createAccess({ redis, config, revocations, verifyToken: tokens.verify });
  const health = createHealth({ es, redis, keys: access.keys, productsAlias: names.products, now, logger });
  const events =
    config.events === null ? null : createEvents({ config, ...config.events, diskFull, logger, redact });
  const followUp = createFollowUp({ es: writer, indexPrefix, rates, ...names }, (error) => {
    // A full disk is not logged here, because `diskFull` has already logged it.
    if (!diskFull.isFull)
      logger.warn('Flags or suggestions of written listings could not be updated', loggable(error));
  });
  const brands = brandsReader(es, indexPrefix);
  const matchingModel = matchingModels(es, indexPrefix).reader();
  const context: Context = {
    config,
    es,
    writer,
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
    exports: pools.exports,
    uploadListings: createListingUpload({
      ...config,
      now,
      onWritten: followUp.written,
      brands,
      shops: shopsReader(es, config.indexPrefix),
    }),
    brands,
    changes: new ChangeFeed(es, indexPrefix, now, pools.changeReads),
    followers: pools.followers,
    sealed: createSealed(config.jwtSecrets),
    pointInTimeSessions: new PointInTimeSessions(),
    valueLabels: new ValueLabels(),
    schemaVersion: cachedFor(() => schemaVersionOf(es, names.products)),
    isSplit: cachedFor(() => hasSeveralShards(es, names.products), SHARDS_TTL_MS),
    matchingModel,
    learnedVersions: async () => {
      const [dictionary, model] = await Promise.all([brands(), matchingModel()]);
      return { brands: dictionary.version, matcher: model?.version ?? null };
    },
    publishedRules: new PublishedRules(ruleVersions(es, indexPrefix)),
    rates,
    now,
  };
  return { context, events, followUp, previous };
}

/** The caches of HTTP responses, which are valid until the content of the indices that they were made from changes. */
function createCaches(context: Context) {
  const { es, config, products, decisions, suggestions, publishedRules, schemaVersion, now } = context;
  const models = storedIndex(config.indexPrefix, 'models');
  const brands = storedIndex(config.indexPrefix, 'brands');
  const bytes = shareOf(MAX_BYTES, config.workers);
  // Cached responses depend on the rules that this process applies, which are up to some seconds older than the published ones.
  const appliedRules = async () => {
    const rules = await publishedRules.current();
    return [rules.version, phaseOf(rules, now())].join();
  };
  // Cached responses also depend on the schema version that this process assumes, which may be seconds old.
  const listingsVersion = async () => {
    const content = contentVersion(es, [products, decisions, models, brands]);
    return (await Promise.all([content, schemaVersion(), appliedRules()])).join(' ');
  };
  return {
    listings: new ResponseCache(listingsVersion, { busy: BUSY, bytes }),
    // Reading the version of the index is cheaper than reading suggestions, so it is cached from two simultaneous requests on.
    suggestions: new ResponseCache(() => contentVersion(es, [suggestions]), { busy: 2, bytes }),
  };
}

/** Readers of metrics about the whole catalogue and its loads, which read from Elasticsearch at most once a minute. */
function catalogueReaders(es: Client, config: Config): CatalogueReaders {
  const products = productsAlias(config.indexPrefix);
  const loadEvents = eventStream('loads', { ...config, retentionDays: 0 }).name;
  return {
    figures: cachedFor(() => catalogueFigures(es, { products, loads: loadEvents }), FIGURES_TTL_MS),
    loads: cachedFor(() => loadFigures(es, config.indexPrefix), FIGURES_TTL_MS),
    configuredSources: cachedFor(() => sourceFigures(es, config.indexPrefix), FIGURES_TTL_MS),
    followUp: cachedFor(() => followUpFigures(es, config.indexPrefix, new Date()), FIGURES_TTL_MS),
    alerts: cachedFor(() => alertFigures(es, config.indexPrefix), ALERTS_TTL_MS),
    backup: cachedFor(() => backupFigures(es, config.indexPrefix), FIGURES_TTL_MS),
    readOnlyIndices: cachedFor(() => readOnlyIndices(es, config.indexPrefix, METRIC_READS), FIGURES_TTL_MS),
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
