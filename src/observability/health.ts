import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';
import type { Health } from '../context.js';

const DEADLINE_MS = 1_000;

type State = 'ok' | 'unavailable';

/**
 * Probes of what the service needs: the alias of the product index, and Redis. Callers that ask at the same
 * time share one probe, so that a flood of health checks costs the engine no more than one.
 */
export function createHealth(es: Client, redis: Redis, productsAlias: string): Health {
  let running: Promise<{ elasticsearch: State; redis: State }> | null = null;
  const probe = async () => {
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
    return { elasticsearch, redis: redisState };
  };
  return {
    shuttingDown: false,
    check() {
      running ??= probe().finally(() => {
        running = null;
      });
      return running;
    },
  };
}

/** Waits for a probe, but not for long. */
async function state(probe: Promise<unknown>): Promise<State> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<State>((resolve) => {
    timer = setTimeout(() => {
      resolve('unavailable');
    }, DEADLINE_MS);
  });
  const answer = probe.then(
    (): State => 'ok',
    (): State => 'unavailable',
  );
  return Promise.race([answer, deadline]).finally(() => {
    clearTimeout(timer);
  });
}
