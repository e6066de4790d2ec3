import { ApiError, type ValidationIssue } from '../../../platform/errors.js';
import type { Logger } from '../../../telemetry/logger.js';
import { answerErrorsAs, toApiError } from '../../errors.js';

/** An error that a request of the Universal Commerce Protocol is answered with: its code, and a text for people. */
export class UcpError extends ApiError {
  override name = 'UcpError';

  constructor(
    status: number,
    readonly code: string,
    content: string,
    headers: Record<string, string> = {},
    options: ErrorOptions = {},
  ) {
    super(status, content, headers, options);
  }
}

const CODES: Record<number, string> = {
  ...{ 400: 'invalid_request', 415: 'invalid_request', 422: 'invalid_request' },
  ...{ 401: 'unauthorized', 403: 'forbidden', 413: 'request_too_large', 429: 'rate_limited' },
};

/** Converts a thrown error to an error of the protocol, in which invalid requests have the status 400. */
export function toUcpError(thrown: unknown): UcpError {
  if (thrown instanceof UcpError) return thrown;
  const { status, detail, headers, cause } = toApiError(thrown);
  const isTooLarge = typeof detail !== 'string' && detail.some(({ type }) => type === 'too_long');
  const code = isTooLarge ? 'request_too_large' : (CODES[status] ?? 'unavailable');
  const content = typeof detail === 'string' ? detail : detail.map(textOf).join('; ');
  return new UcpError(status === 422 ? 400 : status, code, content, headers, { cause });
}

const textOf = ({ loc, msg }: ValidationIssue): string => `${loc.slice(1).join('.')}: ${msg}`;

/** Answers errors in the form of the protocol: `code` and `content`. */
export const answerInUcp = (logger: Logger) =>
  answerErrorsAs(logger, (error) => {
    const { status, code, detail } = toUcpError(error);
    return { status, body: { code, content: detail } };
  });
