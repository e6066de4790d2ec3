import { setTimeout as sleep } from 'node:timers/promises';

const GIVEN_UP_AFTER_MS = 120_000;

/**
 * Asks `check` again and again until it gives something, and gives that.
 * @throws when it has given nothing for two minutes: so that it does not go on asking beside the tests that follow.
 */
export async function until<T>(check: () => T | Promise<T>): Promise<NonNullable<T>> {
  const started = performance.now();
  for (;;) {
    const value = await check();
    if (value) return value;
    if (performance.now() - started > GIVEN_UP_AFTER_MS) throw new Error(`never came: ${String(check)}`);
    await sleep(20);
  }
}
