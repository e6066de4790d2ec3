import type { Redis } from 'ioredis';

/**
 * Connects to the Redis of a client and emits `monitor` for every command that reaches it. `Redis#monitor` is not used, because
 * it throws where nothing can catch it if a command arrives together with the answer to `MONITOR`.
 */
export async function monitorOf(redis: Redis): Promise<Redis> {
  const monitor = redis.duplicate({ monitor: true, lazyConnect: false });
  monitor.on('error', () => undefined);
  await new Promise((resolve) => monitor.once('monitoring', resolve));
  return monitor;
}
