import type { Client, estypes } from '@elastic/elasticsearch';
import { listingId } from '../listing/identify.js';
import { productsAlias } from './indices.js';
import { formatInstant } from '../listing/instant.js';
import type { StoredListing } from '../listing/listing.js';
import { Backoff, type BackoffOptions } from '../elasticsearch/backoff.js';
import { type Versioned, writeListings } from './store.js';

/** The listings that a feed knows, at sixteen bytes each and less. */
export class SeenListings {
  #keys = new Float64Array(1024);
  #size = 0;
  #sorted = true;

  get empty(): boolean {
    return this.#size === 0;
  }

  /** Two listings that share a first id count as one; then an absent one may pass for present, never the reverse. */
  add(source: string, sku: string): void {
    if (this.#size === this.#keys.length) this.#makeRoom();
    this.#keys[this.#size++] = listingId(source, sku, 0);
    this.#sorted = false;
  }

  has(source: string, sku: string): boolean {
    this.#sort();
    const key = listingId(source, sku, 0);
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? 0) < key) low = middle + 1;
      else high = middle;
    }
    return low < this.#size && this.#keys[low] === key;
  }

  #sort(): void {
    if (this.#sorted) return;
    const sorted = this.#keys.subarray(0, this.#size).sort();
    let size = 0;
    for (const key of sorted) {
      // The part behind `size` is still being read, the part before it is done.
      if (size === 0 || sorted[size - 1] !== key) sorted[size++] = key;
    }
    this.#size = size;
    this.#sorted = true;
  }

  #makeRoom(): void {
    this.#sort();
    if (this.#size < this.#keys.length / 2) return;
    const grown = new Float64Array(2 * this.#keys.length);
    grown.set(this.#keys.subarray(0, this.#size));
    this.#keys = grown;
  }
}

export interface CompleteOptions extends BackoffOptions {
  es: Client;
  indexPrefix: string;
  source: string;
  /** Every listing of the source's complete feed. */
  seen: SeenListings;
  now: () => Date;
  /** Only count them. */
  dryRun?: boolean;
}

const PAGE = 1_000;
const MAX_PASSES = 20;

/**
 * Marks the listings of a source that its complete feed does not know as unavailable. Repeating it changes nothing;
 * a listing that another load writes meanwhile is looked at again.
 * @returns how many listings changed.
 */
export async function markAbsent(options: CompleteOptions): Promise<number> {
  const backoff = new Backoff(options);
  let marked = 0;
  let passes = 0;
  while (passes < MAX_PASSES) {
    const pass = await markPass(options, backoff);
    marked += pass.marked;
    if (pass.conflicts + pass.blocked === 0) return marked;
    if (pass.blocked === 0) passes += 1;
  }
  throw new Error('Other loads keep changing the listings that are absent from this feed.');
}

async function markPass(
  options: CompleteOptions,
  backoff: Backoff,
): Promise<{ marked: number; conflicts: number; blocked: number }> {
  const { es, indexPrefix, seen, source, now, dryRun = false } = options;
  const index = productsAlias(indexPrefix);
  if (!dryRun) await backoff.retry(() => es.indices.refresh({ index }));
  const done = { marked: 0, conflicts: 0, blocked: 0 };
  let after: estypes.SortResults | undefined;
  do {
    const { hits } = (
      await backoff.retry(() =>
        es.search<StoredListing>({
          ...{
            index,
            ignore_unavailable: true,
            size: PAGE,
            sort: [{ id: 'asc' }],
            track_total_hits: false,
            seq_no_primary_term: true,
          },
          query: { bool: { filter: { term: { source } }, must_not: { term: { is_available: false } } } },
          ...(after === undefined ? {} : { search_after: after }),
        }),
      )
    ).hits;
    after = hits.at(-1)?.sort;
    const updated_at = formatInstant(now().getTime());
    const absent = hits.map(toVersioned).filter(({ listing: { sku } }) => !seen.has(source, sku));
    if (dryRun) {
      done.marked += absent.length;
      backoff.reset();
      continue;
    }
    const writes = absent.map(({ listing, ...over }) => ({
      listing: { ...listing, is_available: false, updated_at },
      over,
    }));
    for (const result of await writeListings(es, index, writes, backoff)) {
      if (result === 'written') done.marked += 1;
      else if (result === 'conflict') done.conflicts += 1;
      else if (result === 'blocked') done.blocked += 1;
      else throw new Error(`A listing could not be marked unavailable: ${result.rejected}`);
    }
    if (done.blocked === 0) backoff.reset();
  } while (after !== undefined);
  if (done.marked > 0 && !dryRun) await backoff.retry(() => es.indices.refresh({ index }));
  return done;
}

function toVersioned(hit: estypes.SearchHit<StoredListing>): Versioned {
  if (hit._source === undefined) throw new Error('a listing without its source');
  const { _index: index, _source: listing, _seq_no: seqNo = 0, _primary_term: primaryTerm = 0 } = hit;
  return { index, listing, seqNo, primaryTerm };
}
