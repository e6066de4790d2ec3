import type { ErrorRequestHandler } from 'express';
import type { ApiError } from '../../platform/errors.js';
import type { Logger } from '../../telemetry/logger.js';
import { logFault, toApiError } from '../errors.js';

/**
 * Answers errors in the form of another protocol.
 * @param toAnswer returns the response; null for an error that has the same form as on every other path.
 */
export const answerErrorsAs =
  (
    logger: Logger,
    toAnswer: (error: ApiError) => { status: number; body: object } | null,
  ): ErrorRequestHandler =>
  (thrown, _request, response, next) => {
    const error = toApiError(thrown);
    const answer = response.headersSent ? null : toAnswer(error);
    if (answer === null) {
      next(thrown);
      return;
    }
    logFault(logger, error, response);
    response.status(answer.status).set(error.headers).json(answer.body);
  };
