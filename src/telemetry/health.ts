import type { Client } from '@elastic/elasticsearch';
import { RECENT_KEY_MS } from '../platform/access/key-store.js';
import type { RedisBreaker } from '../platform/redis/redis-breaker.js';
import type { Logger } from './logger.js';

export type DependencyState = 'ok' | 'unavailable';

/** Whether each dependency of the service (Elasticsearch and Redis) is available. */
export interface Dependencies {
  elasticsearch: DependencyState;
  redis: DependencyState;
}

/** The health of the service, as measured by short probes of its dependencies. */
export interface Health {
  /** Probes each dependency of the service now; never rejects. */
  check(): Promise<Dependencies>;
  /** The result of the last probe, which is a second or two old. */
  readonly last: Dependencies;
  /**
   * How many seconds the clock of this instance is ahead of the clock of Redis; null before the first
   * measurement.
   */
  readonly clockOffsetSeconds: number | null;
  /** Whether a load balancer should send requests here: no dependency has been unavailable for long, and no shutdown has begun. */
  readonly ready: boolean;
  /** Whether a shutdown has begun, so that readiness checks fail. */
  shuttingDown: boolean;
}

/** The deadline of the Elasticsearch health probe, in ms. The Redis probe has the deadline of requests. */
const DEADLINE_MS = 1_000;

/** How often the dependencies are probed in the background, in ms. */
const PROBE_INTERVAL_MS = 1_000;

/** The options of the health probes, such as when a dependency counts as unavailable. */
export interface HealthOptions {
  es: Client;
  /** The circuit breaker that requests use, so that Redis counts as unavailable exactly when it is too slow for requests. */
  redis: RedisBreaker;
  /** Returns the current time by the clock of this instance. */
  now: () => Date;
  /** Logs when the clock of this instance begins to differ from the clock of Redis. */
  logger?: Logger;
  /** The alias of the product index; a missing alias counts as unavailable. */
  productsAlias: string;
  /** How long a dependency may be unavailable before the instance is not ready, in ms; see `PATIENCE_MS`. */
  patience?: Record<keyof Dependencies, number>;
}

/**
 * How long a dependency may be unavailable before the instance is not ready, in ms. A short pause of
 * Elasticsearch affects all instances at once and ends before a load balancer would react. Without Redis,
 * an instance still serves the keys that it has cached, so it stays ready for as long as these are cached.
 */
const PATIENCE_MS = { elasticsearch: 10_000, redis: RECENT_KEY_MS };

/** The health of the service, which is probed in the background until it is stopped. */
export interface HealthProber extends Health {
  stop(): void;
}

/**
 * Probes the dependencies every second and on request. Concurrent callers share one probe, so that a flood of health checks costs
 * Elasticsearch no more than one; readiness checks cost nothing.
 */
export function createHealth(options: HealthOptions): HealthProber {
  const { es, redis, now: clock, logger, productsAlias, patience = PATIENCE_MS } = options;
  const clockOffset = new ClockOffset(logger);
  const probeRedis = async () => {
    const sentAt = clock().getTime();
    const started = performance.now();
    const [seconds, microseconds] = await redis.run((client) => client.time());
    const tookMs = performance.now() - started;
    clockOffset.measured({ sentAt, tookMs, redisAt: Number(seconds) * 1_000 + Number(microseconds) / 1_000 });
  };
  let running: Promise<Dependencies> | null = null;
  let last: Dependencies = { elasticsearch: 'unavailable', redis: 'unavailable' };
  /** When each dependency last answered, on the monotonic clock. */
  const lastSeen = { elasticsearch: -Infinity, redis: -Infinity };
  const probe = async (): Promise<Dependencies> => {
    const [elasticsearch, redisState] = await Promise.all([
      withDeadline(
        es.indices
          // The probe tries every Elasticsearch node, because one unavailable node must not make the
          // instance unhealthy.
          .existsAlias(
            { name: productsAlias },
            { requestTimeout: DEADLINE_MS, maxRetries: es.connectionPool.size - 1 },
          )
          .then((exists) => {
            if (!exists) throw new Error(`alias ${productsAlias} is missing`);
          }),
      ),
      probeRedis().then(ok, unavailable),
    ]);
    last = { elasticsearch, redis: redisState };
    if (elasticsearch === 'ok') lastSeen.elasticsearch = performance.now();
    if (redisState === 'ok') lastSeen.redis = performance.now();
    return last;
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
    check,
    get last() {
      return last;
    },
    get clockOffsetSeconds() {
      return clockOffset.seconds;
    },
    get ready() {
      const now = performance.now();
      const { elasticsearch, redis } = patience;
      return (
        !this.shuttingDown && now - lastSeen.elasticsearch < elasticsearch && now - lastSeen.redis < redis
      );
    },
    stop() {
      clearInterval(timer);
    },
  };
}

const ok = (): DependencyState => 'ok';
const unavailable = (): DependencyState => 'unavailable';

/** Waits for a health probe until its deadline. @returns whether the dependency is available. */
async function withDeadline(probe: Promise<unknown>): Promise<DependencyState> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<DependencyState>((resolve) => {
    timer = setTimeout(() => {
      resolve('unavailable');
    }, DEADLINE_MS);
  });
  return Promise.race([probe.then(ok, unavailable), deadline]).finally(() => {
    clearTimeout(timer);
  });
}

/**
 * The maximum offset between the clocks of this instance and of Redis, in seconds, without a warning. Two
 * instances that differ by this much in opposite directions still accept each other's tokens.
 */
export const MAX_OFFSET_SECONDS = 2;

/**
 * The maximum duration in ms of a clock measurement. A slower one is ignored, because it is unknown when
 * within this time Redis read its clock.
 */
const LONGEST_PROBE_MS = 200;

/** Measures the offset of this instance's clock from the clock of Redis, which all instances share. */
class ClockOffset {
  /**
   * How many seconds the clock of this instance is ahead of the clock of Redis; null before the first
   * measurement.
   */
  seconds: number | null = null;
  private isWrong = false;

  constructor(private readonly logger?: Logger) {}

  /**
   * Records a measurement of the clock offset.
   * @param sentAt the time of this instance when it sent `TIME` to Redis, in ms since 1970.
   * @param tookMs the time until the reply arrived.
   * @param redisAt the time of Redis, in ms since 1970.
   */
  measured({ sentAt, tookMs, redisAt }: { sentAt: number; tookMs: number; redisAt: number }): void {
    if (tookMs > LONGEST_PROBE_MS) return;
    this.seconds = (sentAt + tookMs / 2 - redisAt) / 1_000;
    const isWrong = Math.abs(this.seconds) > MAX_OFFSET_SECONDS;
    if (isWrong === this.isWrong) return;
    this.isWrong = isWrong;
    const catalog = { clock_offset_seconds: Math.round(this.seconds * 1_000) / 1_000 };
    if (isWrong) this.logger?.warn("This instance's clock differs from that of Redis", { catalog });
    else this.logger?.info("This instance's clock agrees with that of Redis again", { catalog });
  }
}
