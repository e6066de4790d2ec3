import { hash } from 'node:crypto';
import { type FoundCandidates, toCandidate } from '../../matching/stored-matches.js';
import { findCandidates } from '../shared/matcher/find-matches.js';
import { getStoredListings } from '../../engine/documents.js';
import type { StoredListing } from '../../listing/listing.js';
import { compareAll, isContradicted } from '../../matching/evidence.js';
import { MATCH_THRESHOLD, scoreComparisons } from '../../matching/match.js';
import type { ExchangeRates } from '../../listing/rates.js';
import type { Model } from '../../matching/model.js';
import type { ComparedRecord, LinkRecord } from './records.js';
import type { LinkRun } from './run.js';

/** The number of listings whose matching candidates are searched for in one request. */
const CHUNK = 20;
/**
 * If a listing matches another listing of the run with at least this probability, no candidates are
 * searched for it. On the sample this skips every second listing and costs no F1 (0.979).
 */
const SURE = 0.9;

/** The fields of a listing that are needed to compare it with others. */
const FIELDS = [
  'id',
  'source',
  'merchant_id',
  'name',
  'brand',
  'description',
  'metadata',
  'price',
  'currency',
  'internal.gtins',
  'internal.models',
];

/**
 * Compares listings with the candidates that Elasticsearch finds for each, as the compare endpoint does,
 * and stores the pairs. While Elasticsearch searches for the candidates of a chunk, the previous chunk
 * is compared; so a chunk knows the results of all chunks but the previous one. A run that was killed
 * and continues makes the same decisions again.
 * @param pages ids of the listings in ascending order, which must be the same when the run continues.
 * @returns the number of listings whose candidates were searched for.
 */
export async function compareAndStore(
  linkRun: LinkRun,
  pages: AsyncIterable<number[]>,
  onProgress: (done: number) => void,
): Promise<number> {
  const { records, run, signal } = linkRun;
  const sure = new Set<number>();
  let searched = 0;
  let done = 0;
  let before: Promise<ComparedRecord[]> = Promise.resolve([]);
  const settle = async () => {
    for (const { pairs } of await before) {
      for (const [other, probability, contradicted] of pairs)
        if (probability >= SURE && contradicted === 0) sure.add(other);
    }
  };
  for await (const ids of pages) {
    const known = await records.get(ids);
    for (let at = 0; at < ids.length; at += CHUNK) {
      signal.throwIfAborted();
      const chunk = ids.slice(at, at + CHUNK);
      const stored = chunk.flatMap((id) => known.get(id) ?? []).filter((one) => one.compared_by === run.id);
      const found = await findFor(linkRun, chunk, stored, sure);
      await settle();
      before = store(linkRun, found, known, stored);
      // The promise is awaited later. This handler only prevents an unhandled rejection until then.
      before.catch(() => undefined);
      searched += found.searched.length;
      done += chunk.length;
      onProgress(done);
    }
  }
  await settle();
  return searched;
}

interface FoundForChunk {
  searched: { listing: StoredListing; found: FoundCandidates }[];
  /**
   * Listings for which no candidates were searched, because they were matched by another listing of the run.
   */
  skipped: StoredListing[];
}

async function findFor(
  { es, alias, retry }: LinkRun,
  chunk: readonly number[],
  stored: readonly LinkRecord[],
  sure: ReadonlySet<number>,
): Promise<FoundForChunk> {
  const done = new Set(stored.map(({ id }) => id));
  const open = chunk.filter((id) => !done.has(id));
  if (open.length === 0) return { searched: [], skipped: [] };
  const read = await retry(() => getStoredListings(es, alias, open, FIELDS));
  const listings = read.filter((listing) => listing !== null);
  const wanted = listings.filter(({ id }) => !sure.has(id));
  const found =
    wanted.length === 0
      ? []
      : await retry(() => findCandidates(es, alias, wanted, { includeSameSource: true }));
  return {
    searched: wanted.map((listing, at) => ({
      listing,
      found: found[at] ?? { candidates: [], siblings: [] },
    })),
    skipped: listings.filter(({ id }) => sure.has(id)),
  };
}

/**
 * Compares the listings of a chunk with their candidates and stores the pairs.
 * @returns the results of the chunk, from this process or from an earlier one that was ended.
 */
async function store(
  { records, run, rates, model: readModel }: LinkRun,
  { searched, skipped }: FoundForChunk,
  known: ReadonlyMap<number, LinkRecord>,
  stored: readonly LinkRecord[],
): Promise<ComparedRecord[]> {
  // Yields to the event loop, so that the request for the next chunk is sent before this chunk is compared.
  await new Promise(setImmediate);
  const model = await readModel();
  const compared = [
    ...searched.map(({ listing, found }) => ({ listing, pairs: pairsOf(listing, found, rates, model) })),
    ...skipped.map((listing) => ({ listing, pairs: [] })),
  ].map(({ listing, pairs }): ComparedRecord => {
    const content = contentOf(listing);
    const before = known.get(listing.id);
    const near = pairs.filter(([, probability]) => probability >= MATCH_THRESHOLD).map(([id]) => id);
    const changed_by = before?.content === content ? before.changed_by : run.id;
    return { id: listing.id, content, compared_by: run.id, changed_by, pairs, near };
  });
  await records.saveCompared(compared);
  return [...stored, ...compared];
}

function pairsOf(
  listing: StoredListing,
  { candidates, siblings }: FoundCandidates,
  rates: ExchangeRates,
  model: Model,
): ComparedRecord['pairs'] {
  const comparable = (one: StoredListing) => toCandidate(one, listing.currency, rates);
  const comparisons = compareAll(comparable(listing), candidates.map(comparable), siblings.map(comparable));
  return scoreComparisons(comparisons, model).map(({ score }, at) => {
    const features = comparisons.features[at];
    return [candidates[at]?.id ?? 0, score, features !== undefined && isContradicted(features) ? 1 : 0];
  });
}

/**
 * Returns a hash of everything in a listing that identifies the product. It does not change with the
 * price.
 */
export function contentOf({ name, brand, description, metadata, internal }: StoredListing): string {
  const content = JSON.stringify([name, brand, description, metadata, internal.gtins]);
  return hash('sha256', content, 'base64').slice(0, 22);
}
