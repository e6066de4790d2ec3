import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { getStoredListings } from '../../engine/documents.js';
import { searchAllBytes } from '../../engine/multi-search.js';
import { CANDIDATE_FIELDS } from '../../engine/queries/candidates.js';
import type { StoredListing } from '../../listing/listing.js';
import { MATCH_THRESHOLD } from '../../matching/match.js';
import { threadFile } from '../../platform/thread-file.js';
import { answerInRounds } from '../../matcher/find-matches.js';
import type { Search } from '../../matcher/match-request.js';
import { createMatcherPool, type Matcher } from '../../matcher/worker-pool.js';
import {
  candidateSearches,
  comparePairs,
  type ComparisonRequest,
  type ComparisonResponse,
} from './compare-pairs.js';
import type { ListingToCompare } from './listings.js';
import { alikePair, type ComparedRecord, type LinkRecord } from './records.js';
import type { LinkRun } from './run.js';
import { chunksOf } from '../../platform/chunks.js';

const CHUNK = 20;
export const MAX_WORKERS = 8;
/** The number of worker threads of a linking run if the operator states none. */
export const DEFAULT_WORKERS = Math.min(MAX_WORKERS, availableParallelism());
/** A listing with a match of this probability is not searched for: every second one of the sample, at the same F1 (0.979). */
const SURE = 0.9;
/**
 * The sure matches of a chunk are known to later chunks, except to this number of chunks right after it. The number is fixed, so
 * that a run that continues with another number of workers makes the same decisions.
 */
const LAG = MAX_WORKERS + 1;
/** Up to this number, starting worker threads takes longer than it saves. */
const MAX_LISTINGS_WITHOUT_WORKERS = 500;
/** The time after which a worker thread that compares one chunk has evidently hung. */
const DEADLINE_MS = 120_000;

type Comparer = Matcher<ComparisonRequest, ComparisonResponse>;

export const createComparer = (workers: number, listings: number): Comparer =>
  workers === 1 || listings <= MAX_LISTINGS_WITHOUT_WORKERS
    ? (request) => Promise.resolve(comparePairs(request))
    : createMatcherPool<ComparisonRequest, ComparisonResponse>({
        thread: threadFile(import.meta.url, 'compare-worker'),
        threads: workers,
        deadlineMs: DEADLINE_MS,
      });

/**
 * Compares listings with the candidates that Elasticsearch finds for each, as the compare endpoint does, and stores the pairs. Of
 * near-identical listings of an owner only the first one is compared. One chunk more than there are workers is in progress, so
 * that Elasticsearch searches while the workers compare. A run that was killed and continues makes the same decisions again.
 * @param pages the listings by ascending ids, the same ones when the run continues.
 * @param options.decided the ids of the listings in decisions, which are compared themselves.
 * @returns the number of listings whose candidates were searched for.
 */
export async function compareAndStore(
  linkRun: LinkRun,
  pages: AsyncIterable<ListingToCompare[]>,
  { workers, compare, decided }: { workers: number; compare: Comparer; decided: ReadonlySet<number> },
  onProgress: (done: number) => void,
): Promise<number> {
  const { records, run, signal } = linkRun;
  const sure = new Set<number>();
  const firstOf = new Map<string, number>();
  /** Pairs a listing with the first listing of the run that is near-identical to it. The first one itself has no pair. */
  const withFirst = ({ id, alike }: ListingToCompare): [number, number][] => {
    if (alike === undefined || decided.has(id)) return [];
    const first = firstOf.get(alike);
    if (first === undefined) firstOf.set(alike, id);
    return first === undefined ? [] : [[id, first]];
  };
  const running: Promise<ChunkResult>[] = [];
  let searched = 0;
  let done = 0;
  const settle = async (chunk: Promise<ChunkResult> | undefined) => {
    const result = await chunk;
    for (const [other, probability, contradicted] of result?.records.flatMap(({ pairs }) => pairs) ?? [])
      if (probability >= SURE && contradicted === 0) sure.add(other);
    searched += result?.searched ?? 0;
  };
  try {
    for await (const page of pages) {
      const known = await records.get(page.map(({ id }) => id));
      for (const listings of chunksOf(page, CHUNK)) {
        signal.throwIfAborted();
        if (running.length === LAG) await settle(running.shift());
        await running.at(-workers - 1);
        const chunk = listings.map(({ id }) => id);
        const alike = new Map(listings.flatMap(withFirst));
        const stored = chunk.flatMap((id) => known.get(id) ?? []).filter((one) => one.compared_by === run.id);
        const compared = new Set(stored.map(({ id }) => id));
        const open = chunk.filter((id) => !compared.has(id));
        const skipped = new Set(open.filter((id) => sure.has(id)));
        const promise = compareChunk(linkRun, { open, skipped, alike, stored, known }, compare);
        // The promise is awaited later, so this handler only prevents an unhandled rejection until then.
        promise.catch(() => undefined);
        running.push(promise);
        done += chunk.length;
        onProgress(done);
      }
    }
    while (running.length > 0) await settle(running.shift());
    return searched;
  } finally {
    // Nothing may be written after the run has ended and released its lease.
    await Promise.allSettled(running);
  }
}

