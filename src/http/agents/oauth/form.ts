import type { Request } from 'express';
import { OAuthError } from './errors.js';

/** The body of a request, which `readBody` has read, as a form. */
export const formOf = (request: Request): URLSearchParams =>
  new URLSearchParams(typeof request.body === 'string' ? request.body : '');

/** Returns a parameter that may be given once; null if it is absent or empty. @throws OAuthError if it is repeated */
export function once(parameters: URLSearchParams, name: string): string | null {
  const values = parameters.getAll(name);
  if (values.length > 1) throw new OAuthError('invalid_request', `${name} must be given once`);
  return values[0] === undefined || values[0] === '' ? null : values[0];
}
