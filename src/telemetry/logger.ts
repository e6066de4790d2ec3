import { ecsFields, ecsStringify } from '@elastic/ecs-winston-format';
import winston from 'winston';
import type { Config } from '../platform/config/config.js';
import { redactForms, type Redact } from './redact.js';
import { ECS_VERSION, SERVICE_NAME, SERVICE_VERSION } from '../platform/version.js';

export type Logger = winston.Logger;

/** The key under which winston formats store the finished line. */
const MESSAGE = Symbol.for('message');

/** Characters that are escaped in log lines: they end lines, move the cursor, or are invisible. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The dataset of log lines that describe neither a request nor a change of a key. */
const DATASET = 'catalog.service';

const escaped = (character: string): string =>
  [...Array(character.length).keys()]
    .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`)
    .join('');

/** Creates a logger of ECS JSON lines in production and short ones elsewhere. By default, secrets are recognised by their form. */
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
  const fields = {
    serviceName: SERVICE_NAME,
    serviceVersion: SERVICE_VERSION,
    serviceEnvironment: config.environment,
    // Each line states its own dataset.
    eventDataset: '',
  };
  const sameAsEvents = winston.format((info) => {
    const { event } = info as { event?: object };
    return Object.assign(info, { event: { dataset: DATASET, ...event }, 'ecs.version': ECS_VERSION });
  });
  return winston.createLogger({
    level: config.logLevel === 'silent' ? 'error' : config.logLevel,
    silent: config.logLevel === 'silent',
    format: winston.format.combine(
      config.environment === 'production'
        ? winston.format.combine(ecsFields(fields), sameAsEvents(), ecsStringify())
        : forPeople,
      printable(),
    ),
    transports: [
      stream === undefined ? new winston.transports.Console() : new winston.transports.Stream({ stream }),
    ],
  });
}

/** The loggable fields of an error, without the request, whose headers contain credentials. */
export function loggable(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: { message: String(error) } };
  const { name, message, stack, cause } = error;
  return {
    error: {
      type: name,
      message,
      stack_trace: stack,
      ...(cause === undefined
        ? {}
        : { cause: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause) }),
    },
  };
}
