import type { Client, estypes } from '@elastic/elasticsearch';
import type { SeenImage, StoredListing } from '../../listing/listing.js';
import { Backoff } from '../../engine/backoff.js';
import { isBlocked, sendOperations } from '../../engine/listing-store.js';
import { searchPages } from '../../engine/search-pages.js';
import { createImageDecoder, type DecoderOptions, type ImageDecoder } from './decoder.js';
import type { PictureFolder } from '../../platform/pictures.js';
import { ImageFailure, isHarmful } from './failure.js';
import { hostOf, type ImageFetcher, visitPolitely } from './fetch.js';
import { deleteExcess } from './stored-pictures.js';

/** The numbers of listings of a run. */
export interface HashSummary {
  passed: number;
  hashed: number;
  failed: Record<string, number>;
  /** Listings left for the next run, because the host of the image does not respond or because something else changed them. */
  left: number;
}

export interface HashRun {
  es: Client;
  index: string;
  fetcher: ImageFetcher;
  pictures: PictureFolder | null;
  source?: string | undefined;
  limit?: number | undefined;
  /** Whether to process images again that were already hashed, or failed, in earlier runs. */
  again?: boolean;
  concurrency: number;
  decoding?: DecoderOptions;
  now: () => Date;
  signal?: AbortSignal;
  onProgress?: (summary: HashSummary) => void;
  onWait?: (note: string) => void;
}

const PER_HOST = 4;
const MAX_FAILURES_PER_HOST = 5;

