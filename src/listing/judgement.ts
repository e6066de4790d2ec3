import type { Flag } from '../schemas/quality.js';

/** Why a listing has a flag, for people, by flag. */
export type Reasons = Partial<Record<Flag, string>>;

/** What other listings say of one. It stands as long as the listing says the same as when it was judged. */
export interface Judgement {
  /** Of `basisOf`. */
  basis: string;
  reasons: Reasons;
}
