import type { Client } from '@elastic/elasticsearch';
import type { Backoff } from '../../engine/backoff.js';
import type { LeasedOperation } from '../../engine/lease.js';
import { EngineUnavailableError } from '../../engine/errors.js';
import type { ExchangeRates } from '../../listing/rates.js';
import type { LearnedVersion } from '../../published/learned-versions.js';
import type { LinkRecords } from './records.js';

export type LinkScope =
  | { kind: 'all' }
  /** The listings without a current link. With `since`, only those that changed since this time. */
  | { kind: 'pending'; since: string | null }
  | { kind: 'since'; since: string }
  /** No listing is compared. Only the groups of the listings in new decisions are formed again. */
  | { kind: 'decisions' };

export interface RunState {
  /** The start of the run in ms since 1970. Later runs have greater ids. */
  id: number;
  scope: LinkScope;
  /** `comparing`: no group has changed yet. `writing`: the groups are decided and are being written. */
  phase: 'comparing' | 'writing';
  /** Whether no listing was linked before, so that there are no stored comparisons. */
  first?: boolean;
}

/** The state of linking that is stored for the next run. */
export interface LinkState {
  run: RunState | null;
  latest: number;
}

export const LINK: LeasedOperation<LinkState> = {
  name: 'link',
  index: 'links',
  initial: { run: null, latest: 0 },
};

export interface LinkRun {
  es: Client;
  alias: string;
  rates: ExchangeRates;
  /** Reads the active matching model once, so that the run compares all listings with the same model. */
  model: () => Promise<LearnedVersion | null>;
  records: LinkRecords;
  run: RunState;
  backoff: Backoff;
  retry: <T>(request: () => Promise<T>) => Promise<T>;
  /** Ends the linking run at the next point from which a later run can continue it. */
  signal: AbortSignal;
}

/** Returns a function that retries requests, also a multi-search of which one search was refused. */
export const retrying =
  (backoff: Backoff): LinkRun['retry'] =>
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
