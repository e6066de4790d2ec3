import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../elasticsearch/backoff.js';
import { schemaVersionOf } from '../elasticsearch/schema-version.js';
import { GROUPS_SCHEMA } from '../listing/derived.js';
import { basisOf } from '../listing/flags.js';
import type { StoredListing } from '../listing/listing.js';
import { type Judging, judgeWritten } from './pass.js';
import { type Written, writtenOf } from './related.js';

/** Judges listings some seconds after they were written, together with those that they are related to. */
export interface FollowUp {
  /** A listing was written. @param before null: it is new. */
  changed(before: StoredListing | null, after: StoredListing): void;
  /** Gives up what is left; the next pass over the catalogue finds it. */
  stop(): void;
}

/** What is written in quick succession is judged together. */
const PAUSE_MS = 2_000;
/** Listings that are judged together, with a pause behind them, */
const AT_ONCE = 200;
/** and listings that may wait. What is beyond is left to the next pass over the catalogue. */
const MOST_WAITING = 20_000;
const GIVE_UP_AFTER_MS = 60_000;

/** @param onError told where a judgement failed; what it was about is left to the next pass over the catalogue. */
export function createFollowUp({
  pauseMs = PAUSE_MS,
  onError,
  ...judging
}: Judging & { pauseMs?: number; onError: (error: unknown) => void }): FollowUp {
  const waiting: Written[] = [];
  const stopped = new AbortController();
  const { signal } = stopped;
  let running = false;

  const judgeNext = async (): Promise<void> => {
    await sleep(pauseMs, undefined, { signal, ref: false });
    const next = waiting.splice(0, AT_ONCE);
    // An index of an earlier schema has no flags.
    if ((await schemaVersionOf(judging.es, judging.products)) < GROUPS_SCHEMA) return;
    const backoff = new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS, signal });
    await judgeWritten(next, { ...judging, backoff });
  };
  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    while (waiting.length > 0 && !signal.aborted) {
      await judgeNext().catch((error: unknown) => {
        if (!signal.aborted) onError(error);
      });
    }
    running = false;
  };

  return {
    changed(before, after) {
      const isJudgedBySame =
        before !== null && basisOf(before, before.internal) === basisOf(after, after.internal);
      if (isJudgedBySame || waiting.length >= MOST_WAITING) return;
      waiting.push(writtenOf(after), ...(before === null ? [] : [writtenOf(before)]));
      void run();
    },
    stop: () => stopped.abort(),
  };
}
