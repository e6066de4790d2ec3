import type { Redis } from 'ioredis';

/**
 * Opens a connection to the same Redis as the client. The connection emits `monitor` for each command that Redis receives.
 *
 * ioredis emits an error if Redis reports a command in the same packet as its reply to `MONITOR`. `Redis#monitor` returns the
 * connection too late to add an error handler, so the connection is opened here.
 */
export async function monitorOf(redis: Redis): Promise<Redis> {
  const monitor = redis.duplicate({ monitor: true, lazyConnect: false });
  monitor.on('error', () => undefined);
  await new Promise((resolve) => monitor.once('monitoring', resolve));
  return monitor;
}
