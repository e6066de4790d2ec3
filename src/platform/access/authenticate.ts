import type { Response } from 'express';
import type { KeyIdentity, TokenCredential } from './key.js';

/** The result of verifying a token of this service whose time of issue is in the future. */
export const FROM_FUTURE = Symbol('from the future');

/** Verifies a token. @returns the API key that it stands for; null if this service did not issue the token. */
export type VerifyToken = (token: string) => Promise<TokenCredential | typeof FROM_FUTURE | null>;

/** Returns the usable API key of a request; null if it has none, or has not been looked up yet. */
export const keyOf = (response: Response): KeyIdentity | null =>
  (response.locals.key as KeyIdentity | undefined) ?? null;

/** Whether a request needs no key, because it has none and only reads. */
export const isPublic = (response: Response): boolean => response.locals.isPublic === true;
