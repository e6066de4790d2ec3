import { errors } from '@elastic/elasticsearch';

/** Thrown if an index or shard is missing or Elasticsearch refuses for too long. Errors of its client stay unchanged. */
export class EngineUnavailableError extends Error {
  override name = 'EngineUnavailableError';
}

/** Thrown if Elasticsearch refuses writes for too long because one of its disks is full. */
export class DiskFullError extends EngineUnavailableError {
  override name = 'DiskFullError';
}

/** The HTTP status with which Elasticsearch rejected a request; undefined for every other error. */
export const rejectionStatus = (error: unknown): number | undefined =>
  error instanceof errors.ResponseError ? error.statusCode : undefined;

/** Whether Elasticsearch answered that an index, a document or a point in time does not exist. */
export const isNotFound = (error: unknown): boolean => rejectionStatus(error) === 404;

/** The type of the error with which Elasticsearch rejected a request, such as `resource_already_exists_exception`. */
export const rejectionType = (error: unknown): string | undefined => causeOf(error)?.type;

/** The reasons with which Elasticsearch rejected a request, from the effect to its causes; none for every other error. */
export function rejectionReasons(error: unknown): string[] {
  const reasons: string[] = [];
  for (let cause = causeOf(error); cause; cause = cause.caused_by)
    reasons.push([cause.type, cause.reason].filter(Boolean).join(': '));
  return [...new Set(reasons)];
}

type Cause = { type?: string; reason?: string; caused_by?: Cause };

const causeOf = (error: unknown): Cause | undefined =>
  error instanceof errors.ResponseError ? ((error.body ?? {}) as { error?: Cause }).error : undefined;

/** The HTTP statuses with which Elasticsearch says "not now": overload, no permission, no index, no node. */
const UNAVAILABLE_STATUSES = new Set([401, 403, 404, 429, 502, 503, 504]);

/** Whether Elasticsearch cannot answer at present, or failed; null if an error does not come from it. */
export function engineFailure(error: unknown): 'unavailable' | 'failed' | null {
  if (error instanceof EngineUnavailableError) return 'unavailable';
  if (error instanceof errors.ResponseError)
    return UNAVAILABLE_STATUSES.has(error.statusCode ?? 0) ? 'unavailable' : 'failed';
  const isConnectionFailure =
    error instanceof errors.ConnectionError ||
    error instanceof errors.TimeoutError ||
    error instanceof errors.NoLivingConnectionsError ||
    error instanceof errors.RequestAbortedError;
  if (isConnectionFailure) return 'unavailable';
  return error instanceof errors.ElasticsearchClientError ? 'failed' : null;
}

/** The HTTP statuses of a proxy that has passed the request on, so that Elasticsearch may have processed it. */
const AFTER_PASSING_ON = new Set([502, 504]);

/** Whether a write that failed with this error may have been stored nevertheless, because no answer of Elasticsearch arrived. */
export const mayHaveBeenStored = (error: unknown): boolean =>
  engineFailure(error) === 'unavailable' &&
  !(error instanceof DiskFullError) &&
  !(error instanceof errors.ResponseError && !AFTER_PASSING_ON.has(error.statusCode ?? 0));
