import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { ApiError, isSupportedCoding, unsupportedCoding } from '../../platform/errors.js';
import { type MinimumRate, watchProgress } from './progress.js';

/** 128 kB in every four seconds: a small body has to arrive within four seconds, one of 10 MB may take five minutes. */
const BODY_RATE: MinimumRate = { every: 500, checks: 8, bytes: 128 * 1024 };

/** The client may still be sending, and the rest of its body would be read as the next request. */
const CLOSE = { Connection: 'close' };

/** 413, after which the connection is closed. */
export const bodyTooLarge = () => new ApiError(413, 'Request body too large', CLOSE);
const bodyTooSlow = () => new ApiError(408, 'Request timeout', CLOSE);

/** Whether a request says that it has a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Whether a request says that its body is longer than `limit` bytes. */
export const isTooLarge = ({ headers }: IncomingMessage, limit: number): boolean =>
  Number(headers['content-length'] ?? 0) > limit;

/**
 * Bounds how long a body may be and how slowly it may arrive. The library that reads it would first read a body that is
 * too large to its end, and would wait for a slow one for ever.
 * @param limit bytes as they are sent.
 * @param read reads the body; it bounds the bytes of a compressed one.
 */
export function boundedBody(limit: number, read: RequestHandler): RequestHandler {
  return (request, response, next) => {
    // The library unpacks what Node can: since Node 22.15 also zstd, whose frames make the decoder allocate up to 128 MB.
    if (!isSupportedCoding(request.headers['content-encoding'] ?? 'identity')) {
      next(unsupportedCoding('Unsupported content encoding'));
      return;
    }
    if (isTooLarge(request, limit)) {
      next(bodyTooLarge());
      return;
    }
    if (!hasBody(request)) {
      void read(request, response, next);
      return;
    }
    let received = 0;
    let isDecided = false;
    const decide = (error?: unknown) => {
      if (isDecided) return;
      isDecided = true;
      stop();
      request.off('close', stop);
      next(error);
    };
    const stop = watchProgress(
      () => received,
      BODY_RATE,
      () => {
        decide(bodyTooSlow());
      },
    );
    request.once('close', stop);
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > limit) decide(bodyTooLarge());
    });
    void read(request, response, decide);
  };
}
