import type { ErrorRequestHandler } from 'express';
import { ApiError } from '../../../platform/errors.js';
import type { Logger } from '../../../telemetry/logger.js';
import { logFault, toApiError } from '../../errors.js';

/** An error of OAuth 2.1: a code such as `invalid_grant`, and a text for developers. */
export class OAuthError extends ApiError {
  override name = 'OAuthError';

  constructor(
    readonly code: string,
    description: string,
    status = 400,
  ) {
    super(status, description);
  }
}

/** Adds to a 401 where the protected resource is described, so that clients can find the authorization server. */
export const challengeClients =
  (challenge: string): ErrorRequestHandler =>
  (thrown, _request, _response, next) => {
    const { status, detail, headers } = toApiError(thrown);
    next(status === 401 ? new ApiError(401, detail, { ...headers, 'WWW-Authenticate': challenge }) : thrown);
  };

/** Answers errors as OAuth defines them: `error` and `error_description`. */
export function answerInOAuth(logger: Logger): ErrorRequestHandler {
  return (thrown, _request, response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const error = toApiError(thrown);
    logFault(logger, error, response);
    const status = error.status === 422 ? 400 : error.status;
    const code =
      thrown instanceof OAuthError
        ? thrown.code
        : status < 500 && status !== 429
          ? 'invalid_request'
          : 'temporarily_unavailable';
    const description = typeof error.detail === 'string' ? error.detail : error.message;
    response.status(status).set(error.headers).json({ error: code, error_description: description });
  };
}
