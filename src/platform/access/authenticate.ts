import type { Request, RequestHandler, Response } from 'express';
import { notAWriter, tokenFromFuture, unauthorized } from '../errors.js';
import type { KeyIdentity } from './identity.js';
import { writableSources } from './scopes.js';
import type { Shown } from './keys.js';
import { isRawKey } from './raw-key.js';

/** A token of ours that was issued later than this instance's clock says it is now. */
export const FROM_FUTURE = Symbol('from the future');

/** Checks a token (`header.payload.signature`) and gives the id of the key it stands for; null: not a token of ours. */
export type VerifyToken = (token: string) => Promise<string | typeof FROM_FUTURE | null>;

/** One space, as RFC 6750 has it; a scheme is case-insensitive. */
const BEARER = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The request's usable key; null: none, or it was not counted yet. */
export const keyOf = (response: Response): KeyIdentity | null =>
  (response.locals.key as KeyIdentity | undefined) ?? null;

/** What `Authorization` shows; null: nothing that could be of ours. */
export async function shownBy(
  request: Request,
  verifyToken?: VerifyToken,
): Promise<Shown | typeof FROM_FUTURE | null> {
  const credential = BEARER.exec(request.get('authorization') ?? '')?.[1];
  if (credential === undefined) return null;
  if (verifyToken !== undefined && TOKEN.test(credential)) {
    const id = await verifyToken(credential);
    return typeof id === 'string' ? { id } : id;
  }
  return isRawKey(credential) ? { rawKey: credential } : null;
}

/** Refuses keys that may write nothing, before they send a body. */
export const requireWriter: RequestHandler = (_request, response, next) => {
  const key = keyOf(response);
  next(key === null || writableSources(key).size === 0 ? notAWriter() : undefined);
};

/** Refuses requests without a usable key. Comes after the limit, so that each refusal counts. */
export const requireKey: RequestHandler = (_request, response, next) => {
  if (keyOf(response) !== null) next();
  else next(response.locals.tokenFromFuture === true ? tokenFromFuture() : unauthorized());
};
