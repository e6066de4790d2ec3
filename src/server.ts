import { readConfig, ConfigError } from './config.js';
import { createLogger, loggable } from './observability/logger.js';
import { redactor } from './observability/redact.js';
import { startService } from './service.js';
import { SERVICE_NAME, SERVICE_REVISION, SERVICE_VERSION } from './version.js';

/** A stop takes at most ten seconds beyond the configured delay; a process that is still there after this is ended. */
const STOP_WITHIN_MS = 12_000;

/** The process: reads the configuration, starts the service, and stops it on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config, redactor(config));
  const starting = startService(config, logger);

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
      .then((service) => service.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error('could not stop cleanly', loggable(error));
          process.exit(1);
        },
      );
  };
  // Registered before the service listens: a signal that arrives while it starts stops it as well.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  const service = await starting;
  logger.info(`${SERVICE_NAME} ${SERVICE_VERSION} (revision ${SERVICE_REVISION}) has started`);
  logger.info(`listening on ${service.url}`);
  if (service.metricsUrl !== null) logger.info(`metrics on ${service.metricsUrl}/metrics`);
}

/** Settles once the service listens. A process that cannot start prints the reason and exits with code 1. */
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
