import express, { type RequestHandler } from 'express';
import { keyOf } from '../../platform/access/authenticate.js';
import { ApiError } from '../../platform/errors.js';
import { bodyTooLarge, boundedBody, isTooLarge } from './body.js';
import type { ConcurrencySlots } from '../admission/concurrency-slots.js';

/** The longest body of `POST /v1/listings`, as it is sent. */
export const UPLOAD_LIMIT_BYTES = 10 * 1024 * 1024;

const readBytes = boundedBody(
  UPLOAD_LIMIT_BYTES,
  express.raw({ type: () => true, limit: UPLOAD_LIMIT_BYTES }),
);

/** By these records are sent, or nothing is said of them: curl says that its data are a form, others that they are bytes or text. */
const TAKEN =
  /^(?:application\/(?:(?:x-)?ndjson|(?:x-)?jsonl(?:ines)?|json|x-www-form-urlencoded|octet-stream|(?:x-)?gzip)|text\/plain)$/;

/** @throws ApiError 415 for a body that says it is something else, such as CSV. */
function checkMediaType(contentType: string | undefined): void {
  const [type = ''] = (contentType ?? '').split(';');
  if (type.trim() === '' || TAKEN.test(type.trim().toLowerCase())) return;
  throw new ApiError(
    415,
    'Unsupported media type: listings are taken as application/x-ndjson or application/json',
  );
}

/**
 * Reads a large body once it has a slot, which it holds from before its first byte until it is answered: each body that is
 * being received takes memory.
 */
export function readUpload(slots: ConcurrencySlots): RequestHandler {
  return async (request, response, next) => {
    if (isTooLarge(request, UPLOAD_LIMIT_BYTES)) throw bodyTooLarge();
    checkMediaType(request.headers['content-type']);
    const release = await slots.acquire({ client: keyOf(response)?.id ?? '', slots: 1 });
    if (response.destroyed) {
      release();
      return;
    }
    response.once('close', release);
    void readBytes(request, response, (error?: unknown) => {
      // The library leaves an empty body as it was.
      if (!Buffer.isBuffer(request.body)) request.body = Buffer.alloc(0);
      next(error);
    });
  };
}
