import { setTimeout as sleep } from 'node:timers/promises';

/** Asks `check` again and again until it gives something, and gives that; a test's time-out ends it otherwise. */
export async function until<T>(check: () => T | Promise<T>): Promise<T> {
  for (;;) {
    const value = await check();
    if (value) return value;
    await sleep(20);
  }
}
