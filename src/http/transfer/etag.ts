import { hash } from 'node:crypto';
import type { Request } from 'express';

/** A weak ETag: of what an answer says, however it is encoded. */
export const etagOf = (bytes: Buffer): string => `W/"${hash('sha1', bytes, 'base64url')}"`;

/**
 * Whether the client has this already. Compared here: Express trusts a request's Cache-Control, and common clients send
 * no-cache by themselves.
 */
export function isUnchanged(request: Request, etag: string): boolean {
  const ifNoneMatch = request.get('if-none-match');
  if (ifNoneMatch === undefined) return false;
  const opaque = etag.slice(2);
  return ifNoneMatch.split(',').some((candidate) => ['*', etag, opaque].includes(candidate.trim()));
}
