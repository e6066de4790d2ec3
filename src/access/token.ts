import { jwtVerify, SignJWT } from 'jose';
import type { VerifyToken } from './authenticate.js';

/** How long a token is good. */
export const TOKEN_SECONDS = 15 * 60;

const ALGORITHM = 'HS256';
const ISSUER = 'product-catalogue';
const AUDIENCE = 'product-catalogue-api';

/** Short-lived tokens that stand for a key: they name its id and hold nothing secret. */
export interface Tokens {
  /** A JWT with `sub` = key id, good for 15 minutes from `now`. */
  issue(keyId: string, now: Date): Promise<string>;
  /** The key id of a token of ours that is still good; null for any other text. */
  verify: VerifyToken;
}

/** @param secret `JWT_SECRET`; whoever knows it can make tokens. */
export function createTokens(secret: string, now: () => Date): Tokens {
  const key = new TextEncoder().encode(secret);
  return {
    issue(keyId, at) {
      const issuedAt = Math.floor(at.getTime() / 1_000);
      return new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setSubject(keyId)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + TOKEN_SECONDS)
        .sign(key);
    },
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: AUDIENCE,
          requiredClaims: ['sub', 'exp'],
          currentDate: now(),
        });
        return payload.sub ?? null;
      } catch {
        return null;
      }
    },
  };
}
