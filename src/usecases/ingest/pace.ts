/** How much the engine is sent. */
export interface Pace {
  /** Of the feed in one batch. */
  readonly records: number;
  readonly bytes: number;
  /** Batches at once. */
  readonly inFlight: number;
}

/** What the engine said: not now, to some or all of a batch; or it took one, after so many ms. */
export type Answer = 'refused' | { tookMs: number };

const MB = 1024 * 1024;
const FEWEST: Pace = { records: 125, bytes: MB, inFlight: 1 };
const MOST: Pace = { records: 1_000, bytes: 8 * MB, inFlight: 6 };
const STEP: Pace = { records: 125, bytes: MB, inFlight: 1 };

/** What takes longer would take longer still beside more. */
const QUICK_MS = 2_000;
const SLOW_MS = 15_000;

/** Before the engine has said anything. */
export const FIRST_PACE: Pace = { ...MOST, inFlight: 3 };

/** Between which whoever else uses this process and the engine has a turn. */
export const GENTLE_PACE: Pace = { records: 200, bytes: MB, inFlight: 1 };

/**
 * The pace after an answer: additive increase, multiplicative decrease. Half of everything after a refusal, or a batch
 * that took a quarter of a minute; after one that was quick a step more, first of its size, then of batches at once.
 */
export function paceAfter(pace: Pace, answer: Answer): Pace {
  if (answer === 'refused' || answer.tookMs > SLOW_MS)
    return each((name) => Math.max(FEWEST[name], Math.floor(pace[name] / 2)));
  if (answer.tookMs > QUICK_MS) return pace;
  const more = each((name) => Math.min(MOST[name], pace[name] + STEP[name]));
  return pace.records < MOST.records ? { ...more, inFlight: pace.inFlight } : more;
}

const each = (of: (name: keyof Pace) => number): Pace => ({
  records: of('records'),
  bytes: of('bytes'),
  inFlight: of('inFlight'),
});
