import { createHmac } from 'node:crypto';
import type { Logger } from './logger.js';
import { redactPath, type Redact } from './redact.js';
import { nanoseconds, type Observer, type RequestRecord } from './request-record.js';

/** Which requests have a line in the log. */
export interface RequestLogOptions {
  redact: Redact;
  /** The fraction of the requests that `isNotable` does not keep, 0 to 1. */
  sample: number;
  /** Requests that took as long or longer all have a line, ms. */
  slowMs: number;
  /** Clients choose request ids; without the secret they cannot choose ids that are all logged. The same on all instances. */
  secret: string;
}

/**
 * One line per request, or per sampled request. Its path alone: a query may hold what a shopper would not want kept.
 * A line that is there because it was sampled has `catalog.sample_rate`; it stands for 1 / sample_rate requests.
 */
export function requestLog(logger: Logger, options: RequestLogOptions): Observer {
  const { redact, sample, slowMs, secret } = options;
  return {
    ended(record) {
      const { method, path, status, duration, requestId: id, traceId, aborted, key, endpoint } = record;
      const level = endpoint?.probe === true && status < 400 ? 'debug' : 'info';
      if (!logger.isLevelEnabled(level)) return;
      const isSampled = sample < 1 && !isNotable(record, slowMs);
      if (isSampled && positionOf(id, secret) >= sample) return;
      const shown = redactPath(path, redact);
      const catalog = {
        ...(key === null ? {} : { key: { id: key.id } }),
        ...(aborted ? { aborted } : {}),
        ...(isSampled ? { sample_rate: sample } : {}),
      };
      logger.log(level, `${method} ${shown} ${status}`, {
        http: { request: { id, method }, response: { status_code: status } },
        url: { path: shown },
        ...(traceId === null ? {} : { trace: { id: traceId } }),
        event: { duration: nanoseconds(duration) },
        ...(Object.keys(catalog).length === 0 ? {} : { catalog }),
      });
    },
  };
}

/** Client errors that a client can cause without end, also with a key: they are sampled. The metrics count all of them. */
const REPEATED = new Set([404, 429]);

/**
 * Whether a request always has a line: server errors, slow requests, writes, and what is wrong with the requests of a key.
 * Without a key, client errors are sampled, or a stranger could push everything else out of a log of limited size.
 */
function isNotable({ status, duration, endpoint, key }: RequestRecord, slowMs: number): boolean {
  if (status >= 500 || duration >= slowMs) return true;
  if (status >= 400) return key !== null && !REPEATED.has(status);
  return endpoint?.access === 'writer' || endpoint?.access === 'admin';
}

/** Where an id stands between 0 and 1: always in the same place, and spread evenly. */
function positionOf(id: string, secret: string): number {
  return createHmac('sha256', secret).update(id).digest().readUInt32BE() / 2 ** 32;
}
