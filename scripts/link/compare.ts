import { hash } from 'node:crypto';
import { type FoundCandidates, toCandidate } from '../../src/matching/comparison.js';
import { findCandidates } from '../../src/usecases/shared/find-matches.js';
import { getStoredListings } from '../../src/engine/documents.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { compareAll, isContradicted } from '../../src/matching/evidence.js';
import { decide, MATCH_THRESHOLD } from '../../src/matching/match.js';
import type { ExchangeRates } from '../../src/listing/rates/convert.js';
import type { Compared, LinkRecord } from './records.js';
import type { Work } from './work.js';

/** Listings that are looked up in one request. */
const CHUNK = 20;
/**
 * A listing that another one of the run is so surely the same as is not looked up itself: what is the same as it was
 * found from there. On the sample that is every second listing, and costs no F1 (0.979).
 */
const SURE = 0.9;

/** What comparing reads of a listing. */
const READ = [
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
 * Compares listings with what the engine finds for each, as compare does, and keeps the pairs. While the engine looks
 * for a chunk's candidates, the chunk before is compared; so a chunk knows what those before that one have found. A run
 * that was killed and goes on decides the same again.
 * @param pages ids of the listings, ascending, the same whenever the run begins again.
 * @returns how many were looked up themselves.
 */
export async function compareAndKeep(
  work: Work,
  pages: AsyncIterable<number[]>,
  onProgress: (done: number) => void,
): Promise<number> {
  const { records, run, signal } = work;
  const sure = new Set<number>();
  let looked = 0;
  let done = 0;
  let before: Promise<Compared[]> = Promise.resolve([]);
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
      const kept = chunk.flatMap((id) => known.get(id) ?? []).filter((one) => one.compared_by === run.id);
      const found = await findFor(work, chunk, kept, sure);
      await settle();
      before = keep(work, found, known, kept);
      // Whoever awaits it is told; until then it is no unhandled rejection.
      before.catch(() => undefined);
      looked += found.looked.length;
      done += chunk.length;
      onProgress(done);
    }
  }
  await settle();
  return looked;
}

interface Found {
  looked: { listing: StoredListing; found: FoundCandidates }[];
  passed: StoredListing[];
}

async function findFor(
  { es, alias, retry }: Work,
  chunk: readonly number[],
  kept: readonly LinkRecord[],
  sure: ReadonlySet<number>,
): Promise<Found> {
  const done = new Set(kept.map(({ id }) => id));
  const open = chunk.filter((id) => !done.has(id));
  if (open.length === 0) return { looked: [], passed: [] };
  const read = await retry(() => getStoredListings(es, alias, open, READ));
  const listings = read.filter((listing) => listing !== null);
  const wanted = listings.filter(({ id }) => !sure.has(id));
  const found =
    wanted.length === 0
      ? []
      : await retry(() => findCandidates(es, alias, wanted, { includeSameSource: true }));
  return {
    looked: wanted.map((listing, at) => ({ listing, found: found[at] ?? { candidates: [], siblings: [] } })),
    passed: listings.filter(({ id }) => sure.has(id)),
  };
}

/** @returns what the chunk has found, now or in an earlier run that was ended. */
async function keep(
  { records, run, rates }: Work,
  { looked, passed }: Found,
  known: ReadonlyMap<number, LinkRecord>,
  kept: readonly LinkRecord[],
): Promise<Compared[]> {
  // Lets the request for the next chunk go first.
  await new Promise(setImmediate);
  const compared = [
    ...looked.map(({ listing, found }) => ({ listing, pairs: pairsOf(listing, found, rates) })),
    ...passed.map((listing) => ({ listing, pairs: [] })),
  ].map(({ listing, pairs }): Compared => {
    const content = contentOf(listing);
    const before = known.get(listing.id);
    const near = pairs.filter(([, probability]) => probability >= MATCH_THRESHOLD).map(([id]) => id);
    const changed_by = before?.content === content ? before.changed_by : run.id;
    return { id: listing.id, content, compared_by: run.id, changed_by, pairs, near };
  });
  await records.saveCompared(compared);
  return [...kept, ...compared];
}

function pairsOf(
  listing: StoredListing,
  { candidates, siblings }: FoundCandidates,
  rates: ExchangeRates,
): Compared['pairs'] {
  const comparable = (one: StoredListing) => toCandidate(one, listing.currency, rates);
  const comparisons = compareAll(comparable(listing), candidates.map(comparable), siblings.map(comparable));
  return decide(comparisons).map(({ score }, at) => {
    const features = comparisons.features[at];
    return [candidates[at]?.id ?? 0, score, features !== undefined && isContradicted(features) ? 1 : 0];
  });
}

/** Tells whether a listing says of what it is the same as before; its price is no part of that. */
export function contentOf({ name, brand, description, metadata, internal }: StoredListing): string {
  const said = JSON.stringify([name, brand, description, metadata, internal.gtins]);
  return hash('sha256', said, 'base64').slice(0, 22);
}
