import type { Client } from '@elastic/elasticsearch';
import { REMEMBERED_MS } from '../platform/access/recent-keys.js';
import type { RedisBreaker } from '../platform/access/redis-breaker.js';
import { ClockOffset } from './clock-offset.js';
import type { Logger } from './logger.js';

export type DependencyState = 'ok' | 'unavailable';

/** What the service needs, and whether it answers. */
export interface Dependencies {
  elasticsearch: DependencyState;
  redis: DependencyState;
}

/** Answers of the dependencies to a short probe. */
export interface Health {
  /** Each dependency's state now; never rejects. */
  check(): Promise<Dependencies>;
  /** Each dependency's state as it was last seen, a second or two ago. */
  readonly last: Dependencies;
  /** This instance's clock minus Redis's; null: not measured yet. */
  readonly clockOffsetSeconds: number | null;
  /** Whether requests should come here: nothing has been away for long, and no shutdown has begun. */
  readonly ready: boolean;
  /** Set by the shutdown: readiness fails from then on. */
  shuttingDown: boolean;
}

/** Of the engine's probe; Redis's has the deadline of requests. */
const DEADLINE_MS = 1_000;

/** How often the dependencies are asked in the background. */
const LOOKS_EVERY_MS = 1_000;

/** What is asked, and when it counts as gone. */
export interface HealthOptions {
  es: Client;
  /** The one that requests use, so that Redis counts as away exactly when it is too late for them. */
  redis: RedisBreaker;
  /** This instance's clock. */
  now: () => Date;
  /** Is told when the clock begins to differ from Redis's; without it, nobody is. */
  logger?: Logger;
  /** Of the product index: without it nothing can be searched. */
  productsAlias: string;
  /** For how long an instance may lack each and still be sent requests, ms; see `PATIENCE_MS`. */
  patience?: Record<keyof Dependencies, number>;
}

/**
 * A pause of the engine is shorter than taking an instance out of a proxy and in again, and all instances have it at
 * once. Without Redis the keys of the last minute are served: an instance that gets no request cannot.
 */
const PATIENCE_MS = { elasticsearch: 10_000, redis: REMEMBERED_MS };

/** Health that looks by itself until it is stopped. */
export interface Prober extends Health {
  stop(): void;
}

/**
 * Probes what the service needs, each second and when it is asked. Callers that ask at the same time share one probe,
 * so that a flood of health checks costs the engine no more than one; readiness costs it none.
 */
export function createHealth(options: HealthOptions): Prober {
  const { es, redis, now: clock, logger, productsAlias, patience = PATIENCE_MS } = options;
  const clockOffset = new ClockOffset(logger);
  const probeRedis = async () => {
    const sentAt = clock().getTime();
    const started = performance.now();
    const [seconds, microseconds] = await redis.ask((client) => client.time());
    const tookMs = performance.now() - started;
    clockOffset.measured({ sentAt, tookMs, redisAt: Number(seconds) * 1_000 + Number(microseconds) / 1_000 });
  };
  let running: Promise<Dependencies> | null = null;
  let last: Dependencies = { elasticsearch: 'unavailable', redis: 'unavailable' };
  /** When each was last there, on the monotonic clock. Nothing is known at the start. */
  const seen = { elasticsearch: -Infinity, redis: -Infinity };
  const probe = async (): Promise<Dependencies> => {
    const [elasticsearch, redisState] = await Promise.all([
      inTime(
        es.indices
          // One node that is gone is no reason to be taken out of service.
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
    if (elasticsearch === 'ok') seen.elasticsearch = performance.now();
    if (redisState === 'ok') seen.redis = performance.now();
    return last;
  };
  const check = () => {
    running ??= probe().finally(() => {
      running = null;
    });
    return running;
  };
  const looks = setInterval(() => void check(), LOOKS_EVERY_MS);
  looks.unref();
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
      return !this.shuttingDown && now - seen.elasticsearch < elasticsearch && now - seen.redis < redis;
    },
    stop() {
      clearInterval(looks);
    },
  };
}

const ok = (): DependencyState => 'ok';
const unavailable = (): DependencyState => 'unavailable';

/** Waits for a probe, but not for long. */
async function inTime(probe: Promise<unknown>): Promise<DependencyState> {
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
