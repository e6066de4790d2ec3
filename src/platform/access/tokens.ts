import { createHmac } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Config } from '../config/config.js';
import type { RedisBreaker } from '../redis/redis-breaker.js';
import { FROM_FUTURE, type KeyIdentity, type VerifyToken } from './key.js';
import { redisName } from '../stored.js';

/** The lifetime of an access token, in seconds. */
export const TOKEN_SECONDS = 15 * 60;

/** The largest accepted difference between the clocks of two instances, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 5;

const ALGORITHM = 'HS256';
const ISSUER = 'product-catalogue';
const AUDIENCE = 'product-catalogue-api';

export type Tokens = ReturnType<typeof createTokens>;

/** Issues and verifies tokens that stand for a key. @param secrets the first signs. @param previousIsAccepted whether others count now. */
export function createTokens(
  secrets: Config['jwtSecrets'],
  now: () => Date,
  previousIsAccepted: () => Promise<boolean> = () => Promise.resolve(true),
) {
  const encode = (secret: string) => new TextEncoder().encode(secret);
  const signingKey = encode(secrets[0]);
  const keys = secrets.map(encode);
  return {
    /** Issues a JWT that is valid for 15 minutes. */
    issue({ id, counter }: Pick<KeyIdentity, 'id' | 'counter'>, at: Date): Promise<string> {
      const issuedAt = Math.floor(at.getTime() / 1_000);
      return new SignJWT({ counter })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setSubject(id)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + TOKEN_SECONDS)
        .sign(signingKey);
    },
    async verify(token: string): ReturnType<VerifyToken> {
      for (const [i, key] of keys.entries()) {
        try {
          const { payload } = await jwtVerify(token, key, {
            algorithms: [ALGORITHM],
            issuer: ISSUER,
            audience: AUDIENCE,
            requiredClaims: ['sub', 'exp'],
            // The age is limited here too, so that a leaked secret cannot make a token that is valid for ever.
            maxTokenAge: TOKEN_SECONDS,
            clockTolerance: CLOCK_TOLERANCE_SECONDS,
            currentDate: now(),
          });
          const { sub: id = '', counter } = payload as { sub?: string; counter?: string };
          return i === 0 || (await previousIsAccepted()) ? { id, counter } : null;
        } catch (error) {
          if (error instanceof errors.JWSSignatureVerificationFailed) continue;
          if (!isFromFuture(error) || (i > 0 && !(await previousIsAccepted()))) return null;
          return FROM_FUTURE;
        }
      }
      return null;
    },
  };
}

/** Whether a token has a time of issue in the future. jose checks times last, so its signature is that of this service. */
const isFromFuture = (error: unknown): boolean =>
  error instanceof errors.JWTClaimValidationFailed &&
  error.claim === 'iat' &&
  error.reason === 'check_failed';

/** How long a rolling restart may take, during which some instances still sign tokens with the previous secret. */
const ROLLING_RESTART_SECONDS = 15 * 60;

/** How long tokens that `JWT_SECRET_PREVIOUS` signed are accepted. */
export const PREVIOUS_ACCEPTED_SECONDS = TOKEN_SECONDS + ROLLING_RESTART_SECONDS;

export type PreviousSecret = NonNullable<ReturnType<typeof previousSecret>>;

/**
 * Records when a secret became the previous one, unless that is recorded. KEYS: its record. ARGV: the seconds since this process knew.
 * Returns the seconds since then; -1 if Redis refuses to record it.
 */
const AGE = `
local now = tonumber(redis.call('TIME')[1])
redis.pcall('SET', KEYS[1], now - ARGV[1], 'NX')
local since = redis.call('GET', KEYS[1])
return since and now - since or -1
`;

/** Accepts a previous secret for a limited time; while Redis is away, from the start of this process. @returns null if there is none. */
export function previousSecret({
  redis,
  config: { jwtSecrets, indexPrefix },
  acceptedSeconds = PREVIOUS_ACCEPTED_SECONDS,
  uptime = () => process.uptime(),
}: {
  redis: RedisBreaker;
  config: Pick<Config, 'jwtSecrets' | 'indexPrefix'>;
  acceptedSeconds?: number;
  uptime?: () => number;
}) {
  const [, secret] = jwtSecrets;
  if (secret === undefined) return null;
  const record = redisName(indexPrefix, 'jwt-previous', fingerprintOf(secret));
  /** The age of the previous secret when this process started; null if it is not known yet. */
  let ageAtStart: number | null = null;
  /** For how many seconds the secret has been the previous one; null if Redis has not answered yet. */
  const ageSeconds = async (): Promise<number | null> => {
    if (ageAtStart === null) {
      const up = uptime();
      const age = await redis
        .run((client) => client.eval(AGE, 1, record, Math.floor(up)))
        .then(Number, () => -1);
      if (age >= 0) ageAtStart = Math.max(0, age - up);
    }
    return ageAtStart === null ? null : ageAtStart + uptime();
  };
  return { ageSeconds, isAccepted: async () => ((await ageSeconds()) ?? uptime()) < acceptedSeconds };
}

/** A fingerprint that distinguishes secrets without revealing them. */
const fingerprintOf = (secret: string): string =>
  createHmac('sha256', secret).update('fingerprint of a former signing secret').digest('base64url');
