import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import { etagOf, isUnchanged } from './etag.js';

/** What is the same for everybody for as long as the process runs. */
export interface StaticAnswer {
  /** A name that Express knows, such as `.js`. */
  type: string;
  headers?: Record<string, string>;
  content: Buffer | string;
}

/** Half a megabyte in a few hundredths of a second, and hardly larger than with twice the time. */
const BROTLI_QUALITY = 6;

const brotli = (bytes: Buffer): Promise<Buffer> =>
  promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });

const ENCODERS = { br: brotli, gzip: (bytes: Buffer) => promisify(gzip)(bytes) };
const ENCODINGS = ['br', 'gzip'] as const;

/** Compressed once, when it is asked for first, and beside the event loop; with an ETag, so that it is sent but once. */
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
    const encoding = request.acceptsEncodings([...ENCODINGS, 'identity']);
    if (encoding === 'br' || encoding === 'gzip') {
      response
        .set('Content-Encoding', encoding)
        .send(await (compressed[encoding] ??= ENCODERS[encoding](bytes)));
      return;
    }
    response.send(bytes);
  };
}
