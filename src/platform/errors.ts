import type { AnswerEvent } from './answer.js';

/** One finding of validation in FastAPI's form. It never contains the input, which could be a secret. */
export interface ValidationIssue {
  /** Where: `["query","limit"]`, `["path","product_id"]`, `["body","product_ids",1]`. */
  loc: (string | number)[];
  msg: string;
  /** A pydantic 2 error type, such as `missing` or `int_parsing`. */
  type: string;
}

/** An error that is answered to a client. The client gets only `detail`; `message` is for the log. */
export class ApiError extends Error {
  override name = 'ApiError';

  constructor(
    readonly status: number,
    readonly detail: string | ValidationIssue[],
    readonly headers: Record<string, string> = {},
    options?: ErrorOptions,
    /** What the handler adds to the recorded event of the request. */
    readonly event?: AnswerEvent,
  ) {
    super(
      typeof detail === 'string'
        ? detail
        : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '),
      options,
    );
  }
}

/** 400: each parameter is valid by itself, but not their combination. */
export const badRequest = (detail: string) => new ApiError(400, detail);

/** 401; the same for a missing, an unknown and a revoked key. */
export const unauthorized = () =>
  new ApiError(401, 'Invalid or revoked API key', { 'WWW-Authenticate': 'Bearer' });

/** 403 of the admin endpoints. */
export const invalidAdminSecret = () => new ApiError(403, 'Invalid admin secret');

/** 403 for a key that may not write the listings that it sends. */
export const notAWriter = (sources: readonly string[] = []) =>
  new ApiError(
    403,
    sources.length === 0
      ? 'This key may not write: it has no scope write:SOURCE'
      : `This key may not write listings of ${sources.join(', ')}; nothing was loaded`,
  );

/** 404. */
export const notFound = (detail = 'Not Found', event?: AnswerEvent) =>
  new ApiError(404, detail, {}, undefined, event);

/** 410: the point-in-time session of a cursor lasts for some minutes. */
export const expired = () => new ApiError(410, 'The cursor has expired: begin again with an empty one');

/** Content codings in which a request body may come, as `Accept-Encoding` of a 415 lists them. */
const CODINGS = ['gzip', 'deflate', 'br', 'identity'];

/** Whether a request body may come in a content coding. */
export const isSupportedCoding = (coding: string): boolean => CODINGS.includes(coding.trim().toLowerCase());

/** 415 for a body whose compression is not accepted. RFC 9110, section 12.5.3 defines the header. */
export const unsupportedCoding = (detail: string, options?: ErrorOptions) =>
  new ApiError(415, detail, { 'Accept-Encoding': CODINGS.join(', ') }, options);

/** 422 with every finding. */
export const invalid = (issues: ValidationIssue[]) => new ApiError(422, issues);

/** 429; as the contract requires, it states the length of the whole window. */
export const rateLimited = () =>
  new ApiError(429, 'Rate limit exceeded. Retry after 60 seconds.', { 'Retry-After': '60' });

/** 429 for a write quota; nothing was loaded. @param of the daily limits of the source, and the seconds until the next day. */
export const quotaExceeded = (of: { source: string; listings: number; bytes: number; afterS: number }) =>
  new ApiError(
    429,
    `The daily quota of ${of.source} does not suffice: ${of.listings} listings and ${of.bytes} bytes a day, in UTC. ` +
      'Nothing was loaded.',
    { 'Retry-After': String(of.afterS) },
  );

/** 409: the operator limits the number of active keys per developer. */
export const tooManyKeys = (most: number) =>
  new ApiError(409, `This developer has ${most} active keys, which is the limit: revoke one first`);

/** 503: a dependency is unavailable; the client should retry soon. */
export const unavailable = (cause?: unknown) =>
  new ApiError(503, 'Service temporarily unavailable', { 'Retry-After': '5' }, { cause });

/** 503: Redis refuses writes. That is logged once when it begins, so this error has no cause for the log. */
export const writesRefused = (why: string) =>
  new ApiError(503, `Keys and limits cannot be stored at the moment: ${why}`, { 'Retry-After': '5' });

/** 503: the disk of Elasticsearch is full. That is logged once when it begins, so this error has no cause for the log. */
export const diskFull = () =>
  new ApiError(503, 'Listings cannot be stored at the moment: the disk of Elasticsearch is full', {
    'Retry-After': '60',
  });

/** 401: the service signed the token, so a clock must be wrong. */
export const tokenFromFuture = () =>
  new ApiError(
    401,
    'This token was issued in the future, so a clock of the service is probably wrong. Use the API key, or get a new token',
    { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  );

/** 503: the index has an earlier schema without the data that this request needs. Other requests work. */
export const needsReindex = (what: string) =>
  new ApiError(
    503,
    `${what} needs an index of today's schema: the operator runs npm run reindex`,
    { 'Retry-After': '3600' },
    {},
    { needsReindex: true },
  );

/** 503: there is no index of suggestions yet. Other requests work. */
export const noSuggestions = () =>
  new ApiError(503, 'No suggestions were made of this catalogue yet: the operator runs npm run suggest', {
    'Retry-After': '3600',
  });

/** 503 under overload. It has no cause for the log, because logging every one would add to the load. */
export const overloaded = () => new ApiError(503, 'Service temporarily unavailable', { 'Retry-After': '1' });

/** 429: this key has the maximum number of exports in progress. */
export const tooManyOwnExports = (most: number) =>
  new ApiError(429, `At most ${most} exports at once for this key. Retry after 5 seconds.`, {
    'Retry-After': '5',
  });

/** 503: all slots for exports are taken; an export lasts as long as its client reads. */
export const tooManyExports = () =>
  new ApiError(503, 'Too many exports at once. Retry after 5 seconds.', { 'Retry-After': '5' });
