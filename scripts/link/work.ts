import type { Client } from '@elastic/elasticsearch';
import { Backoff } from '../../src/engine/backoff.js';
import { EngineUnavailableError } from '../../src/engine/unavailable.js';
import type { ExchangeRates } from '../../src/listing/rates/convert.js';
import type { Leased } from '../shared/lease.js';
import { type LinkRecords, linksIndex } from './records.js';

/** Which listings a run compares. */
export type Scope =
  | { kind: 'all' }
  /** What was not linked as it is, of what changed since then: all of it, or what a load brought. */
  | { kind: 'pending'; since: string | null }
  /** Whatever changed since then, linked or not. */
  | { kind: 'since'; since: string };

/** One forming of groups. */
export interface Run {
  /** When it began, in milliseconds: later runs have greater ones. */
  id: number;
  scope: Scope;
  /** `comparing`: groups are as they were. `writing`: which listing goes into which group is settled. */
  phase: 'comparing' | 'writing';
  /** Whether none was linked before: then it has compared all that was ever compared. */
  first?: boolean;
}

/** What one run leaves for the next. `run`: itself, where it did not end. */
export interface State {
  run: Run | null;
  /** The id of the latest run. */
  latest: number;
}

export const LINK: Leased<State> = { name: 'link', indexOf: linksIndex, nothing: { run: null, latest: 0 } };

/** What every step of a run works with. */
export interface Work {
  es: Client;
  /** Of the product index. */
  alias: string;
  rates: ExchangeRates;
  records: LinkRecords;
  run: Run;
  backoff: Backoff;
  /** Again and again what the engine refuses for now. */
  retry: <T>(request: () => Promise<T>) => Promise<T>;
  /** Ends the work where it may end. */
  signal: AbortSignal;
}

const GIVE_UP_AFTER_MS = 10 * 60_000;

export const backoffOf = (onWait: (note: string) => void, signal: AbortSignal): Backoff =>
  new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS, onWait, signal });

/** Of several searches in one request a refused one is told inside of the answer: that is waited out as well. */
export const retrying =
  (backoff: Backoff): Work['retry'] =>
  async (request) => {
    for (;;) {
      try {
        const answer = await backoff.retry(request);
        backoff.reset();
        return answer;
      } catch (error) {
        if (!(error instanceof EngineUnavailableError) || error.cause === undefined) throw error;
        await backoff.wait(error.message);
      }
    }
  };
