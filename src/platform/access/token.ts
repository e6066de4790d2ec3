import { errors, jwtVerify, SignJWT } from 'jose';
import type { Config } from '../config/config.js';
import { FROM_FUTURE, type VerifyToken } from './authenticate.js';

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
  /** Tokens refused since the process started because they were issued in the future. */
  readonly fromFuture: number;
}

/**
 * @param secrets `JWT_SECRET` and those before it: whoever knows one can make tokens. The first signs.
 * @param previousIsAccepted whether tokens of the others are accepted now.
 */
export function createTokens(
  secrets: Config['jwtSecrets'],
  now: () => Date,
  previousIsAccepted: () => Promise<boolean> = () => Promise.resolve(true),
): Tokens {
  const encode = (secret: string) => new TextEncoder().encode(secret);
  const signing = encode(secrets[0]);
  const keys = secrets.map(encode);
  let fromFuture = 0;
  return {
    get fromFuture() {
      return fromFuture;
    },
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
      for (const [i, key] of keys.entries()) {
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
          return i === 0 || (await previousIsAccepted()) ? (payload.sub ?? null) : null;
        } catch (error) {
          if (error instanceof errors.JWSSignatureVerificationFailed) continue;
          if (!isFromFuture(error) || (i > 0 && !(await previousIsAccepted()))) return null;
          fromFuture += 1;
          return FROM_FUTURE;
        }
      }
      return null;
    },
  };
}

/** The claims are checked after the signature, so the token is ours. An `iat` that is too old has another error. */
const isFromFuture = (error: unknown): boolean =>
  error instanceof errors.JWTClaimValidationFailed &&
  error.claim === 'iat' &&
  error.reason === 'check_failed';
