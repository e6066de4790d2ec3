import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Config } from './config/config.js';

const ALGORITHM = 'aes-256-gcm';
const BYTES = { key: 32, nonce: 12, tag: 16 };

export type Sealed = ReturnType<typeof createSealed>;

/** Encrypts values that clients send back and can neither read nor change. @param secrets the first encrypts, all decrypt. */
export function createSealed(secrets: Config['jwtSecrets']) {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'sealed', BYTES.key)));
  const [first = Buffer.alloc(0)] = keys;
  return {
    /** Encrypts a value. @param context a text that must be the same when the value is decrypted. */
    seal(value: unknown, context: string): string {
      const nonce = randomBytes(BYTES.nonce);
      const cipher = createCipheriv(ALGORITHM, first, nonce).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
    },
    /** Decrypts a value; null if this service did not encrypt it with this context. */
    open(text: string, context: string): unknown {
      const bytes = Buffer.from(text, 'base64url');
      // Several base64url texts decode to the same bytes; only the canonical one is accepted.
      if (bytes.toString('base64url') !== text || bytes.length <= BYTES.nonce + BYTES.tag) return null;
      for (const key of keys) {
        const opened = decrypted(key, bytes, context);
        if (opened !== null) return JSON.parse(opened);
      }
      return null;
    },
  };
}

function decrypted(key: Buffer, bytes: Buffer, context: string): string | null {
  const [nonce, rest] = [bytes.subarray(0, BYTES.nonce), bytes.subarray(BYTES.nonce)];
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: BYTES.tag })
    .setAAD(Buffer.from(context))
    .setAuthTag(rest.subarray(0, BYTES.tag));
  try {
    return Buffer.concat([decipher.update(rest.subarray(BYTES.tag)), decipher.final()]).toString();
  } catch {
    return null;
  }
}
