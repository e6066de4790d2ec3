import { errors as engineErrors } from '@elastic/elasticsearch';
import { isBrokenCircuitError } from 'cockatiel';
import { EngineUnavailableError } from '../engine/unavailable.js';
import { ApiError, badRequest, overloaded, unavailable, unsupportedCoding } from '../platform/errors.js';
import { JudgesGoneError } from '../usecases/shared/judging/judges.js';
import { QueryError } from '../engine/queries/query-error.js';

/** Statuses with which the engine says "not now": overload, a blocked or missing index, a gateway without a node. */
const ENGINE_AWAY = new Set([401, 403, 404, 429, 502, 503, 504]);

/**
 * Classifies whatever was thrown, by type and status, never by its text.
 * An engine that cannot answer is a 503 for the client, whatever it called it; what is left is our mistake: 500.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof QueryError) return badRequest(error.message);
  if (error instanceof EngineUnavailableError || error instanceof JudgesGoneError) return unavailable(error);
  if (isBrokenCircuitError(error)) return overloaded();
  if (error instanceof engineErrors.ResponseError) {
    return ENGINE_AWAY.has(error.statusCode ?? 0) ? unavailable(error) : internal(error);
  }
  if (error instanceof engineErrors.ElasticsearchClientError) {
    const away =
      error instanceof engineErrors.ConnectionError ||
      error instanceof engineErrors.TimeoutError ||
      error instanceof engineErrors.NoLivingConnectionsError ||
      error instanceof engineErrors.RequestAbortedError;
    return away ? unavailable(error) : internal(error);
  }
  if (isHttpError(error) && error.type === 'encoding.unsupported')
    return unsupportedCoding('Unsupported content encoding', { cause: error });
  if (isHttpError(error))
    return new ApiError(error.status, HTTP_DETAILS[error.status] ?? 'Bad Request', {}, { cause: error });
  return internal(error);
}

function internal(cause: unknown): ApiError {
  return new ApiError(500, 'Internal Server Error', {}, { cause });
}

const HTTP_DETAILS: Record<number, string> = {
  400: 'Bad Request',
  413: 'Request body too large',
  415: 'Unsupported media type',
};

/** What Express and body-parser throw for requests that they cannot read: `http-errors` with a 4xx status. */
function isHttpError(error: unknown): error is Error & { status: number; type?: unknown } {
  if (!(error instanceof Error) || !('status' in error)) return false;
  return typeof error.status === 'number' && error.status >= 400 && error.status < 500;
}
