import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import { etagOf, isUnchanged } from './response-body.js';

/** A response that is the same for every client while the process runs. */
interface StaticAnswer {
  /** The content type of the response, or a file extension that Express knows, such as `.js`. */
  type: string;
  headers?: Record<string, string>;
  content: Buffer | string;
}

/** At this quality, half a megabyte takes some 20 ms, and the result is hardly larger than at twice the time. */
const BROTLI_QUALITY = 6;

const ENCODERS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};

/** Serves static content with an ETag. It is compressed once per encoding, at the first request and off the event loop. */
export function staticAnswer({ type, headers = {}, content }: StaticAnswer): RequestHandler {
  const bytes = Buffer.from(content);
  const etag = etagOf(bytes);
  const compressed: Partial<Record<keyof typeof ENCODERS, Promise<Buffer>>> = {};
  return async (request: Request, response: Response) => {
    response.set({ 'Cache-Control': 'no-cache', ...headers, ETag: etag });
    response.vary('Accept-Encoding');
    if (isUnchanged(request, etag)) {
      response.status(304).end();
      return;
    }
    response.type(type);
    const encoding = request.acceptsEncodings(['br', 'gzip', 'identity']);
    if (encoding === 'br' || encoding === 'gzip') {
      response
        .set('Content-Encoding', encoding)
        .send(await (compressed[encoding] ??= ENCODERS[encoding](bytes)));
      return;
    }
    response.send(bytes);
  };
}
