import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import type { Config } from '../../platform/config/config.js';
import type { Described } from '../endpoint.js';
import { ApiError, badRequest } from '../../platform/errors.js';
import { isNestedTooDeep, MOST_LEVELS } from '../../platform/client-json.js';
import { discoveryDocuments } from './discovery.js';
import { answer } from './server.js';
import { parsePlain } from './text.js';
import type { Api } from './tool.js';
import { compressAnswer, COMPRESSED_FROM } from '../transfer/compress.js';
import { docsAnchor } from '../openapi/openapi.js';
import { faultLog } from '../middleware.js';
import type { Perform } from '../perform.js';
import { askerOf, bodyOf } from '../router.js';
import { staticAnswer } from '../transfer/static-answer.js';
import { toApiError } from '../to-api-error.js';
import type { Logger } from '../../telemetry/logger.js';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * A page of another site must not use what its reader's network can reach. No browser: no `Origin`. A service that is
 * for this machine alone is there for whatever runs on it, at any port.
 */
export function ownOrigin({ publicUrl, corsOrigins }: Config): RequestHandler {
  const own = new Set([new URL(publicUrl).origin, ...corsOrigins]);
  const isLocal = (url: string) => URL.canParse(url) && LOOPBACK.test(new URL(url).hostname);
  return (request, _response, next) => {
    const origin = request.get('origin');
    const isOwn = origin === undefined || own.has(origin) || own.has('*');
    next(
      isOwn || (isLocal(publicUrl) && isLocal(origin)) ? undefined : new ApiError(403, 'Origin not allowed'),
    );
  };
}

/**
 * `POST /mcp` behind its guards and `readBody`.
 * @param performers each endpoint by its verb and path.
 */
export function agentHandler(
  performers: ReadonlyMap<string, Perform>,
  { now, logger }: { now: () => Date; logger: Logger },
): RequestHandler {
  return async (request, response) => {
    const message = messageOf(request);
    const { toWebRequest } = await import('@modelcontextprotocol/node');
    const api = apiFor(request, response, performers, { now, logger });
    const asked = await toWebRequest(request, message);
    const answered = await answer(asked, message, api);
    const bytes = Buffer.from(await answered.arrayBuffer());
    response.status(answered.status);
    for (const [name, value] of answered.headers) response.setHeader(name, value);
    response.setHeader('Content-Length', bytes.length);
    if (bytes.length >= COMPRESSED_FROM) compressAnswer(request, response);
    response.end(bytes);
  };
}

/** Each request counts once, so it holds one message. @throws ApiError 400; 422 for a body that is not JSON */
function messageOf(request: Request): unknown {
  if (isNestedTooDeep(String(request.body)))
    throw badRequest(`The message is nested deeper than ${MOST_LEVELS} levels`);
  const sent = bodyOf(request);
  if (!Array.isArray(sent)) return sent;
  if (sent.length !== 1) throw badRequest('One message a request: batches are not taken');
  return sent[0];
}

/** The API as this request's client may use it: in its places, at its cost, in its name. */
function apiFor(
  request: Request,
  response: Response,
  performers: ReadonlyMap<string, Perform>,
  { now, logger }: { now: () => Date; logger: Logger },
): Api {
  const asker = askerOf(request, response);
  return {
    now: now(),
    async ask<Body>(operation: string, asked: Parameters<Perform>[0]): Promise<Body> {
      const perform = performers.get(operation);
      if (perform === undefined) throw new Error(`no endpoint ${operation}`);
      try {
        const answered = await perform(asked, asker);
        response.locals.event ??= answered?.event;
        const body = answered?.body ?? null;
        return parsePlain(Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body)) as Body;
      } catch (thrown) {
        const error = toApiError(thrown);
        response.locals.event ??= error.event;
        faultLog(logger, error, response);
        throw error;
      }
    },
  };
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;
const SERVER_ERROR = -32_000;

/** Anybody may read these, pages of other sites as well. */
const OPEN = {
  'Access-Control-Allow-Origin': '*',
  'Cache-Control': 'public, max-age=3600',
  Link: '</.well-known/api-catalog>; rel="api-catalog"',
};

/** Of `discoveryDocuments`: open, not counted. */
export function discoveryRoutes(described: readonly Described[], { publicUrl }: Config): Router {
  const router = express.Router();
  for (const [path, { type, content }] of Object.entries(
    discoveryDocuments(described, { publicUrl, docsAnchor }),
  ))
    router.get(path, staticAnswer({ type, content, headers: OPEN }));
  return router;
}

/** Errors in the form that clients of the protocol read; one without a key is told as on every path. */
export const answerInJsonRpc: ErrorRequestHandler = (thrown, _request, response, next) => {
  const error = toApiError(thrown);
  if (error.status === 401 || response.headersSent) {
    next(thrown);
    return;
  }
  const isUnreadable = error.status === 422;
  const code = isUnreadable
    ? PARSE_ERROR
    : error.status === 400
      ? INVALID_REQUEST
      : error.status === 500
        ? INTERNAL_ERROR
        : SERVER_ERROR;
  response
    .status(isUnreadable ? 400 : error.status)
    .set(error.headers)
    .json({ jsonrpc: '2.0', id: null, error: { code, message: error.message } });
};
