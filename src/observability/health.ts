import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import { REMEMBERED_MS } from '../access/recent-keys.js';
import type { Dependencies, DependencyState, Health } from '../context.js';

const DEADLINE_MS = 1_000;

/** How often the dependencies are asked in the background. */
const LOOKS_EVERY_MS = 1_000;

/** What is asked, and when it counts as gone. */
export interface HealthOptions {
  es: Client;
  redis: Redis;
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
export function createHealth({ es, redis, productsAlias, patience = PATIENCE_MS }: HealthOptions): Prober {
  let running: Promise<Dependencies> | null = null;
  let last: Dependencies = { elasticsearch: 'unavailable', redis: 'unavailable' };
  /** When each was last there, on the monotonic clock. Nothing is known at the start. */
  const seen = { elasticsearch: -Infinity, redis: -Infinity };
  const probe = async (): Promise<Dependencies> => {
    const [elasticsearch, redisState] = await Promise.all([
      state(
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
      state(redis.ping()),
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

/** Waits for a probe, but not for long. */
async function state(probe: Promise<unknown>): Promise<DependencyState> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<DependencyState>((resolve) => {
    timer = setTimeout(() => {
      resolve('unavailable');
    }, DEADLINE_MS);
  });
  const answer = probe.then(
    (): DependencyState => 'ok',
    (): DependencyState => 'unavailable',
  );
  return Promise.race([answer, deadline]).finally(() => {
    clearTimeout(timer);
  });
}
