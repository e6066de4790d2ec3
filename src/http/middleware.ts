import { randomUUID } from 'node:crypto';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { ApiError, badRequest } from '../platform/errors.js';
import { loggable, type Logger } from '../telemetry/logger.js';
import { toApiError } from './to-api-error.js';

const SANE_ID = /^[\w.:/+=@-]{1,128}$/;

/** Gives every request an id: a sane incoming `X-Request-Id` is kept. */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.get('x-request-id');
  const id = given !== undefined && SANE_ID.test(given) ? given : randomUUID();
  response.locals.requestId = id;
  response.setHeader('X-Request-Id', id);
  next();
};

/** The request's id, for logs. */
export const requestIdOf = (response: Response): string => String(response.locals.requestId);

const VERSIONS = new Set(['1.0', '1.1']);

/** What HTTP itself forbids. Node would refuse it too, but without a body or an id. */
export const insistOnHttp: RequestHandler = (request, response, next) => {
  const { headers, headersDistinct, httpVersion } = request;
  const hosts = headersDistinct.host?.length ?? 0;
  if (!VERSIONS.has(httpVersion) || hosts > 1 || (httpVersion === '1.1' && hosts === 0)) {
    // Nobody knows where such a request ends, or for whom it is.
    response.setHeader('Connection', 'close');
    throw badRequest('Bad Request');
  }
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    throw new ApiError(417, 'Expectation failed');
  }
  next();
};

/** A stray `%` in a path means itself: such a path is unknown or its parameter invalid, not a broken request. */
export const forgivePercent: RequestHandler = (request, _response, next) => {
  const [path = '', ...query] = request.url.split('?');
  try {
    decodeURIComponent(path);
  } catch {
    request.url = [path.replaceAll('%', '%25'), ...query].join('?');
  }
  next();
};

/** Logs what the operator should know of an error: mistakes of the service, and dependencies that are away. */
export function faultLog(logger: Logger, error: ApiError, response: Response): void {
  if (error.status < 500 || (error.status === 503 && error.cause === undefined)) return;
  logger.log(error.status === 503 ? 'warn' : 'error', error.message, {
    http: { request: { id: requestIdOf(response) } },
    ...loggable(error.cause ?? error),
  });
}

/** The one place where errors become answers: JSON with `detail`, nothing of the inside. */
export function answerErrors(logger: Logger): ErrorRequestHandler {
  // Express knows error handlers by their four parameters.
  return (thrown, _request, response, _next) => {
    const error = toApiError(thrown);
    if (error.event !== undefined) response.locals.event = error.event;
    faultLog(logger, error, response);
    if (response.headersSent) {
      // Cut short, so that nobody takes it for complete.
      response.destroy();
      return;
    }
    response.status(error.status).set(error.headers).json({ detail: error.detail });
  };
}
