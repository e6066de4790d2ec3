import type { Request } from 'express';
import { ApiError } from '../../../platform/errors.js';
import type { Logger } from '../../../telemetry/logger.js';
import { answerErrorsAs } from '../../errors.js';

/** An error of OAuth 2.1: a code such as `invalid_grant`, and a text for developers. */
export class OAuthError extends ApiError {
  override name = 'OAuthError';

  constructor(
    readonly code: string,
    description: string,
    status = 400,
    headers: Record<string, string> = {},
  ) {
    super(status, description, headers);
  }
}

export const refused = (description: string, code = 'invalid_request') => new OAuthError(code, description);

export const formOf = (request: Request): URLSearchParams =>
  new URLSearchParams(typeof request.body === 'string' ? request.body : '');

/** Returns a parameter that may be given once; null if it is absent or empty. @throws OAuthError if it is repeated */
export function once(parameters: URLSearchParams, name: string): string | null {
  const [value = '', ...others] = parameters.getAll(name);
  if (others.length > 0) throw refused(`${name} must be given once`);
  return value === '' ? null : value;
}

/** Answers errors as OAuth defines them: `error` and `error_description`. */
export const answerInOAuth = (logger: Logger) =>
  answerErrorsAs(logger, (error) => {
    const status = error.status === 422 ? 400 : error.status;
    const code = status < 500 && status !== 429 ? 'invalid_request' : 'temporarily_unavailable';
    return {
      status,
      body: {
        error: error instanceof OAuthError ? error.code : code,
        error_description: typeof error.detail === 'string' ? error.detail : error.message,
      },
    };
  });
