import type { Environment } from './raw-key.js';
import type { Tier } from './tiers.js';

/** What a request's key tells of its holder. */
export interface KeyIdentity {
  /** UUID v4, no secret. */
  id: string;
  tier: Tier;
  environment: Environment;
}
