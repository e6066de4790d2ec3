import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Config } from '../config/config.js';

const ALGORITHM = 'aes-256-gcm';
const BYTES = { key: 32, nonce: 12, tag: 16 };

/** Values that clients carry and can neither read nor change. */
export interface Sealed {
  /** @param about what else must be the same when it is opened. */
  seal(value: unknown, about: string): string;
  /** @returns null: it is none of ours, or about something else. */
  open(text: string, about: string): unknown;
}

/** @param secrets the first seals; while they are changed, what others sealed is good as well. */
export function createSealed(secrets: Config['jwtSecrets']): Sealed {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'sealed', BYTES.key)));
  const [first = Buffer.alloc(0)] = keys;
  return {
    seal(value, about) {
      const nonce = randomBytes(BYTES.nonce);
      const cipher = createCipheriv(ALGORITHM, first, nonce).setAAD(Buffer.from(about));
      const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
    },
    open(text, about) {
      const bytes = Buffer.from(text, 'base64url');
      // Other texts may stand for the same bytes: only what was given out is taken.
      if (bytes.toString('base64url') !== text || bytes.length <= BYTES.nonce + BYTES.tag) return null;
      for (const key of keys) {
        const opened = decrypted(key, bytes, about);
        if (opened !== null) return JSON.parse(opened);
      }
      return null;
    },
  };
}

function decrypted(key: Buffer, bytes: Buffer, about: string): string | null {
  const [nonce, rest] = [bytes.subarray(0, BYTES.nonce), bytes.subarray(BYTES.nonce)];
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: BYTES.tag })
    .setAAD(Buffer.from(about))
    .setAuthTag(rest.subarray(0, BYTES.tag));
  try {
    return Buffer.concat([decipher.update(rest.subarray(BYTES.tag)), decipher.final()]).toString();
  } catch {
    return null;
  }
}
