import type { AnswerEvent } from './answer.js';

/** One finding about a request, in the form FastAPI gives it. Never echoes the input: it could hold a secret. */
export interface ValidationIssue {
  /** Where: `["query","limit"]`, `["path","product_id"]`, `["body","product_ids",1]`. */
  loc: (string | number)[];
  msg: string;
  /** A pydantic 2 error type, such as `missing` or `int_parsing`. */
  type: string;
}

/**
 * An error that a client is told of. `message` is for the log; the client sees `detail` alone.
 */
export class ApiError extends Error {
  override name = 'ApiError';

  constructor(
    readonly status: number,
    readonly detail: string | ValidationIssue[],
    readonly headers: Record<string, string> = {},
    options?: ErrorOptions,
    /** What the request's event tells all the same. */
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

/** 400: each parameter is fine by itself, together they are not. */
export const badRequest = (detail: string) => new ApiError(400, detail);

/** 401, the same for a missing, unknown and revoked key. */
export const unauthorized = () =>
  new ApiError(401, 'Invalid or revoked API key', { 'WWW-Authenticate': 'Bearer' });

/** 403 of the admin endpoints. */
export const invalidAdminSecret = () => new ApiError(403, 'Invalid admin secret');

/** 403 of a key that may not write what it sends. */
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

/** 410: what the cursor goes through is kept for some minutes. */
export const expired = () => new ApiError(410, 'The cursor has expired: begin again with an empty one');

/** Content codings in which a request body may come, as `Accept-Encoding` of a 415 lists them. */
const CODINGS = ['gzip', 'deflate', 'br', 'identity'];

/** Whether a request body may come in a content coding. */
export const isSupportedCoding = (coding: string): boolean => CODINGS.includes(coding.trim().toLowerCase());

/** 415 for a body whose compression is not accepted; RFC 9110 section 12.5.3 defines the header. */
export const unsupportedCoding = (detail: string, options?: ErrorOptions) =>
  new ApiError(415, detail, { 'Accept-Encoding': CODINGS.join(', ') }, options);

/** 422 with every finding. */
export const invalid = (issues: ValidationIssue[]) => new ApiError(422, issues);

/** 429; the whole window is named, as the contract wants it. */
export const rateLimited = () =>
  new ApiError(429, 'Rate limit exceeded. Retry after 60 seconds.', { 'Retry-After': '60' });

/** 429 of a writer; nothing was loaded. @param of the daily limits of the source, and the seconds until the next day. */
export const quotaExceeded = (of: { source: string; listings: number; bytes: number; afterS: number }) =>
  new ApiError(
    429,
    `The daily quota of ${of.source} does not suffice: ${of.listings} listings and ${of.bytes} bytes a day, in UTC. ` +
      'Nothing was loaded.',
    { 'Retry-After': String(of.afterS) },
  );

/** 409: the operator limits the active keys of one developer. */
export const tooManyKeys = (most: number) =>
  new ApiError(409, `This developer has ${most} active keys, which is the limit: revoke one first`);

/** 503: something that this service needs is away; trying again soon makes sense. */
export const unavailable = (cause?: unknown) =>
  new ApiError(503, 'Service temporarily unavailable', { 'Retry-After': '5' }, { cause });

/** 503: what is needed answers, but cannot store anything now. Logged once when that begins, so it has no cause here. */
export const writesRefused = (why: string) =>
  new ApiError(503, `Keys and limits cannot be stored at the moment: ${why}`, { 'Retry-After': '5' });

/** 503: Elasticsearch answers, but has no room for listings. Logged once when that begins, so it has no cause here. */
export const diskFull = () =>
  new ApiError(503, 'Listings cannot be stored at the moment: the disk of Elasticsearch is full', {
    'Retry-After': '60',
  });

/** 401: the signature is ours, so only a clock can be wrong. */
export const tokenFromFuture = () =>
  new ApiError(
    401,
    'This token was issued in the future, so a clock of the service is probably wrong. Use the API key, or get a new token',
    { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  );

/** 503: the index is of an earlier schema, which has not what this needs; all else goes on. */
export const needsReindex = (what: string) =>
  new ApiError(
    503,
    `${what} needs an index of today's schema: the operator runs npm run reindex`,
    { 'Retry-After': '3600' },
    {},
    { needsReindex: true },
  );

/** 503: nothing was ever suggested here; all else goes on. */
export const noSuggestions = () =>
  new ApiError(503, 'No suggestions were made of this catalogue yet: the operator runs npm run suggest', {
    'Retry-After': '3600',
  });

/** 503 without a cause for the log: more is asked than can be answered, and each line about it would add to that. */
export const overloaded = () => new ApiError(503, 'Service temporarily unavailable', { 'Retry-After': '1' });

/** 429: it is this client that has as many as it may. */
export const tooManyOwnExports = (most: number) =>
  new ApiError(429, `At most ${most} exports at once for this key. Retry after 5 seconds.`, {
    'Retry-After': '5',
  });

/** 503: exports last as long as their clients read. */
export const tooManyExports = () =>
  new ApiError(503, 'Too many exports at once. Retry after 5 seconds.', { 'Retry-After': '5' });
