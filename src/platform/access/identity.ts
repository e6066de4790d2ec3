import type { Environment } from './raw-key.js';
import type { Tier } from './tiers.js';

/** What a request's key tells of its holder. */
export interface KeyIdentity {
  /** UUID v4, no secret. */
  id: string;
  tier: Tier;
  environment: Environment;
  /** What it may do besides reading; absent: nothing. */
  scopes?: readonly string[];
  /** The operator's id of the developer who has the key; absent where only the limits of the key were looked up. */
  developerId?: string;
  /** ISO 8601, UTC; absent: it does not expire. */
  expiresAt?: string;
}
