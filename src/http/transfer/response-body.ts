import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';
import type { Answer } from '../../platform/answer.js';
import { mapInSlices } from '../../platform/slices.js';

const compress = compression({
  level: 1,
  // NDJSON is compressed as well, although the library's table of compressible types lacks it.
  filter: (request, response) =>
    compression.filter(request, response) || /ndjson/.test(String(response.getHeader('Content-Type'))),
});

/** The size in bytes from which a response is compressed. A smaller one fits into a single packet anyway. */
const COMPRESS_FROM = 1_024;

/** Computes the weak ETag of a response: the hash of its body before compression. */
const etagOf = (bytes: Buffer): string => `W/"${hash('sha1', bytes, 'base64url')}"`;

/** Express's own check is not used: it obeys the request's Cache-Control, and common clients send no-cache by default. */
function isUnchanged(request: Request, etag: string): boolean {
  const ifNoneMatch = request.get('if-none-match');
  if (ifNoneMatch === undefined) return false;
  const opaque = etag.slice(2);
  return ifNoneMatch.split(',').some((candidate) => ['*', etag, opaque].includes(candidate.trim()));
}

/** Sends JSON with a weak ETag, or a 304 for a GET request whose client has this body already. Streams are piped. */
export async function send(request: Request, response: Response, answer: Answer): Promise<void> {
  const { status = 200, headers = {}, body } = answer;
  response.status(status).set(headers);
  if (body === undefined) return void response.end();
  if (body instanceof Readable) return sendStream(request, response, body);
  const bytes = Buffer.isBuffer(body) ? body : await jsonOf(body);
  if (request.method === 'GET' || request.method === 'HEAD') {
    const etag = etagOf(bytes);
    response.set({ ETag: etag, 'Cache-Control': 'private, no-cache', ...headers });
    response.vary('Accept-Encoding');
    if (status === 200 && isUnchanged(request, etag)) return void response.status(304).end();
  }
  if (headers['Content-Type'] === undefined)
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
  sendBytes(request, response, bytes);
}

/** Formats an answer as JSON. Long lists in it are formatted in slices of time, so that other requests are not delayed. */
async function jsonOf(body: unknown): Promise<Buffer> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return Buffer.from(JSON.stringify(body));
  const pieces: Buffer[] = [];
  let before = '{';
  for (const [name, value] of Object.entries(body) as [string, unknown][]) {
    const json = Array.isArray(value) ? '[' : JSON.stringify(value);
    if (json === undefined) continue;
    pieces.push(Buffer.from(`${before}${JSON.stringify(name)}:${json}`));
    before = ',';
    if (!Array.isArray(value)) continue;
    const format = (one: unknown, at: number) =>
      Buffer.from(`${at === 0 ? '' : ','}${JSON.stringify(one) ?? 'null'}`);
    for (const piece of await mapInSlices(value, format)) pieces.push(piece);
    pieces.push(Buffer.from(']'));
  }
  pieces.push(Buffer.from(before === '{' ? '{}' : '}'));
  return Buffer.concat(pieces);
}

export function sendBytes(request: Request, response: Response, bytes: Buffer): void {
  response.setHeader('Content-Length', bytes.length);
  const mayCompress = request.headers['accept-encoding'] !== undefined && bytes.length >= COMPRESS_FROM;
  if (mayCompress) compress(request, response, () => undefined);
  response.end(bytes);
}

/** Pipes a stream to the response. If the client disconnects or sent HEAD, the source is closed. */
async function sendStream(request: Request, response: Response, body: Readable): Promise<void> {
  if (request.method === 'HEAD') {
    body.destroy();
    response.end();
    return;
  }
  compress(request, response, () => undefined);
  try {
    await pipeline(body, response);
  } catch (error) {
    if (!isDisconnect(error)) throw error;
  }
}

const isDisconnect = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

interface StaticAnswer {
  /** The content type of the response, or a file extension that Express knows, such as `.js`. */
  type: string;
  headers?: Record<string, string>;
  content: Buffer | string;
}

/** The quality of Brotli. It compresses half a megabyte in some 20 ms; twice the time hardly makes the result smaller. */
const BROTLI_QUALITY = 6;

const ENCODERS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};

/** Serves static content with an ETag. It is compressed once per encoding, at its first request. */
export function staticAnswer({ type, headers = {}, content }: StaticAnswer): RequestHandler {
  const bytes = Buffer.from(content);
  const etag = etagOf(bytes);
  const compressed: Partial<Record<keyof typeof ENCODERS, Promise<Buffer>>> = {};
  return async (request: Request, response: Response) => {
    response.set({ 'Cache-Control': 'no-cache', ...headers, ETag: etag });
    response.vary('Accept-Encoding');
    if (isUnchanged(request, etag)) return void response.status(304).end();
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
