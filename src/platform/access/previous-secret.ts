import { createHmac } from 'node:crypto';
import type { Config } from '../config/config.js';
import type { RedisBreaker } from './redis-breaker.js';
import { TOKEN_SECONDS } from './token.js';

/** Instances are restarted one after the other: until the last one is, the former secret still signs. */
const ROLLING_RESTART_SECONDS = 15 * 60;

/** How long tokens of a former secret are accepted, from when the first instance names it as such. */
export const PREVIOUS_ACCEPTED_SECONDS = TOKEN_SECONDS + ROLLING_RESTART_SECONDS;

/** Whether tokens that `JWT_SECRET_PREVIOUS` signed are accepted; see `previousSecret`. */
export interface PreviousSecret {
  isAccepted(): Promise<boolean>;
  /** For how long it has been a former secret, in seconds; null: Redis has not told yet. */
  ageSeconds(): Promise<number | null>;
}

/**
 * Remembers in Redis when a secret was first a former one, by Redis's clock, and tells how many seconds ago that was.
 *
 * - KEYS: the record of the secret.
 * - ARGV: for how many seconds this process has known it as a former one.
 * - Returns the age; -1 where it is neither known nor can be written.
 */
const AGE = `
local now = tonumber(redis.call('TIME')[1])
redis.pcall('SET', KEYS[1], now - ARGV[1], 'NX')
local since = redis.call('GET', KEYS[1])
return since and now - since or -1
`;

/**
 * A former secret is accepted for a limited time, and never again after that. So that a restart does not revive it, the
 * time is kept in Redis under a fingerprint of the secret. While Redis cannot be asked, the time counts from the start
 * of this process.
 * @param acceptedSeconds how long that is.
 * @param uptime seconds since the process started.
 * @returns null where no former secret is configured.
 */
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
}): PreviousSecret | null {
  const [, secret] = jwtSecrets;
  if (secret === undefined) return null;
  const record = `${indexPrefix}:jwt-previous:${fingerprintOf(secret)}`;
  /** How much longer than this process has run the secret has been a former one; null: not known yet. */
  let before: number | null = null;
  const ageSeconds = async (): Promise<number | null> => {
    if (before === null) {
      const up = uptime();
      const age = await redis
        .ask((client) => client.eval(AGE, 1, record, Math.floor(up)))
        .then(Number, () => -1);
      if (age >= 0) before = Math.max(0, age - up);
    }
    return before === null ? null : before + uptime();
  };
  return { ageSeconds, isAccepted: async () => ((await ageSeconds()) ?? uptime()) < acceptedSeconds };
}

/** Tells one secret from another, and nothing of what it is. */
const fingerprintOf = (secret: string): string =>
  createHmac('sha256', secret).update('fingerprint of a former signing secret').digest('base64url');
