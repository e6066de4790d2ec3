import type { ErrorRequestHandler } from 'express';
import { ApiError, type ValidationIssue } from '../../../platform/errors.js';
import type { Logger } from '../../../telemetry/logger.js';
import { logFault, toApiError } from '../../errors.js';

/** An error that a request of the Universal Commerce Protocol is answered with: its code, and a text for people. */
export class UcpError extends ApiError {
  override name = 'UcpError';

  constructor(
    status: number,
    readonly code: string,
    content: string,
  ) {
    super(status, content);
  }
}

const CODES: Record<number, string> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  413: 'request_too_large',
  415: 'invalid_request',
  422: 'invalid_request',
  429: 'rate_limited',
};

/** Converts a thrown error to one of the protocol. What is wrong with a request is 400, as the protocol has it. */
export function toUcpError(thrown: unknown): UcpError {
  if (thrown instanceof UcpError) return thrown;
  const error = toApiError(thrown);
  const { status, detail } = error;
  const isTooLarge = typeof detail !== 'string' && detail.some(({ type }) => type === 'too_long');
  const code = isTooLarge ? 'request_too_large' : (CODES[status] ?? 'unavailable');
  const content = typeof detail === 'string' ? detail : detail.map(textOf).join('; ');
  const converted = new UcpError(status === 422 ? 400 : status, code, content);
  Object.assign(converted.headers, error.headers);
  converted.cause = error.cause;
  return converted;
}

const textOf = ({ loc, msg }: ValidationIssue): string => `${loc.slice(1).join('.')}: ${msg}`;

/** Answers errors in the form of the protocol: `code` and `content`. */
export function answerInUcp(logger: Logger): ErrorRequestHandler {
  return (thrown, _request, response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const error = toUcpError(thrown);
    logFault(logger, error, response);
    response.status(error.status).set(error.headers).json({ code: error.code, content: error.detail });
  };
}
