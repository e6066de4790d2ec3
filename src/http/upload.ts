import express, { type RequestHandler } from 'express';
import { keyOf } from '../access/authenticate.js';
import { ApiError } from '../errors.js';
import type { UploadPlaces } from './load-shedding.js';

const UPLOAD_LIMIT_BYTES = 10 * 1024 * 1024;

const readBytes = express.raw({ type: () => true, limit: UPLOAD_LIMIT_BYTES });

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
 * Reads a large body, once there is a place for it: only so many are held at the same time, from before their first byte
 * until they are answered.
 */
export function readUpload(places: UploadPlaces): RequestHandler {
  return async (request, response, next) => {
    if (Number(request.headers['content-length'] ?? 0) > UPLOAD_LIMIT_BYTES) {
      // The rest of it would be taken for the next request.
      response.setHeader('Connection', 'close');
      throw new ApiError(413, 'Request body too large');
    }
    checkMediaType(request.headers['content-type']);
    const leave = await places(keyOf(response)?.id ?? '');
    if (response.destroyed) {
      leave();
      return;
    }
    response.once('close', leave);
    readBytes(request, response, (error?: unknown) => {
      // The library leaves an empty body as it was.
      if (!Buffer.isBuffer(request.body)) request.body = Buffer.alloc(0);
      next(error);
    });
  };
}
