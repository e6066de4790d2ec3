import type { Request, Response } from 'express';
import { isAccessToken } from './oauth-grants.js';
import { type Credential, credentialOfRawKey, type KeyIdentity, type TokenCredential } from './key.js';

/** The result of verifying a token of this service whose time of issue is in the future. */
export const FROM_FUTURE = Symbol('from the future');

/** Verifies a token. @returns the API key that it stands for; null if this service did not issue the token. */
export type VerifyToken = (token: string) => Promise<TokenCredential | typeof FROM_FUTURE | null>;

/** The header `Authorization: Bearer …`, with exactly one space, as in RFC 6750, in any letter case. */
const BEARER = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Returns the usable API key of a request; null if it has none, or has not been looked up yet. */
export const keyOf = (response: Response): KeyIdentity | null =>
  (response.locals.key as KeyIdentity | undefined) ?? null;

/** Whether a request needs no key, because it has none and only reads. */
export const isPublic = (response: Response): boolean => response.locals.isPublic === true;

/**
 * Reads the API key or token of a request; null if it cannot be one of this service.
 * @param findAccessToken finds the API key of an access token of OAuth; null if it is not valid for the request.
 */
export async function credentialOf(
  request: Request,
  verifyToken?: VerifyToken,
  findAccessToken?: (request: Request, token: string) => Promise<TokenCredential | null>,
): Promise<Credential | typeof FROM_FUTURE | null> {
  const text = BEARER.exec(request.get('authorization') ?? '')?.[1];
  if (text === undefined) return null;
  const ofKey = credentialOfRawKey(text);
  if (ofKey !== null) return ofKey;
  const found = isAccessToken(text)
    ? await findAccessToken?.(request, text)
    : TOKEN.test(text) && (await verifyToken?.(text));
  return found || null;
}
