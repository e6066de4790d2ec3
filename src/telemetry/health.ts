import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import type { KeyStore } from '../platform/access/key-store.js';
import { UNCHECKED_MS } from '../platform/access/known-keys.js';
import type { RedisBreaker } from '../platform/redis/redis-breaker.js';
import type { Logger } from './logger.js';
import { roundTo } from '../text/statistics.js';

type DependencyState = 'ok' | 'unavailable';

interface Dependencies {
  elasticsearch: DependencyState;
  redis: DependencyState;
}

export type Health = ReturnType<typeof createHealth>;

/** The deadline of the Elasticsearch health probe, in ms. The Redis probe has the deadline of requests. */
const DEADLINE_MS = 1_000;

const PROBE_INTERVAL_MS = 1_000;

interface HealthOptions {
  es: Client;
  /** The circuit breaker of requests, so that Redis counts as unavailable exactly when it is too slow for them. */
  redis: RedisBreaker;
  /** The keys. While Redis is away, each probe reads the revocations, and keys may be served nevertheless. */
  keys?: Pick<KeyStore, 'known' | 'revokeWhatWasRecorded'>;
  now: () => Date;
  logger?: Logger;
  /** The alias of the product index; a missing alias counts as unavailable. */
  productsAlias: string;
  /** How long a dependency may be unavailable before the instance is not ready, in ms. */
  patience?: Record<keyof Dependencies, number>;
}

/**
 * The default of `patience`, in ms. A pause of Elasticsearch affects all instances at once, and usually ends earlier. While Redis is
 * away, an instance accepts the API keys that it knows, and after this time only if it can read revocations.
 */
const PATIENCE_MS = { elasticsearch: 10_000, redis: UNCHECKED_MS };

/** Probes the dependencies every second and on request. Concurrent callers share a probe, so that floods cost no more. */
export function createHealth(options: HealthOptions) {
  const { es, redis, keys, now: clock, logger, productsAlias, patience = PATIENCE_MS } = options;
  let clockOffset: number | null = null;
  let isClockWrong = false;
  /** Measures the offset from the clock of Redis, which all instances share. @param sentAt when `TIME` was sent, in ms since 1970. */
  const measureClock = (sentAt: number, tookMs: number, redisAt: number) => {
    if (tookMs > LONGEST_PROBE_MS) return;
    clockOffset = (sentAt + tookMs / 2 - redisAt) / 1_000;
    const isWrong = Math.abs(clockOffset) > MAX_OFFSET_SECONDS;
    if (isWrong === isClockWrong) return;
    isClockWrong = isWrong;
    const catalog = { clock_offset_seconds: roundTo(3, clockOffset) };
    if (isWrong) logger?.warn("This instance's clock differs from that of Redis", { catalog });
    else logger?.info("This instance's clock agrees with that of Redis again", { catalog });
  };
  const probeRedis = async () => {
    const sentAt = clock().getTime();
    const started = performance.now();
    const [seconds, microseconds] = await redis.run((client) => client.time());
    const tookMs = performance.now() - started;
    measureClock(sentAt, tookMs, Number(seconds) * 1_000 + Number(microseconds) / 1_000);
  };
  let running: Promise<Dependencies> | null = null;
  let last: Dependencies = { elasticsearch: 'unavailable', redis: 'unavailable' };
  const lastSeen = { elasticsearch: -Infinity, redis: -Infinity };
  const probe = async (): Promise<Dependencies> => {
    const [elasticsearch, redisState] = await Promise.all([
      Promise.race([
        // Every node is tried, because one unavailable node must not make the instance unhealthy.
        es.indices
          .existsAlias(
            { name: productsAlias },
            { requestTimeout: DEADLINE_MS, maxRetries: es.connectionPool.size - 1 },
          )
          .then((exists) => (exists ? 'ok' : 'unavailable'), unavailable),
        sleep(DEADLINE_MS, 'unavailable' as const, { ref: false }),
      ]),
      probeRedis().then((): DependencyState => 'ok', unavailable),
    ]);
    followRevocations(redisState);
    last = { elasticsearch, redis: redisState };
    if (elasticsearch === 'ok') lastSeen.elasticsearch = performance.now();
    if (redisState === 'ok') lastSeen.redis = performance.now();
    return last;
  };
  let wasAway = true;
  /** While Redis is away, reads the revocations; afterwards, and after the start, repeats them in Redis until that succeeds. */
  const followRevocations = (redisState: DependencyState) => {
    if (redisState === 'unavailable') {
      wasAway = true;
      void keys?.known.readRevocations(clock());
    } else if (wasAway) {
      wasAway = false;
      keys?.revokeWhatWasRecorded(clock()).catch(() => (wasAway = true));
    }
  };
  const check = () => {
    running ??= probe().finally(() => {
      running = null;
    });
    return running;
  };
  const timer = setInterval(() => void check(), PROBE_INTERVAL_MS);
  timer.unref();
  return {
    shuttingDown: false,
    /** Probes each dependency of the service now; never rejects. */
    check,
    /** The result of the last probe, which is a second or two old. */
    get last(): Dependencies {
      return last;
    },
    /** How many seconds the clock of this instance is ahead of that of Redis; null if not measured yet. */
    get clockOffsetSeconds() {
      return clockOffset;
    },
    /** Whether a load balancer should send requests to this instance. */
    get ready(): boolean {
      const now = performance.now();
      const { elasticsearch, redis } = patience;
      const isRedisMissed = now - lastSeen.redis >= redis && keys?.known.areServed !== true;
      return !this.shuttingDown && now - lastSeen.elasticsearch < elasticsearch && !isRedisMissed;
    },
    stop() {
      clearInterval(timer);
    },
  };
}

const unavailable = (): DependencyState => 'unavailable';

/** The maximum clock offset without a warning. Instances this far apart accept each other's tokens. */
const MAX_OFFSET_SECONDS = 2;

/** The maximum duration of a measurement in ms. In a slower one it is unknown when Redis read its clock. */
const LONGEST_PROBE_MS = 200;
