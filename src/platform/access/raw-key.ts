import { hash, randomBytes } from 'node:crypto';

/** What a key is for; its raw form begins with `svc_live_` or `svc_test_`. */
export const ENVIRONMENTS = ['live', 'test'] as const;

export type Environment = (typeof ENVIRONMENTS)[number];

/** 36 bytes are exactly 48 characters of base64. */
const RANDOM_BYTES = 36;

/** No key of ours is longer; what is longer is not worth a hash. */
const SHAPE = /^svc_(live|test)_[A-Za-z0-9_-]{48,128}$/;

/** A new secret key of 288 random bits. */
export function generateRawKey(environment: Environment): string {
  return `svc_${environment}_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
}

/** Whether a text could be a key at all. */
export const isRawKey = (text: string): boolean => SHAPE.test(text);

/** The only form in which a key is kept: SHA-256 in hex. A key is too random for a salt or a slow hash to add anything. */
export const hashKey = (rawKey: string): string => hash('sha256', rawKey, 'hex');
