import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@elastic/elasticsearch';

const GIVEN_UP_AFTER_MS = 120_000;

/**
 * Asks `check` again and again until it gives something, and gives that. A 503 of the engine is nothing yet: an index that
 * was made a moment ago has no shard that could be searched.
 * @throws when it has given nothing for two minutes: so that it does not go on asking beside the tests that follow.
 */
export async function until<T>(check: () => T | Promise<T>): Promise<NonNullable<T>> {
  const started = performance.now();
  for (;;) {
    const value = await attempt(check);
    if (value) return value;
    if (performance.now() - started > GIVEN_UP_AFTER_MS) throw new Error(`never came: ${String(check)}`);
    await sleep(20);
  }
}

async function attempt<T>(check: () => T | Promise<T>): Promise<T | null> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof errors.ResponseError && error.statusCode === 503) return null;
    throw error;
  }
}
