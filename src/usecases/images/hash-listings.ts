import type { Client, estypes } from '@elastic/elasticsearch';
import type { SeenImage } from '../../listing/listing.js';
import { Backoff } from '../../engine/backoff.js';
import { isBlocked, sendOperations } from '../../engine/listing-store.js';
import { createImageDecoder, type DecoderOptions, type ImageDecoder } from './decoder.js';
import { ImageFailure, isHarmful } from './failure.js';
import type { ImageFetcher } from './fetch.js';
import { pendingImages, type Batch } from './pending.js';
import { hostOf, visitPolitely } from './politely.js';

/** What a run did, in listings. */
export interface HashSummary {
  passed: number;
  hashed: number;
  /** Listings without a hash by the reason. */
  failed: Record<string, number>;
  /** Left for the next run: their host did not answer, or the listing changed meanwhile. */
  left: number;
}

export interface HashRun {
  es: Client;
  /** The alias of the product index. */
  index: string;
  fetcher: ImageFetcher;
  /** One source alone. */
  source?: string | undefined;
  /** Most listings to look at. */
  limit?: number | undefined;
  /** Look at every image again, hashed or failed. */
  again?: boolean;
  /** Images at once, of all hosts together. */
  concurrency: number;
  decoding?: DecoderOptions;
  now: () => Date;
  /** Ends the run after the images that are under way; what is done is kept. */
  signal?: AbortSignal;
  onProgress?: (summary: HashSummary) => void;
  /** Told when the run has to wait for the engine. */
  onWait?: (note: string) => void;
}

const PER_HOST = 4;
/** So many visits in a row without an answer, and a host is left alone for the rest of the run. */
const GIVE_UP_AFTER = 5;
/** How long to wait for an engine that takes no hashes. */
const GIVE_UP_AFTER_MS = 10 * 60_000;

/**
 * Gives listings the perceptual hash of their image, or the reason why there is none. Writes nothing else, and
 * may be stopped or killed at any time and run again: what is stored names the URL that it is of.
 */
export async function hashListings(run: HashRun): Promise<HashSummary> {
  const { es, index, source, again = false, now, signal, onProgress } = run;
  const summary: HashSummary = { passed: 0, hashed: 0, failed: {}, left: 0 };
  const silence = new Map<string, number>();
  let budget = run.limit ?? Infinity;
  const decoder = createImageDecoder(run.decoding);
  try {
    for await (const batch of pendingImages({ es, index, source, again, now: now() })) {
      if (signal?.aborted || budget <= 0) break;
      const pending = batch.pending.slice(0, budget);
      budget -= pending.length;
      const images = await lookAt(pending, run, decoder, silence);
      try {
        await store(run, pending, images, summary);
      } catch (error) {
        if (signal?.aborted !== true) throw error;
        // The engine took no hashes, and nobody waits for it any longer.
        summary.left += pending.length;
        break;
      }
      summary.passed += batch.passed;
      onProgress?.(summary);
    }
  } finally {
    decoder.close();
  }
  return summary;
}

/** What is seen at each URL of the batch; left out are those of silent hosts, and what the signal cut short. */
async function lookAt(
  pending: Batch['pending'],
  { fetcher, concurrency, now, signal }: HashRun,
  decoder: ImageDecoder,
  silence: Map<string, number>,
): Promise<Map<string, SeenImage>> {
  const images = new Map<string, SeenImage>();
  const urls = [...new Set(pending.map(({ url }) => url))];
  await visitPolitely(urls, { atOnce: concurrency, perHost: PER_HOST }, async (url) => {
    const host = hostOf(url);
    if (signal?.aborted || (silence.get(host) ?? 0) >= GIVE_UP_AFTER) return;
    const image = await look({ fetcher, decoder, signal }, url, now());
    if (image === null) return;
    silence.set(host, isSilence(image.failure) ? (silence.get(host) ?? 0) + 1 : 0);
    images.set(url, image);
  });
  return images;
}

async function look(
  { fetcher, decoder, signal }: Pick<HashRun, 'fetcher' | 'signal'> & { decoder: ImageDecoder },
  url: string,
  now: Date,
): Promise<SeenImage | null> {
  const seen = { url, seen_at: now.toISOString() };
  try {
    return { ...seen, hash: await decoder.hash(await fetcher.fetch(url), signal), failure: null };
  } catch (error) {
    if (signal?.aborted === true) return null;
    if (!(error instanceof ImageFailure)) throw error;
    return { ...seen, hash: null, failure: error.reason };
  }
}

/** Whether the host rather than the image is the trouble: it is silent, or sends what does harm. */
function isSilence(failure: string | null): boolean {
  return (
    isHarmful(failure) ||
    (failure !== null && /^(timeout|connection failed|host not found|HTTP (429|5\d\d))$/.test(failure))
  );
}

/** Partial updates: whatever a load writes at the same time stays, and is tried again on top of. */
async function store(
  { es, index, onWait, signal }: HashRun,
  pending: Batch['pending'],
  images: Map<string, SeenImage>,
  summary: HashSummary,
): Promise<void> {
  const updates = pending.flatMap(({ id, url }) => {
    const image = images.get(url);
    return image === undefined ? [] : [{ id, image }];
  });
  if (updates.length === 0) {
    summary.left += pending.length;
    return;
  }
  const answers = await sendUpdates(
    es,
    index,
    updates.map(({ id, image }) => {
      const doc = JSON.stringify({ doc: { internal: { image } } });
      return `{"update":{"_id":"${id}","retry_on_conflict":3}}\n${doc}`;
    }),
    new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS, onWait, signal }),
  );
  summary.left += pending.length - updates.length;
  answers.forEach((update, i) => {
    const failure = updates[i]?.image.failure ?? null;
    if (!isStored(update)) summary.left += 1;
    else if (failure === null) summary.hashed += 1;
    else summary.failed[failure] = (summary.failed[failure] ?? 0) + 1;
  });
}

/**
 * Sends the updates, and again those that an index refused which takes no writes: a reindex is about to put another in
 * its place. They hold nothing of what was read, so they are right in whatever index the alias leads to.
 */
async function sendUpdates(
  es: Client,
  index: string,
  updates: string[],
  backoff: Backoff,
): Promise<estypes.BulkResponseItem[]> {
  const answers = await sendOperations(es, index, updates, backoff);
  for (;;) {
    const blocked = answers.flatMap((answer, i) => (isBlocked(answer) ? [i] : []));
    if (blocked.length === 0) return answers;
    await backoff.wait('its index takes no writes: cluster_block_exception');
    const again = await sendOperations(
      es,
      index,
      blocked.map((i) => updates[i] ?? ''),
      backoff,
    );
    again.forEach((answer, position) => (answers[blocked[position] ?? -1] = answer));
  }
}

/** @throws Error for what running again would not help. */
function isStored(update: estypes.BulkResponseItem): boolean {
  if (update.error === undefined) return true;
  // Removed, or written to without pause.
  if (update.status === 404 || update.status === 409) return false;
  throw new Error(`The engine refused a hash: ${update.error.type}: ${update.error.reason ?? ''}`);
}
