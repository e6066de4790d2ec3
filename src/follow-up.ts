import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { Backoff } from './engine/backoff.js';
import { schemaVersionOf } from './engine/schema-version.js';
import { GROUPS_SCHEMA } from './listing/derived.js';
import { basisOf } from './listing/flags.js';
import type { StoredListing } from './listing/listing.js';
import { judgeWritten } from './usecases/quality/pass.js';
import { type Written, writtenOf } from './usecases/quality/related.js';
import type { ExchangeRates } from './listing/rates/convert.js';
import { addSuggestions } from './usecases/suggest/add.js';
import type { ReadListing } from './usecases/suggest/collect.js';

/**
 * Updates flags and suggestions some seconds after listings were written over HTTP: flags of these and of related listings,
 * and suggestions that they add. `npm run ingest` does both for the whole catalogue; here the work is bounded by what was
 * written.
 */
export interface FollowUp {
  /** A listing was written. @param before null: it is new. */
  written(before: StoredListing | null, after: StoredListing): void;
  /** Gives up what is left, which the next `npm run quality` and `npm run suggest` find. */
  stop(): void;
}

/** Writes in quick succession are handled together, once searches see them: the index is refreshed each second. */
const PAUSE_MS = 2_000;
/** Listings that are handled together, with a pause before them. */
const BATCH = 200;
/** Listings that may wait; further ones are left to `npm run quality` and `npm run suggest`. */
const MAX_WAITING = 20_000;
const GIVE_UP_AFTER_MS = 60_000;

interface Waiting {
  /** What the listing was before, and what it is. */
  states: Written[];
  listing: ReadListing;
}

/**
 * @param where `products` and `suggestions` are aliases.
 * @param onError called if a step fails; its listings are left to `npm run quality` and `npm run suggest`.
 */
export function createFollowUp(
  where: { es: Client; products: string; suggestions: string; rates: ExchangeRates },
  onError: (error: unknown) => void,
): FollowUp {
  const { es, products, suggestions, rates } = where;
  const waiting: Waiting[] = [];
  const stopped = new AbortController();
  const { signal } = stopped;
  let isRunning = false;

  const flag = async (batch: readonly Waiting[]): Promise<void> => {
    // An index of an earlier schema has no flags.
    if ((await schemaVersionOf(es, products)) < GROUPS_SCHEMA) return;
    const backoff = new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS, signal });
    await judgeWritten(
      batch.flatMap(({ states }) => states),
      { es, products, rates, backoff },
    );
  };
  const suggest = (batch: readonly Waiting[]) =>
    addSuggestions(
      es,
      suggestions,
      batch.map(({ listing }) => listing),
    );
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      while (waiting.length > 0) {
        await sleep(PAUSE_MS, undefined, { signal, ref: false });
        const batch = waiting.splice(0, BATCH);
        for (const step of [flag, suggest]) await step(batch).catch(onError);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      isRunning = false;
    }
  };

  return {
    written(before, after) {
      if (waiting.length >= MAX_WAITING || (before !== null && isSame(before, after))) return;
      const { name, brand, category, metadata } = after;
      const states = [after, ...(before === null ? [] : [before])].map(writtenOf);
      waiting.push({ states, listing: { name, brand, category, metadata } });
      void run();
    },
    stop: () => stopped.abort(),
  };
}

/** Whether neither flags nor suggestions can have changed. */
const isSame = (before: StoredListing, after: StoredListing): boolean =>
  before.category === after.category &&
  before.internal.models.join() === after.internal.models.join() &&
  basisOf(before, before.internal) === basisOf(after, after.internal);