interface Chunk {
  open: readonly number[];
  /** The listings that another listing of the run surely matched. No candidates are searched for them. */
  skipped: ReadonlySet<number>;
  /** For each listing by id, the first one of the run to which it is near-identical. */
  alike: ReadonlyMap<number, number>;
  /** The records of listings that the run compared before it was interrupted. */
  stored: readonly LinkRecord[];
  known: ReadonlyMap<number, LinkRecord>;
}

interface ChunkResult {
  searched: number;
  records: readonly ComparedRecord[];
}

async function compareChunk(
  linkRun: LinkRun,
  { open, skipped, alike, stored, known }: Chunk,
  compare: Comparer,
): Promise<ChunkResult> {
  if (open.length === 0) return { searched: 0, records: stored };
  const { es, alias, records, run, retry } = linkRun;
  const ids = [...new Set([...open, ...open.flatMap((id) => alike.get(id) ?? [])])];
  const read = await retry(() => getStoredListings(es, alias, ids, CANDIDATE_FIELDS));
  const found = new Map(read.flatMap((listing) => (listing === null ? [] : [[listing.id, listing]])));
  const listings = open.flatMap((id) => found.get(id) ?? []);
  // A listing may have changed since its page was read, so it may no longer be identical to the first one.
  const alikePairs = ({ id, internal }: StoredListing): ComparedRecord['pairs'] => {
    const first = found.get(alike.get(id) ?? NaN);
    return first === undefined || first.internal.alike !== internal.alike ? [] : [alikePair(first.id)];
  };
  const wanted = listings.filter((one) => !skipped.has(one.id) && alikePairs(one).length === 0);
  const scoring = { rates: linkRun.rates, model: await linkRun.model() };
  const pairsOfWanted = await retry(() => pairsOf(linkRun, { listings: wanted, ...scoring }, compare));
  const pairsById = new Map(wanted.map(({ id }, at) => [id, pairsOfWanted[at]]));
  const compared = listings.map((listing): ComparedRecord => {
    const content = contentOf(listing);
    const before = known.get(listing.id);
    const pairs = pairsById.get(listing.id) ?? alikePairs(listing);
    const near = pairs.filter(([, probability]) => probability >= MATCH_THRESHOLD).map(([id]) => id);
    const changed_by = before?.content === content ? before.changed_by : run.id;
    return { id: listing.id, content, compared_by: run.id, changed_by, pairs, near };
  });
  await records.save(compared);
  return { searched: wanted.length, records: [...stored, ...compared] };
}

async function pairsOf(
  { es, alias }: LinkRun,
  compared: Omit<ComparisonRequest, 'responses'>,
  compare: Comparer,
): Promise<ComparedRecord['pairs'][]> {
  if (compared.listings.length === 0) return [];
  const search = (bodies: Search[]) => searchAllBytes(es, alias, bodies);
  const first = await search(candidateSearches(compared.listings));
  const { pairs } = await answerInRounds(first, (responses) => compare({ ...compared, responses }), search);
  return pairs;
}

/** Returns a hash of everything in a listing that identifies the product. It does not change with the price. */
export function contentOf({ name, brand, description, metadata, internal }: StoredListing): string {
  const content = JSON.stringify([name, brand, description, metadata, internal.gtins]);
  return hash('sha256', content, 'base64').slice(0, 22);
}
