import type { AnswerEvent } from './answer.js';

/** One validation error in the format of FastAPI. It never contains the input, which could be a secret. */
export interface ValidationIssue {
  /** The place of the invalid value: `["query","limit"]`, `["body","product_ids",1]`. */
  loc: (string | number)[];
  msg: string;
  /** The type of the validation error, as pydantic 2 names it: `missing`, `int_parsing`. */
  type: string;
}

/** An error that is sent to the client. The client receives only `detail`; `message` is for the log. */
export class ApiError extends Error {
  override name = 'ApiError';

  constructor(
    readonly status: number,
    readonly detail: string | ValidationIssue[],
    readonly headers: Record<string, string> = {},
    options?: ErrorOptions,
    readonly event?: AnswerEvent,
  ) {
    const text = (issues: ValidationIssue[]) =>
      issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
    super(typeof detail === 'string' ? detail : text(detail), options);
  }
}

/** The response 400: each parameter is valid by itself, but not their combination. */
export const badRequest = (detail: string) => new ApiError(400, detail);

/** The response 401. It is the same for a missing, an unknown and a revoked key. */
export const unauthorized = () =>
  new ApiError(401, 'Invalid or revoked API key', { 'WWW-Authenticate': 'Bearer' });

export const invalidAdminSecret = () => new ApiError(403, 'Invalid admin secret');

export const notAWriter = (sources: readonly string[] = []) =>
  new ApiError(
    403,
    sources.length === 0
      ? 'This key may not write: it has no scope write:SOURCE'
      : `This key may not write listings of ${sources.join(', ')}; nothing was loaded`,
  );

export const notAReviewer = () =>
  new ApiError(403, 'This key may not review matches: it has no scope review');

export const notFound = (detail = 'Not Found', event?: AnswerEvent) =>
  new ApiError(404, detail, {}, undefined, event);

export const expired = () => new ApiError(410, 'The cursor has expired: start again with an empty cursor');

/** The content codings of request bodies, for the `Accept-Encoding` header of a 415 response. */
const CODINGS = ['gzip', 'deflate', 'br', 'identity'];

export const isSupportedCoding = (coding: string): boolean => CODINGS.includes(coding.trim().toLowerCase());

/** The response 415 for a body whose compression is not accepted (RFC 9110, section 12.5.3). */
export const unsupportedCoding = (detail: string, options?: ErrorOptions) =>
  new ApiError(415, detail, { 'Accept-Encoding': CODINGS.join(', ') }, options);

export const invalid = (issues: ValidationIssue[]) => new ApiError(422, issues);

/** The error of a value that a rule of this service forbids, as pydantic reports that of a validator. */
export const valueIssue = (loc: ValidationIssue['loc'], wrong: string): ValidationIssue => ({
  loc,
  msg: `Value error, ${wrong}`,
  type: 'value_error',
});

export const invalidValue = (loc: ValidationIssue['loc'], wrong: string) => invalid([valueIssue(loc, wrong)]);

/** An error after which the client should send the request again, after a number of seconds. */
const retryAfter = (seconds: number, status: number, detail: string, options?: ErrorOptions) =>
  new ApiError(status, detail, { 'Retry-After': String(seconds) }, options);

const UNAVAILABLE = 'Service temporarily unavailable';

/** The response 429 of the rate limit, with the length of the whole window, as the contract requires. */
export const rateLimited = () => retryAfter(60, 429, 'Rate limit exceeded. Retry after 60 seconds.');

/** The response 429 of the daily write quota. @param of the quota; `afterS`: the number of seconds until the next day. */
export const quotaExceeded = (of: { source: string; listings: number; bytes: number; afterS: number }) =>
  retryAfter(
    of.afterS,
    429,
    `The request exceeds the daily quota of ${of.source}: ${of.listings} listings and ${of.bytes} bytes a day, in UTC. ` +
      'Nothing was loaded.',
  );

export const tooManyKeys = (most: number) =>
  new ApiError(409, `This developer has ${most} active keys, which is the limit: revoke one first`);

export const unavailable = (cause?: unknown) => retryAfter(5, 503, UNAVAILABLE, { cause });

/** The response 503 to a write that was done in part. */
const partlyDone = (seconds: number, how: string, cause: unknown) =>
  retryAfter(seconds, 503, `${UNAVAILABLE}: ${how}`, { cause });

export const writeInterrupted = (cause: unknown) =>
  partlyDone(5, 'the write may have been stored. Repeat it with the same Idempotency-Key', cause);

export const revokedWithoutRedis = (cause: unknown) =>
  partlyDone(60, 'the key is refused while Redis is away. Repeat the request once Redis is back', cause);

export const revocationNotRecorded = (cause: unknown) =>
  partlyDone(
    5,
    'the key is refused while Redis is available, but Elasticsearch has not recorded it. Repeat the request',
    cause,
  );

// The following three errors have no cause, so they are not logged, because that would add to an overload.

export const writesRefused = (why: string) =>
  retryAfter(5, 503, `Keys and limits cannot be stored at the moment: ${why}`);

export const diskFull = () =>
  retryAfter(60, 503, 'Listings cannot be stored at the moment: the disk of Elasticsearch is full');

export const overloaded = () => retryAfter(1, 503, UNAVAILABLE);

/** The response 401 for a token that is issued in the future. The service signed it, so a clock is wrong. */
export const tokenFromFuture = () =>
  new ApiError(
    401,
    'This token was issued in the future, so a clock of the service is probably wrong. Use the API key, or get a new token',
    { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  );

export const needsReindex = (what: string) =>
  new ApiError(
    503,
    `${what} needs an index with the current schema: the operator must run npm run reindex`,
    { 'Retry-After': '3600' },
    {},
    { needsReindex: true },
  );

export const noSuggestions = () =>
  retryAfter(3_600, 503, 'This catalogue has no suggestions yet: the operator must run npm run suggest');

export const tooManyOwnExports = (most: number) =>
  retryAfter(5, 429, `At most ${most} exports at once for this key. Retry after 5 seconds.`);

export const tooManyExports = () => retryAfter(5, 503, 'Too many exports at once. Retry after 5 seconds.');

export const tooManyOwnFollowers = (most: number) =>
  retryAfter(
    5,
    429,
    `At most ${most} requests of this key may wait for changes at once. Retry after 5 seconds.`,
  );

export const tooManyFollowers = () =>
  retryAfter(5, 503, 'Too many requests wait for changes. Retry after 5 seconds, or with wait=0.');

/** The response 410 for a cursor of the change feed from which changes can no longer be read without a gap. */
export const changesLost = (why: string) =>
  new ApiError(410, `${why}: start again with from=start and without a cursor, and replace what was stored`);
