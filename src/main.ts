import cluster from 'node:cluster';
import { type Config, readConfig, ConfigError } from './platform/config/config.js';
import { createLogger, loggable, type Logger } from './telemetry/logger.js';
import { redactor } from './telemetry/redact.js';
import type { Running } from './workers.js';
import { SERVICE_NAME, SERVICE_REVISION, SERVICE_VERSION } from './platform/version.js';

/**
 * The time in ms, in addition to `SHUTDOWN_DELAY_MS`, after which a stopping process that still runs is
 * ended. A regular stop takes at most ten seconds plus that delay.
 */
const STOP_WITHIN_MS = 12_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config, redactor(config));
  const starting = start(config, logger);

  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    logger.info(`${signal}: stopping`);
    setTimeout(() => {
      logger.error('could not stop in time');
      process.exit(1);
    }, config.shutdownDelayMs + STOP_WITHIN_MS);
    starting
      .then((running) => running.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error('could not stop cleanly', loggable(error));
          process.exit(1);
        },
      );
  };
  // A stop signal that arrives while the service is still starting is obeyed, too.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => {
    starting.then(
      (running) => {
        if (!stopping) running.reload();
      },
      () => undefined,
    );
  });
  await starting;
  if (cluster.isPrimary)
    logger.info(`${SERVICE_NAME} ${SERVICE_VERSION} (revision ${SERVICE_REVISION}) has started`);
}

async function start(config: Config, logger: Logger): Promise<Running> {
  // If the service has several processes, the primary serves no requests, so it does not import the service.
  const startService = async (worker: boolean) =>
    (await import('./wiring.js')).startService(config, logger, [], worker);
  if (config.workers > 1) {
    logger.defaultMeta = { process: { pid: process.pid } };
    const { startWorker, startWorkers } = await import('./workers.js');
    return cluster.isPrimary ? startWorkers(config, logger) : startWorker(logger, () => startService(true));
  }
  const service = await startService(false);
  logger.info(`listening on ${service.url}`);
  if (service.metricsUrl !== null) logger.info(`metrics on ${service.metricsUrl}/metrics`);
  return {
    stop: () => service.stop(),
    reload() {
      logger.warn('SIGHUP: nothing is reloaded; that needs WORKERS=2 or more, or a restart');
    },
  };
}

/**
 * Starts this process of the service, and resolves once it listens. A process that cannot start prints the
 * reason and exits with code 1.
 */
export const started = main().catch((error: unknown) => {
  const message =
    error instanceof ConfigError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
