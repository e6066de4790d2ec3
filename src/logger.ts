import { ecsFormat } from '@elastic/ecs-winston-format';
import winston from 'winston';
import type { Config } from './config.js';

export type Logger = winston.Logger;

/**
 * ECS JSON lines on stdout in production, short lines for people elsewhere.
 * Nothing but what a caller passes is logged: no headers, no bodies, so no secret can slip in.
 */
export function createLogger(config: Pick<Config, 'environment' | 'logLevel'>): Logger {
  const forPeople = winston.format.combine(
    winston.format.timestamp({ format: 'HH:mm:ss.SSS' }),
    winston.format.printf((info) => {
      const { level, message, timestamp, ...rest } = info;
      const details = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
      return `${String(timestamp)} ${level} ${String(message)}${details}`;
    }),
  );
  return winston.createLogger({
    level: config.logLevel === 'silent' ? 'error' : config.logLevel,
    silent: config.logLevel === 'silent',
    format: config.environment === 'production' ? ecsFormat({ serviceName: 'product-catalogue' }) : forPeople,
    transports: [new winston.transports.Console()],
  });
}

/**
 * What an error may tell the log: names, statuses and the engine's reason, but no request,
 * since the client keeps headers with credentials on its errors.
 */
export function loggable(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: { message: String(error) } };
  const { name, message, stack, cause } = error;
  return {
    error: {
      type: name,
      message,
      stack_trace: stack,
      ...(cause === undefined ? {} : { cause: causeText(cause) }),
    },
  };
}

function causeText(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}
