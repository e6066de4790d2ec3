import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { UPLOAD_FORMATS } from '../../feeds/read/feed.js';
import { keyOf } from '../../platform/access/key.js';
import { parseClientJson } from '../../platform/client-json.js';
import { ApiError, invalid, isSupportedCoding, unsupportedCoding } from '../../platform/errors.js';
import type { ConcurrencySlots } from '../admission/concurrency-slots.js';
import { type MinimumRate, watchProgress } from './transfer-rate.js';

/** The maximum size of a JSON body in bytes. The largest legitimate body contains twenty ids. */
const JSON_LIMIT_BYTES = 100 * 1024;

/** The maximum size of the body of `POST /v1/listings` in bytes, as it is sent. */
export const UPLOAD_LIMIT_BYTES = 10 * 1024 * 1024;

/** The slowest accepted request body: 128 kB every four seconds, so that one of 10 MB arrives within five minutes. */
const BODY_RATE: MinimumRate = { every: 500, checks: 8, bytes: 128 * 1024 };

/** A refused request closes its connection: the rest of its body would be read as the next request. */
const CLOSE = { Connection: 'close' };

const bodyTooLarge = () => new ApiError(413, 'Request body too large', CLOSE);
const bodyTooSlow = () => new ApiError(408, 'Request timeout', CLOSE);

const damagedBody = (coding: string, cause: unknown) =>
  new ApiError(
    400,
    `The body cannot be read: it is not ${coding.trim().toLowerCase()}, as Content-Encoding states, or it is cut off or damaged`,
    {},
    { cause },
  );

/** Whether the body parser reports an error of decompression. Unlike its other errors, such an error has no `type`. */
const isDecompressionError = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && error.status === 400 && !('type' in error);

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const isTooLarge = ({ headers }: IncomingMessage, limit: number): boolean =>
  Number(headers['content-length'] ?? 0) > limit;

/** Limits a body that is sent to `limit` bytes, and how slowly it may arrive, neither of which the body parser `read` does. */
export function boundedBody(limit: number, read: RequestHandler): RequestHandler {
  return (request, response, next) => {
    // The body parser would decompress whatever Node supports, and zstd frames can allocate 128 MB.
    const coding = request.headers['content-encoding'] ?? 'identity';
    if (!isSupportedCoding(coding)) throw unsupportedCoding('Unsupported content encoding');
    if (isTooLarge(request, limit)) throw bodyTooLarge();
    if (!hasBody(request)) return void read(request, response, next);
    let received = 0;
    let isSettled = false;
    const settle = (error?: unknown) => {
      if (isSettled) return;
      isSettled = true;
      stop();
      request.off('close', stop);
      next(coding !== 'identity' && isDecompressionError(error) ? damagedBody(coding, error) : error);
    };
    const stop = watchProgress(
      () => received,
      BODY_RATE,
      () => settle(bodyTooSlow()),
    );
    request.once('close', stop);
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > limit) settle(bodyTooLarge());
    });
    void read(request, response, settle);
  };
}

/** Reads a request body as text, whatever its content type: it can only be JSON. */
export const readBody: RequestHandler = boundedBody(
  JSON_LIMIT_BYTES,
  express.text({ type: () => true, limit: JSON_LIMIT_BYTES }),
);

/** Parses the body that `readBody` has read. @returns undefined without a body. @throws ApiError 422 for invalid JSON. */
export function parseBody(request: Request): unknown {
  const text: unknown = request.body;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  try {
    return parseClientJson(text);
  } catch {
    throw invalid([{ loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' }]);
  }
}

const readBytes = boundedBody(
  UPLOAD_LIMIT_BYTES,
  express.raw({ type: () => true, limit: UPLOAD_LIMIT_BYTES }),
);

/** The media types that an upload may have: those of records, and those that clients such as curl send by default. */
const UPLOAD_TYPES =
  /^(?:application\/(?:(?:x-)?ndjson|(?:x-)?jsonl(?:ines)?|json|x-www-form-urlencoded|octet-stream|(?:x-)?gzip)|text\/plain)$/;

function checkMediaType(contentType: string | undefined): void {
  const [type = ''] = (contentType ?? '').split(';');
  if (type.trim() === '' || UPLOAD_TYPES.test(type.trim().toLowerCase())) return;
  throw new ApiError(
    415,
    `Unsupported media type: listings are taken as ${UPLOAD_FORMATS.map(({ mediaType }) => mediaType).join(' or ')}`,
  );
}

/** Reads an upload, which holds a slot because it takes memory. @param refuseRunning throws if the same upload is running already. */
export function readUpload(
  slots: ConcurrencySlots,
  refuseRunning: (request: Request, response: Response) => Promise<void>,
): RequestHandler {
  return async (request, response, next) => {
    if (isTooLarge(request, UPLOAD_LIMIT_BYTES)) throw bodyTooLarge();
    checkMediaType(request.headers['content-type']);
    await refuseRunning(request, response);
    const release = await slots.acquire({ client: keyOf(response)?.id ?? '' }).catch(async (refusal) => {
      await refuseRunning(request, response);
      throw refusal;
    });
    if (response.destroyed) return release();
    response.once('close', release);
    void readBytes(request, response, (error?: unknown) => {
      // The body parser leaves `body` unset for an empty body, so an empty buffer is set instead.
      if (!Buffer.isBuffer(request.body)) request.body = Buffer.alloc(0);
      next(error);
    });
  };
}
