import { createHmac } from 'node:crypto';
import type { Logger } from './logger.js';
import { redactPath, type Redact } from './redact.js';
import { nanoseconds, type Observer, type RequestRecord } from './request-record.js';

/** Requests that took at least this long are always logged, in ms. */
const SLOW_MS = 1_000;

interface RequestLogOptions {
  redact: Redact;
  /** The fraction of ordinary requests that is logged, from 0 to 1. Notable requests are always logged. */
  sample: number;
  /** The key of the hash that selects the sample, so that clients cannot choose logged request ids. */
  secret: string;
}

/**
 * Logs one line for each request, or each sampled one, without the query, which may contain private data. The fields are those of
 * its event. A sampled line has `catalog.sample_rate` and represents 1 / sample_rate requests.
 */
export function requestLog(logger: Logger, options: RequestLogOptions): Observer {
  const { redact, sample, secret } = options;
  return {
    ended(record) {
      const { method, status, requestId: id, timings, aborted, key, endpoint } = record;
      const level = endpoint?.probe === true && status < 400 ? 'debug' : 'info';
      if (!logger.isLevelEnabled(level)) return;
      const isSampled = sample < 1 && !isNotable(record);
      if (isSampled && positionOf(id, secret) >= sample) return;
      const shown = redactPath(record.path, redact);
      const catalog = {
        route: record.route,
        engine: { duration: nanoseconds(timings.engine) },
        redis: { duration: nanoseconds(timings.redis) },
        ...(key === null ? {} : { key: { id: key.id } }),
        ...(aborted ? { aborted } : {}),
        ...(isSampled ? { sample_rate: sample } : {}),
      };
      logger.log(level, `${method} ${shown} ${status}`, {
        http: { request: { id, method }, response: { status_code: status } },
        url: { path: shown },
        trace: { id: record.trace.traceId },
        event: { dataset: 'catalog.requests', duration: nanoseconds(record.duration) },
        catalog,
      });
    },
  };
}

/** Errors that are only sampled even if the request has an API key, because a client can repeat such requests endlessly. */
const REPEATABLE_ERRORS = new Set([404, 429]);

/** Whether a request is always logged. Client errors of anonymous requests are not, because they could displace other lines. */
function isNotable({ status, duration, endpoint, key }: RequestRecord): boolean {
  if (status >= 500 || duration >= SLOW_MS) return true;
  if (status >= 400) return key !== null && !REPEATABLE_ERRORS.has(status);
  return endpoint?.access === 'writer' || endpoint?.access === 'admin';
}

/** Maps a request id to a number from 0 to 1, evenly distributed, which decides whether it is logged. */
function positionOf(id: string, secret: string): number {
  return createHmac('sha256', secret).update(id).digest().readUInt32BE() / 2 ** 32;
}
