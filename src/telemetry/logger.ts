import { ecsFormat } from '@elastic/ecs-winston-format';
import winston from 'winston';
import type { Config } from '../platform/config/config.js';
import { redactForms, type Redact } from './redact.js';
import { SERVICE_NAME, SERVICE_VERSION } from '../platform/version.js';

export type Logger = winston.Logger;

/** Where winston's formats leave the finished line. */
const MESSAGE = Symbol.for('message');

/** What ends lines, moves cursors, turns the direction of text or is not seen; none of it is part of JSON but in texts. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** As JSON and people write it. */
const escaped = (character: string): string =>
  [...Array(character.length).keys()]
    .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`)
    .join('');

/**
 * ECS JSON lines on stdout in production, short lines for people elsewhere.
 * Nothing but what a caller passes is logged: no headers, no bodies. What looks like a secret is taken out of the
 * finished line all the same: a path or an engine's error may hold one. Nor does anybody's text end a line or move a
 * cursor.
 * @param redact `redactor(config)`; without it, secrets are known by their form alone.
 * @param stream another one than standard output, where a command's output is its answer.
 */
export function createLogger(
  config: Pick<Config, 'environment' | 'logLevel'>,
  redact: Redact = redactForms,
  stream?: NodeJS.WritableStream,
): Logger {
  const forPeople = winston.format.combine(
    winston.format.timestamp({ format: 'HH:mm:ss.SSS' }),
    winston.format.printf((info) => {
      const { level, message, timestamp, ...rest } = info;
      const details = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
      return `${String(timestamp)} ${level} ${String(message)}${details}`;
    }),
  );
  const printable = winston.format((info) => {
    const line = info[MESSAGE];
    if (typeof line === 'string') info[MESSAGE] = redact(line).replace(UNPRINTABLE, escaped);
    return info;
  });
  const ecs = () =>
    ecsFormat({
      serviceName: SERVICE_NAME,
      serviceVersion: SERVICE_VERSION,
      serviceEnvironment: config.environment,
      // It would be said of every line, beside what a line says itself: the same field twice, of two values.
      eventDataset: '',
    });
  const dataset = winston.format((info) => {
    const { event } = info as { event?: { dataset?: string } };
    return event?.dataset === undefined ? { ...info, 'event.dataset': SERVICE_NAME } : info;
  });
  return winston.createLogger({
    level: config.logLevel === 'silent' ? 'error' : config.logLevel,
    silent: config.logLevel === 'silent',
    format: winston.format.combine(
      config.environment === 'production' ? winston.format.combine(dataset(), ecs()) : forPeople,
      printable(),
    ),
    transports: [
      stream === undefined ? new winston.transports.Console() : new winston.transports.Stream({ stream }),
    ],
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
