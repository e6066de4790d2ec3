import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@elastic/elasticsearch';

const GIVEN_UP_AFTER_MS = 120_000;

/**
 * The pause in ms after the first check, and the longest pause. The pauses grow, because most conditions are met within
 * milliseconds, and because each check of the others, most of them a search, takes CPU time from other tests.
 */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;

/**
 * Calls `check` again and again until it returns a value, and returns this value. A status 503 of
 * Elasticsearch counts as no value, because an index that was just created may have no shard that can be
 * searched. @throws Error after two minutes without a value, so that it does not disturb the tests that
 * follow.
 */
export async function until<T>(check: () => T | Promise<T>): Promise<NonNullable<T>> {
  const started = performance.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const value = await attempt(check);
    if (value) return value;
    if (performance.now() - started > GIVEN_UP_AFTER_MS) throw new Error(`never came: ${String(check)}`);
    await sleep(pause);
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
