import cluster from 'node:cluster';
import { type Config, readConfig, ConfigError } from './platform/config/config.js';
import { createLogger, loggable, type Logger } from './telemetry/logger.js';
import { redactor } from './telemetry/redact.js';
import type { Running } from './workers.js';
import { SERVICE_NAME, SERVICE_REVISION, SERVICE_VERSION } from './platform/version.js';

/** The time in ms after which a stop is forced. A regular one takes at most ten seconds; both exclude `SHUTDOWN_DELAY_MS`. */
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
  // A signal that arrives while the service is still starting is obeyed, too.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const reload = (running: Running) => {
    if (!stopping) running.reload();
  };
  process.on('SIGHUP', () => void starting.then(reload, () => undefined));
  await starting;
  if (cluster.isPrimary)
    logger.info(`${SERVICE_NAME} ${SERVICE_VERSION} (revision ${SERVICE_REVISION}) has started`);
}

async function start(config: Config, logger: Logger): Promise<Running> {
  // The primary of several processes serves no requests, so it does not import the service.
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

/** Resolves once this process of the service listens. One that cannot start prints the reason and exits with code 1. */
export const started = main().catch((error: unknown) => {
  const { message, stack = message }: { message: string; stack?: string } =
    error instanceof Error ? error : { message: String(error) };
  process.stderr.write(`${error instanceof ConfigError ? message : stack}\n`);
  process.exit(1);
});
