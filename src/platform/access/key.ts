import { createHmac, hash, randomBytes } from 'node:crypto';
import type { Response } from 'express';
import type { Tier } from './tiers.js';

/** The environments of keys; the raw form of a key begins with `svc_live_` or `svc_test_`. */
export const ENVIRONMENTS = ['live', 'test'] as const;

export type Environment = (typeof ENVIRONMENTS)[number];

export interface NewKey {
  /** The operator's id of the developer who gets the key. */
  developerId: string;
  name: string;
  tier: Tier;
  environment: Environment;
  /** Permissions of the key beyond reading, such as `write:shop_a`; absent: none. */
  scopes?: readonly string[];
  /** When the key expires, ISO 8601 in UTC; null or absent: never. */
  expiresAt?: string | null;
}

export interface KeyRecord extends NewKey {
  /** The id of the key, a UUID v4. It is not a secret. */
  id: string;
  createdAt: string;
  /** When the key was revoked, ISO 8601 in UTC; null: it was not. */
  revokedAt: string | null;
}

/** A stored key with its hash. The raw key cannot be computed from it. */
export interface StoredKey extends KeyRecord {
  hash: string;
}

/** The fields of an API key that audit events contain. */
export type KeyHolder = Pick<KeyRecord, 'id' | 'tier' | 'developerId'>;

export interface KeyIdentity {
  id: string;
  /** The name of the counter of its rate limits, which all its credentials share. */
  counter: string;
  tier: Tier;
  environment: Environment;
  developerId: string;
  /** Permissions of the key beyond reading; absent: none. */
  scopes?: readonly string[];
  /** When the key expires, ISO 8601 in UTC; absent: never. */
  expiresAt?: string;
  /** Set if Redis has been away for so long that the key may only read. */
  readsOnly?: true;
}

/** What a request presents: the hash of a raw key, or the id of a key, and its counter, which tokens of versions before 1.1 lack. */
export type Credential = { hash: string; counter: string } | TokenCredential;

export interface TokenCredential {
  id: string;
  counter?: string | undefined;
}

/** The result of verifying a token of this service whose time of issue is in the future. */
export const FROM_FUTURE = Symbol('from the future');

/** Verifies a token. @returns the API key that it stands for; null if this service did not issue the token. */
export type VerifyToken = (token: string) => Promise<TokenCredential | typeof FROM_FUTURE | null>;

/** Returns the usable API key of a request; null if it has none, or has not been looked up yet. */
export const keyOf = (response: Response): KeyIdentity | null =>
  (response.locals.key as KeyIdentity | undefined) ?? null;

/** Whether a request needs no key, because it has none and only reads. */
export const isPublic = (response: Response): boolean => response.locals.isPublic === true;

/** The number of random bytes of a raw API key, which are exactly 48 characters of base64. */
const RANDOM_BYTES = 36;

/** The form of a raw API key. Its length is bounded so that no longer text is hashed. */
const RAW_KEY = /^svc_(live|test)_[A-Za-z0-9_-]{48,128}$/;

export const isKeyId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** Generates a secret key with 288 random bits. */
export function generateRawKey(environment: Environment): string {
  return `svc_${environment}_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
}

/** The stored form of a raw key: SHA-256 in hex. A random key gains nothing from a salt or a slow hash. */
export const hashKey = (rawKey: string): string => hash('sha256', rawKey, 'hex');

/** The name of the counter of a key's rate limits, which is known before the look-up and does not reveal the stored hash. */
export const counterOfHash = (keyHash: string): string =>
  `key:${createHmac('sha256', keyHash).update('rate-limit counter').digest('base64url')}`;

/** The credential of a raw key; null if the text does not have the form of one. */
export function credentialOfRawKey(text: string): Credential | null {
  if (!RAW_KEY.test(text)) return null;
  const hash = hashKey(text);
  return { hash, counter: counterOfHash(hash) };
}

/** The scope that permits deciding which listings are the same product. */
export const REVIEW_SCOPE = 'review';

/** The scope of a key that writes the sources of several shops. Without it, all sources that a key may write are one owner. */
export const AGGREGATOR_SCOPE = 'aggregator';

/** A scope is the permission to write the listings of one source, or to review matches, or says whose the sources are. */
export const SCOPE_PATTERN = `^(?:${REVIEW_SCOPE}|${AGGREGATOR_SCOPE}|write:\\S(?:.{0,62}\\S)?)$`;

const WRITE = 'write:';

export const writableSources = ({ scopes = [] }: Pick<KeyIdentity, 'scopes'>): Set<string> =>
  new Set(scopes.filter((scope) => scope.startsWith(WRITE)).map((scope) => scope.slice(WRITE.length)));

/** The sources of a key that are one owner: all that it may write, unless it is marked as that of an aggregator. */
export const sourcesOfOneOwner = (key: Pick<KeyIdentity, 'scopes'>): string[] =>
  key.scopes?.includes(AGGREGATOR_SCOPE) === true ? [] : [...writableSources(key)];