/** Stores the hash and a small picture of each image, or why it has none. It may be killed and repeated at any time. */
export async function hashListings(run: HashRun): Promise<HashSummary> {
  const { now, signal, onProgress } = run;
  const summary: HashSummary = { passed: 0, hashed: 0, failed: {}, left: 0 };
  const failures = new Map<string, number>();
  let budget = run.limit ?? Infinity;
  const decoder = createImageDecoder(run.decoding);
  try {
    for await (const batch of pendingImages(run, now())) {
      if (signal?.aborted || budget <= 0) break;
      const pending = batch.pending.slice(0, budget);
      budget -= pending.length;
      const images = await hashImages(pending, run, decoder, failures);
      try {
        await store(run, pending, images, summary);
        if (run.pictures !== null) await deleteExcess(run.es, run.index, run.pictures);
      } catch (error) {
        if (signal?.aborted !== true) throw error;
        // The run was aborted while it waited for Elasticsearch to accept writes, so this batch was not stored.
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

/** What a run found out about an image; `picture` is the SHA-256 of the stored picture. */
interface InspectedImage {
  image: SeenImage;
  picture: string | null;
}

async function hashImages(
  pending: ImageBatch['pending'],
  run: HashRun,
  decoder: ImageDecoder,
  failures: Map<string, number>,
): Promise<Map<string, InspectedImage>> {
  const { concurrency, signal } = run;
  const images = new Map<string, InspectedImage>();
  const urls = [...new Set(pending.map(({ url }) => url))];
  await visitPolitely(urls, { total: concurrency, perHost: PER_HOST }, async (url) => {
    const host = hostOf(url);
    if (signal?.aborted || (failures.get(host) ?? 0) >= MAX_FAILURES_PER_HOST) return;
    const inspected = await inspectImage(run, decoder, url);
    if (inspected === null) return;
    failures.set(host, isHostFailure(inspected.image.failure) ? (failures.get(host) ?? 0) + 1 : 0);
    images.set(url, inspected);
  });
  return images;
}

async function inspectImage({ fetcher, pictures, now, signal }: HashRun, decoder: ImageDecoder, url: string) {
  const seen = { url, seen_at: now().toISOString() };
  try {
    const input = { bytes: await fetcher.fetch(url), withPicture: pictures !== null };
    const { hash, picture } = await decoder.decode(input, signal);
    const stored = picture === null ? null : ((await pictures?.keep(picture)) ?? null);
    return { image: { ...seen, hash, failure: null }, picture: stored };
  } catch (error) {
    if (signal?.aborted === true) return null;
    if (!(error instanceof ImageFailure)) throw error;
    return { image: { ...seen, hash: null, failure: error.reason }, picture: null };
  }
}

/** Whether an image failed because of its host: it does not respond, or sends images that crash or block the decoder. */
const isHostFailure = (failure: string | null): boolean =>
  isHarmful(failure) || /^(timeout|connection failed|host not found|HTTP (429|5\d\d))$/.test(failure ?? '');

/** Stores image hashes as partial updates, so that concurrent changes by a load are preserved. */
async function store(
  { es, index, pictures, onWait, signal }: HashRun,
  pending: ImageBatch['pending'],
  images: Map<string, InspectedImage>,
  summary: HashSummary,
): Promise<void> {
  const updates = pending.flatMap(({ id, url }) => {
    const inspected = images.get(url);
    return inspected === undefined ? [] : [{ id, ...inspected }];
  });
  if (updates.length === 0) {
    summary.left += pending.length;
    return;
  }
  const operations = updates.map(({ id, image, picture }) => {
    const internal = pictures === null ? { image } : { image, picture };
    return `{"update":{"_id":"${id}","retry_on_conflict":3}}\n${JSON.stringify({ doc: { internal } })}`;
  });
  const answers = await sendUpdates(es, index, operations, new Backoff({ onWait, signal }));
  summary.left += pending.length - updates.length;
  answers.forEach((update, i) => {
    const failure = updates[i]?.image.failure ?? null;
    if (!isStored(update)) summary.left += 1;
    else if (failure === null) summary.hashed += 1;
    else summary.failed[failure] = (summary.failed[failure] ?? 0) + 1;
  });
}

/** Repeats updates that a write block refused because a reindex replaces the index. */
async function sendUpdates(es: Client, index: string, updates: string[], backoff: Backoff) {
  const answers = await sendOperations(es, index, updates, backoff);
  for (;;) {
    const blocked = answers.flatMap((answer, i) => (isBlocked(answer) ? [i] : []));
    if (blocked.length === 0) return answers;
    await backoff.wait('its index is blocked for writes: cluster_block_exception');
    const refused = blocked.map((i) => updates[i] ?? '');
    const again = await sendOperations(es, index, refused, backoff);
    again.forEach((answer, position) => (answers[blocked[position] ?? -1] = answer));
  }
}

/** Whether an image hash was stored. @throws Error for a failure that repeating the run would not fix. */
function isStored(update: estypes.BulkResponseItem): boolean {
  if (update.error === undefined) return true;
  // Status 404: the listing was deleted. Status 409: other writers keep changing the listing.
  if (update.status === 404 || update.status === 409) return false;
  throw new Error(`The engine refused a hash: ${update.error.type}: ${update.error.reason ?? ''}`);
}

interface ImageBatch {
  passed: number;
  pending: { id: number; url: string }[];
}

const BATCH_SIZE = 200;
/** A failed image is tried again late, because attempts burden the server of the shop. */
const RETRY_AFTER_MS = 3 * 24 * 60 * 60 * 1000;

export const listingsOf = (source: string | undefined): estypes.QueryDslQueryContainer =>
  source === undefined ? { match_all: {} } : { term: { source } };

/** Yields the listings in batches, each in its current state, so that images of a concurrent run are skipped. */
async function* pendingImages({ es, index, pictures, source, again = false }: HashRun, now: Date) {
  const request = {
    index,
    query: listingsOf(source),
    sort: [{ id: 'asc' as const }],
    size: BATCH_SIZE,
    _source: ['id', 'image_url', 'internal.image', 'internal.picture'],
  };
  for await (const hits of searchPages<Pick<StoredListing, 'id' | 'image_url' | 'internal'>>(es, request)) {
    const listings = hits.flatMap(({ _source }) => _source ?? []);
    const pending = listings.flatMap(({ id, image_url: url, internal }) => {
      if (url === null) return [];
      const lacksPicture = pictures?.hasRoom && internal?.image?.failure === null && !internal.picture;
      return again || isPending(url, internal?.image, now) || lacksPicture ? [{ id, url }] : [];
    });
    yield { passed: listings.length, pending };
  }
}

function isPending(url: string, image: SeenImage | null | undefined, now: Date): boolean {
  if (!image || image.url !== url) return true;
  return (
    image.hash === null &&
    !isHarmful(image.failure) &&
    now.getTime() - Date.parse(image.seen_at) >= RETRY_AFTER_MS
  );
}
