import { errors, jwtVerify, SignJWT } from 'jose';
import type { Config } from '../config.js';
import type { VerifyToken } from './authenticate.js';

/** How long a token is good. */
export const TOKEN_SECONDS = 15 * 60;

/** By how much the clocks of two instances may differ. */
const CLOCKS_APART_SECONDS = 5;

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

/**
 * @param secrets `JWT_SECRET` and those before it: whoever knows one can make tokens. The first signs; while secrets
 * are changed, tokens of the others are good as well.
 */
export function createTokens(secrets: Config['jwtSecrets'], now: () => Date): Tokens {
  const encode = (secret: string) => new TextEncoder().encode(secret);
  const signing = encode(secrets[0]);
  const keys = secrets.map(encode);
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
        .sign(signing);
    },
    async verify(token) {
      for (const key of keys) {
        try {
          const { payload } = await jwtVerify(token, key, {
            algorithms: [ALGORITHM],
            issuer: ISSUER,
            audience: AUDIENCE,
            requiredClaims: ['sub', 'exp'],
            // Whatever its end says: who has found a secret out has not found out one that is good for ever.
            maxTokenAge: TOKEN_SECONDS,
            clockTolerance: CLOCKS_APART_SECONDS,
            currentDate: now(),
          });
          return payload.sub ?? null;
        } catch (error) {
          if (!(error instanceof errors.JWSSignatureVerificationFailed)) return null;
        }
      }
      return null;
    },
  };
}
