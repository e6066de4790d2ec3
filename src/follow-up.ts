import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { Backoff } from './engine/backoff.js';
import { schemaVersionOf } from './engine/index-versions.js';
import { GROUPS_SCHEMA } from './listing/derived.js';
import { peerFlagsBasis } from './listing/flags.js';
import type { StoredListing } from './listing/listing.js';
import { type Connections, connectionsOf } from './usecases/quality/candidates.js';
import { flagWritten } from './usecases/quality/flag-listings.js';
import type { ExchangeRates } from './listing/rates.js';
import { readBlocked } from './usecases/suggest/blocked.js';
import type { SuggestionSource } from './usecases/suggest/collect.js';
import { addSuggestions } from './usecases/suggest/update-suggestions.js';

/**
 * The pause in ms before each batch of updates. It is longer than the refresh interval of the index, so that
 * searches already find the written listings.
 */
const PAUSE_MS = 2_000;
const BATCH_SIZE = 200;
/**
 * The maximum number of written listings that wait for the update of flags and suggestions. Listings that are
 * written while it is reached are left to `npm run quality` and `npm run suggest`.
 */
const MAX_WAITING = 20_000;
const GIVE_UP_AFTER_MS = 60_000;

interface Waiting {
  /**
   * What connects the written listing with others, such as its GTINs: as it is now and, if it existed before,
   * as it was before the write.
   */
  states: Connections[];
  listing: SuggestionSource;
}

/**
 * Updates quality flags and search suggestions a few seconds after listings were written over HTTP: the flags
 * of the written and of related listings, and the suggestions that the written ones add. A load by `npm run
 * ingest` updates them for the whole catalogue instead.
 * @param onError called if an update fails. The next `npm run quality` and `npm run suggest` make up for it.
 */
export function createFollowUp(
  where: { es: Client; indexPrefix: string; products: string; suggestions: string; rates: ExchangeRates },
  onError: (error: unknown) => void,
) {
  const { es, indexPrefix, products, suggestions, rates } = where;
  const waiting: Waiting[] = [];
  const stopped = new AbortController();
  const { signal } = stopped;
  let isRunning = false;

  const flag = async (batch: readonly Waiting[]): Promise<void> => {
    // Quality flags are not updated in an index of an earlier schema, because it has no field for them.
    if ((await schemaVersionOf(es, products)) < GROUPS_SCHEMA) return;
    const backoff = new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS, signal });
    const states = batch.flatMap((one) => one.states);
    await flagWritten(states, { es, products, rates, backoff });
  };
  const suggest = async (batch: readonly Waiting[]) => {
    const written = batch.map(({ listing }) => listing);
    return addSuggestions(es, suggestions, written, await readBlocked(es, indexPrefix));
  };
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      while (waiting.length > 0) {
        await sleep(PAUSE_MS, undefined, { signal, ref: false });
        const batch = waiting.splice(0, BATCH_SIZE);
        for (const step of [flag, suggest]) await step(batch).catch(onError);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      isRunning = false;
    }
  };

  return {
    /**
     * Schedules the update of flags and suggestions for a written listing.
     * @param before the listing before the write; null if it is new.
     */
    written(before: StoredListing | null, after: StoredListing): void {
      if (waiting.length >= MAX_WAITING || (before !== null && isSame(before, after))) return;
      const { name, brand, category, metadata, source, internal } = after;
      const states = [after, ...(before === null ? [] : [before])].map(connectionsOf);
      waiting.push({ states, listing: { name, brand, category, metadata, source, internal } });
      void run();
    },
    /**
     * Ends the updates of flags and suggestions. Those that are left are made by the next `npm run quality`
     * and `npm run suggest`.
     */
    stop: () => stopped.abort(),
  };
}

/** Whether a write changed nothing in a listing that quality flags or suggestions depend on. */
const isSame = (before: StoredListing, after: StoredListing): boolean =>
  before.category === after.category &&
  before.internal.models.join() === after.internal.models.join() &&
  peerFlagsBasis(before, before.internal) === peerFlagsBasis(after, after.internal);
