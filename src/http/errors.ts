import { isBrokenCircuitError } from 'cockatiel';
import type { ErrorRequestHandler, Response } from 'express';
import { engineFailure } from '../engine/errors.js';
import { QueryError } from '../engine/queries/filter-clauses.js';
import { ApiError, badRequest, overloaded, unavailable, unsupportedCoding } from '../platform/errors.js';
import { loggable, type Logger } from '../telemetry/logger.js';
import { MatcherUnavailableError } from '../matcher/worker-pool.js';
import { requestIdOf } from './middleware.js';
import { traceOfRequest } from '../telemetry/request-record.js';

/** Converts an error by its class, never by its text: 503 if Elasticsearch cannot answer, 500 for any other fault. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof QueryError) return badRequest(error.message);
  if (error instanceof MatcherUnavailableError) return unavailable(error);
  if (isBrokenCircuitError(error)) return overloaded();
  const failure = engineFailure(error);
  if (failure !== null) return failure === 'unavailable' ? unavailable(error) : internal(error);
  if (isHttpError(error) && error.type === 'encoding.unsupported')
    return unsupportedCoding('Unsupported content encoding', { cause: error });
  if (isHttpError(error))
    return new ApiError(error.status, HTTP_DETAILS[error.status] ?? 'Bad Request', {}, { cause: error });
  return internal(error);
}

const internal = (cause: unknown) => new ApiError(500, 'Internal Server Error', {}, { cause });

const HTTP_DETAILS: Record<number, string> = {
  400: 'Bad Request',
  413: 'Request body too large',
  415: 'Unsupported media type',
};

/** Whether an error was thrown by Express or body-parser because they cannot read the request. */
function isHttpError(error: unknown): error is Error & { status: number; type?: unknown } {
  if (!(error instanceof Error) || !('status' in error)) return false;
  return typeof error.status === 'number' && error.status >= 400 && error.status < 500;
}

/** Logs an error if it is a fault of the service or of a dependency that is not available. */
export function logFault(logger: Logger, error: ApiError, response: Response): void {
  if (error.status < 500 || (error.status === 503 && error.cause === undefined)) return;
  logger.log(error.status === 503 ? 'warn' : 'error', error.message, {
    http: { request: { id: requestIdOf(response) } },
    trace: { id: traceOfRequest(response)?.traceId },
    ...loggable(error.cause ?? error),
  });
}

/** Answers every error with JSON that has the member `detail` and reveals nothing internal. */
export function answerErrors(logger: Logger): ErrorRequestHandler {
  // Express recognizes error handlers by their four parameters, so the unused ones must be declared.
  return (thrown, _request, response, _next) => {
    const error = toApiError(thrown);
    if (error.event !== undefined) response.locals.event = error.event;
    logFault(logger, error, response);
    if (response.headersSent) {
      // The connection is closed, because the client would take the part that was sent for a complete response.
      response.destroy();
      return;
    }
    response.status(error.status).set(error.headers).json({ detail: error.detail });
  };
}

/** Answers errors in another form. @param toAnswer null for an error that has the same form as on every other path. */
export const answerErrorsAs =
  (
    logger: Logger,
    toAnswer: (error: ApiError) => { status: number; body: object } | null,
  ): ErrorRequestHandler =>
  (thrown, _request, response, next) => {
    const error = toApiError(thrown);
    const answer = response.headersSent ? null : toAnswer(error);
    if (answer === null) return next(thrown);
    logFault(logger, error, response);
    response.status(answer.status).set(error.headers).json(answer.body);
  };
