import type { Request, RequestHandler, Response } from 'express';
import type { Config } from '../../../platform/config/config.js';
import { ApiError, badRequest } from '../../../platform/errors.js';
import { isNestedTooDeep, MAX_DEPTH } from '../../../platform/client-json.js';
import { answerWith, priceViewPage, serverFor } from './server.js';
import { parseVisible } from './text.js';
import type { Api } from './tool.js';
import { parseBody } from '../../transfer/request-body.js';
import { sendBytes } from '../../transfer/response-body.js';
import type { EndpointInput } from '../../perform.js';
import { requesterOf } from '../../router.js';
import { answerErrorsAs, logFault, toApiError } from '../../errors.js';
import type { AgentOptions } from '../options.js';
import type { Logger } from '../../../telemetry/logger.js';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Refuses pages of other sites, which could reach a service in their reader's network. A loopback URL accepts every local origin. */
export function requireOwnOrigin({ publicUrl, corsOrigins }: Config): RequestHandler {
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

/** Creates the handler of `POST /mcp`, which runs after `countBatch`. @throws ShippedFileError without the page that shows prices. */
export function agentHandler(options: AgentOptions): RequestHandler {
  // Reading the page here makes a service fail at start-up if the page is missing.
  priceViewPage();
  return messageHandler((webRequest, message, request, response) =>
    answerWith(webRequest, message, (library) => serverFor(apiFor(request, response, options), library)),
  );
}

export const messageHandler =
  (
    respond: (
      webRequest: globalThis.Request,
      message: unknown,
      request: Request,
      response: Response,
    ) => Promise<globalThis.Response>,
  ): RequestHandler =>
  async (request, response) => {
    const answered = await respond(webRequestOf(request), response.locals.mcpMessage, request, response);
    const bytes = Buffer.from(await answered.arrayBuffer());
    response.status(answered.status);
    for (const [name, value] of answered.headers) response.setHeader(name, value);
    sendBytes(request, response, bytes);
  };

/** The request as the MCP library expects it, without the body: the library receives the parsed message instead. */
const webRequestOf = ({ method, headers }: Request): globalThis.Request =>
  new globalThis.Request('http://localhost/mcp', {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      [value ?? []].flat().map((one) => [name, one]),
    ),
  });

/** The only revision of the protocol with batches. It is also that of requests without the header that states a revision. */
const BATCH_REVISION = '2025-03-26';
const MAX_BATCH = 20;

/** Returns the JSON-RPC message of a request, or those of a batch of revision 2025-03-26. @throws ApiError 400; 422 for invalid JSON. */
function messageOf(request: Request): unknown {
  if (isNestedTooDeep(String(request.body)))
    throw badRequest(`The message is nested deeper than ${MAX_DEPTH} levels`);
  const body = parseBody(request);
  if (!Array.isArray(body)) return body;
  const revision = request.get('mcp-protocol-version') ?? BATCH_REVISION;
  if (revision !== BATCH_REVISION)
    throw badRequest(`Send one message per request: revision ${revision} has no batches`);
  if (body.length > MAX_BATCH) throw badRequest(`A batch has at most ${MAX_BATCH} messages`);
  return body;
}

/** Counts each message of a batch after the first one with `limit`, because the rate limit has counted the request once. */
export function countBatch(limit: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const message = messageOf(request);
    response.locals.mcpMessage = message;
    let left = Array.isArray(message) ? message.length - 1 : 0;
    const countNext = (error?: unknown) => {
      left -= 1;
      if (error !== undefined || left < 0) next(error);
      else void limit(request, response, countNext);
    };
    countNext();
  };
}

function apiFor(request: Request, response: Response, { context, performers, logger }: AgentOptions): Api {
  const { caller, ...rest } = requesterOf(request, response);
  // A request of an agent may contain several calls, so they do not share its `Idempotency-Key`: it is ignored.
  const requester = { ...rest, caller: { ...caller, idempotencyKey: undefined } };
  let latest: Promise<unknown> = Promise.resolve();
  return {
    now: context.now(),
    async call<Body>(operation: string, input: EndpointInput): Promise<Body> {
      const perform = performers.get(operation);
      if (perform === undefined) throw new Error(`no endpoint ${operation}`);
      try {
        // The calls of a batch run one after another, so that other requests are served between them.
        const answering = latest.then(() => perform(input, requester));
        latest = answering.catch(() => null);
        const answered = await answering;
        response.locals.event ??= answered?.event;
        const body = answered?.body ?? null;
        return parseVisible(Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body)) as Body;
      } catch (thrown) {
        const error = toApiError(thrown);
        response.locals.event ??= error.event;
        logFault(logger, error, response);
        throw error;
      }
    },
  };
}

/** The error codes of JSON-RPC by the status of an error. All others are errors of the server. */
const CODES: Record<number, number> = { 422: -32_700, 400: -32_600, 500: -32_603 };
const SERVER_ERROR = -32_000;

/** Answers errors as JSON-RPC responses, except a 401, which has the same form as on every other path. */
export const answerInJsonRpc = (logger: Logger) =>
  answerErrorsAs(logger, ({ status, message }) => {
    if (status === 401) return null;
    const error = { code: CODES[status] ?? SERVER_ERROR, message };
    return { status: status === 422 ? 400 : status, body: { jsonrpc: '2.0', id: null, error } };
  });
