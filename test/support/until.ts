import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@elastic/elasticsearch';

const GIVEN_UP_AFTER_MS = 120_000;

/**
 * Calls `check` again and again until it returns a value, and returns this value. A status 503 of
 * Elasticsearch counts as no value, because an index that was just created may have no shard that can be
 * searched. @throws Error after two minutes without a value, so that it does not disturb the tests that
 * follow.
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
