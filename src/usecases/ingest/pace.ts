export interface LoadPace {
  readonly records: number;
  /** The maximum size of a batch, measured in bytes of the feed. */
  readonly bytes: number;
  readonly inFlight: number;
}

/** Whether Elasticsearch temporarily rejected some of a batch, or how long it took. */
export type BatchResponse = 'rejected' | { tookMs: number };

const MB = 1024 * 1024;
const SLOWEST: LoadPace = { records: 125, bytes: MB, inFlight: 1 };
const FASTEST: LoadPace = { records: 1_000, bytes: 8 * MB, inFlight: 6 };
const STEP: LoadPace = { records: 125, bytes: MB, inFlight: 1 };

/** A batch that takes at most this time increases the pace of a load. */
const QUICK_MS = 2_000;

/** A batch that takes longer than this reduces the pace of a load. */
const SLOW_MS = 15_000;

export const FIRST_PACE: LoadPace = { ...FASTEST, inFlight: 3 };

/** The pace of a load that shares its process with requests of clients, which are handled between its batches. */
export const GENTLE_PACE: LoadPace = { records: 200, bytes: MB, inFlight: 1 };

/** Adapts the pace: a rejected or slow batch halves it; a quick one increases the size of batches, then their number. */
export function paceAfter(pace: LoadPace, response: BatchResponse): LoadPace {
  if (response === 'rejected' || response.tookMs > SLOW_MS)
    return mapPace((name) => Math.max(SLOWEST[name], Math.floor(pace[name] / 2)));
  if (response.tookMs > QUICK_MS) return pace;
  const faster = mapPace((name) => Math.min(FASTEST[name], pace[name] + STEP[name]));
  return pace.records < FASTEST.records ? { ...faster, inFlight: pace.inFlight } : faster;
}

const mapPace = (valueOf: (name: keyof LoadPace) => number): LoadPace => ({
  records: valueOf('records'),
  bytes: valueOf('bytes'),
  inFlight: valueOf('inFlight'),
});
