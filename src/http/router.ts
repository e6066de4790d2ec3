import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { addressOf } from '../platform/access/client-address.js';
import { keyOf } from '../platform/access/authenticate.js';
import { boundedBody } from './transfer/body.js';
import { compressAnswer, COMPRESSED_FROM } from './transfer/compress.js';
import type { Answer } from '../platform/answer.js';
import type { Context } from '../usecases/context.js';
import type { Described, Endpoint } from './endpoint.js';
import type { Caller } from '../usecases/context.js';
import { ApiError, invalid, notFound, type ValidationIssue } from '../platform/errors.js';
import { parseClientJson } from '../platform/client-json.js';
import { etagOf, isUnchanged } from './transfer/etag.js';
import { requestIdOf } from './middleware.js';
import { timingsOf } from '../telemetry/dependency-timings.js';
import { EXPORT_PACE, keepPace } from './transfer/pace.js';
import type { Asker, Perform } from './perform.js';
import type { RawParameters } from './validation.js';

/** `/v1/products/{product_id}` as Express writes it. */
export const expressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Bodies are small: the largest holds twenty ids. */
const BODY_LIMIT_BYTES = 100 * 1024;

/** The handler of one endpoint after its guards, and `readBody` where it has one: validate, call, answer. */
export function endpointHandler(endpoint: Endpoint, context: Context, perform: Perform): RequestHandler {
  return async (request, response) => {
    const asked = {
      path: request.params as Record<string, string>,
      query: queryOf(request),
      body: endpoint.body === null ? undefined : bodyOf(request),
    };
    const answer = await perform(asked, askerOf(request, response));
    // Nobody is there any more who would read it.
    if (answer === null) return;
    response.locals.event = answer.event;
    if (answer.body instanceof Readable) keepPace(response, EXPORT_PACE, stillUsable(context, response));
    await send(request, response, answer);
  };
}

/** Whether the request's key has not been revoked since. */
const stillUsable =
  ({ keys }: Context, response: Response) =>
  async (): Promise<boolean> => {
    const key = keyOf(response);
    return key === null || (await keys.findById(key.id)) !== null;
  };

/** Who asks by this request. */
export const askerOf = (request: Request, response: Response): Asker => ({
  client: keyOf(response)?.id ?? `address:${ipKeyGenerator(addressOf(request))}`,
  caller: callerOf(request, response),
  timings: timingsOf(response),
  isGone: () => response.destroyed,
});

function callerOf(request: Request, response: Response): Caller {
  const key = keyOf(response);
  const presentedAs = /^bearer +svc_/i.test(request.get('authorization') ?? '') ? 'raw' : 'token';
  return {
    method: request.method,
    requestId: requestIdOf(response),
    address: addressOf(request),
    adminSecret: request.get('x-admin-secret'),
    upload: Buffer.isBuffer(request.body) ? request.body : null,
    idempotencyKey: request.get('idempotency-key'),
    key: key === null ? null : { ...key, presentedAs },
  };
}

/** The texts of each parameter, in the order sent; text that is no valid escape means itself. */
function queryOf(request: Request): RawParameters {
  const start = request.url.indexOf('?');
  const texts = new Map<string, string[]>();
  for (const [name, text] of new URLSearchParams(start < 0 ? '' : request.url.slice(start + 1))) {
    const earlier = texts.get(name);
    if (earlier === undefined) texts.set(name, [text]);
    else earlier.push(text);
  }
  return Object.fromEntries(texts);
}

/** Reads the body as text whatever its content type says: only JSON is ever meant. */
export const readBody: RequestHandler = boundedBody(
  BODY_LIMIT_BYTES,
  express.text({ type: () => true, limit: BODY_LIMIT_BYTES }),
);

/** @returns undefined where there is none. @throws ApiError 422 for what is no JSON. */
export function bodyOf(request: Request): unknown {
  const text: unknown = request.body;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  try {
    return parseClientJson(text);
  } catch {
    const issue: ValidationIssue = { loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' };
    throw invalid([issue]);
  }
}

/** Sends JSON with a weak ETag; a GET whose answer the client has already is a 304. Streams are sent as they come. */
async function send(request: Request, response: Response, answer: Answer): Promise<void> {
  const { status = 200, headers = {}, body } = answer;
  response.status(status).set(headers);
  if (body === undefined) {
    response.end();
    return;
  }
  if (body instanceof Readable) {
    await sendStream(request, response, body);
    return;
  }
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  if (request.method === 'GET' || request.method === 'HEAD') {
    const etag = etagOf(bytes);
    response.set({ ETag: etag, 'Cache-Control': 'private, no-cache', ...headers });
    response.vary('Accept-Encoding');
    if (status === 200 && isUnchanged(request, etag)) {
      response.status(304).end();
      return;
    }
  }
  if (headers['Content-Type'] === undefined) {
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
  }
  response.setHeader('Content-Length', bytes.length);
  if (bytes.length >= COMPRESSED_FROM) compressAnswer(request, response);
  response.end(bytes);
}

/** A client that hangs up, or asks for the headers alone, ends the source as well. */
async function sendStream(request: Request, response: Response, body: Readable): Promise<void> {
  if (request.method === 'HEAD') {
    body.destroy();
    response.end();
    return;
  }
  compressAnswer(request, response);
  try {
    await pipeline(body, response);
  } catch (error) {
    if (!isHangUp(error)) throw error;
  }
}

const isHangUp = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

/** 405 with `Allow` for a known path with another method. Static paths win over parameters, as in routing. */
export function methodNotAllowed(endpoints: readonly Described[]): RequestHandler {
  const router = express.Router({ caseSensitive: false });
  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    const methods = endpoints
      .filter((endpoint) => endpoint.path === path)
      .map(({ method }) => method.toUpperCase());
    const allow = methods.includes('GET')
      ? ['GET', 'HEAD', ...methods.filter((method) => method !== 'GET')]
      : methods;
    router.all(expressPath(path), (_request, _response, next) => {
      next(new ApiError(405, 'Method Not Allowed', { Allow: allow.join(', ') }));
    });
  }
  return router;
}

/** 404 for every other path. */
export const pathNotFound: RequestHandler = (_request, _response, next) => {
  next(notFound());
};
