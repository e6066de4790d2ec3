import { readConfig, ConfigError } from './config.js';
import { createLogger, loggable } from './observability/logger.js';
import { redactor } from './observability/redact.js';
import { startService } from './service.js';

/** The process: configuration, service, signals. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config, redactor(config));
  const service = await startService(config, logger);
  logger.info(`listening on ${service.url}`);
  if (service.metricsUrl !== null) logger.info(`metrics on ${service.metricsUrl}/metrics`);

  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    logger.info(`${signal}: stopping`);
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error('could not stop cleanly', loggable(error));
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** When it serves. A process that cannot ends with what is wrong. */
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
