import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@elastic/elasticsearch';
import { sendOperations } from '../../engine/listing-store.js';
import { Backoff } from '../../engine/backoff.js';
import { basisOf, flagsOf, ownReasons } from '../../listing/flags.js';
import type { Judgement, Reasons } from '../../listing/judgement.js';
import type { StoredListing } from '../../listing/listing.js';
import type { ExchangeRates } from '../../listing/rates/convert.js';
import { type Flag, FLAG_NAMES } from '../../schemas/flags.js';
import { conflictReason } from './gtins.js';
import { type Look, lookAround, type Said } from './look.js';
import { relatedTo, type Written } from './related.js';
import { judgePrices } from './prices.js';
import { type Read, suspects } from './suspects.js';

export interface Judging {
  es: Client;
  /** The alias of the product index, of today's schema. */
  products: string;
  rates: ExchangeRates;
}

export interface PassOptions extends Judging {
  /** Ends it after the page that is under way; what is done is kept. */
  signal?: AbortSignal | undefined;
  /** Told how many listings were looked at closely. */
  onProgress?: (listings: number) => void;
  onWait?: (note: string) => void;
}

export interface Passed {
  listings: number;
  /** How many have each flag. */
  flags: Partial<Record<Flag, number>>;
  flagged: number;
  /** How many are judged otherwise than before. */
  changed: number;
  /** Left for the next run: somebody changed them meanwhile. */
  left: number;
}

const GIVE_UP_AFTER_MS = 600_000;

/**
 * Judges listings by what others say: the offers of a product of each other's prices, a source of its small ones, those
 * with its GTIN of its brand, its source's of its name and price. The engine finds what may have to be judged otherwise,
 * and nothing else is read. May be stopped or killed at any time and run again.
 */
export async function judgeListings(options: PassOptions): Promise<Passed> {
  const { es, products, rates, signal, onProgress, onWait } = options;
  const backoff = new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS, onWait, signal });
  const look = { es, products, backoff };
  await es.indices.refresh({ index: products });
  const said = await lookAround(look);
  const written = await judgeSuspects(suspects(look, said), { look, said, rates, signal, onProgress });
  await es.indices.refresh({ index: products });
  return { ...written, ...(await countFlags(look)) };
}

/**
 * Judges some listings in the same way, and those that share a GTIN, a name and price, a small price or a product with
 * them.
 * @param written their values now and before they changed; the index must have been refreshed since.
 */
export async function judgeWritten(
  written: readonly Written[],
  { es, products, rates, backoff }: Judging & { backoff: Backoff },
): Promise<void> {
  const { alone, related } = await relatedTo(written, { es, products, backoff });
  const look = { es, products, backoff, related };
  const said = await lookAround(look);
  await judgeSuspects(suspects(look, said, [alone]), { look, said, rates });
}

async function judgeSuspects(
  found: AsyncIterable<Read[][]>,
  {
    look,
    said,
    rates,
    signal,
    onProgress,
  }: { look: Look; said: Said } & Pick<PassOptions, 'rates' | 'signal' | 'onProgress'>,
): Promise<Pick<Passed, 'changed' | 'left'>> {
  const judged = new Set<string>();
  const written = { changed: 0, left: 0 };
  for await (const groups of found) {
    if (signal?.aborted) break;
    // Those of a group come first, and with it.
    const open = groups.filter(([first]) => first !== undefined && !judged.has(first.at._id));
    const updates = open.flatMap((group) => judgeGroup(group, said, rates));
    for (const { at } of open.flat()) judged.add(at._id);
    await write(updates, look, written);
    onProgress?.(judged.size);
  }
  return written;
}

/** @returns the updates of those that are judged otherwise than before. */
function judgeGroup(group: readonly Read[], said: Said, rates: ExchangeRates): string[] {
  const shared = group.map(({ listing: { source, internal } }) =>
    said.shared.reason(source, internal.price_units),
  );
  const prices = judgePrices(
    group.map(({ listing }, i) => ({
      source: listing.source,
      units: listing.internal.price_units,
      currency: listing.currency,
      isPlaceholder:
        { ...ownReasons(listing, listing.internal), ...shared[i] }.price_placeholder !== undefined,
    })),
    rates,
  );
  return group.flatMap(({ listing, at }, i) => {
    const reasons = { ...prices[i], ...shared[i], ...othersReasons(listing, said) };
    const judged: Judgement | null =
      Object.keys(reasons).length === 0 ? null : { basis: basisOf(listing, listing.internal), reasons };
    const flags = flagsOf(listing, { ...listing.internal, judged });
    const { judged: before = null, flags: had } = listing.internal;
    // The engine gives the members of an object in an order of its own.
    if (isDeepStrictEqual({ judged, flags }, { judged: before, flags: had })) return [];
    const { _index, _id, _seq_no, _primary_term } = at;
    const update = { _index, require_alias: false, _id, if_seq_no: _seq_no, if_primary_term: _primary_term };
    // Whole, since a partial update would keep the reasons that no longer hold.
    const script = { source: REPLACE, params: { judged, flags } };
    return [`${JSON.stringify({ update })}\n${JSON.stringify({ script })}`];
  });
}

const REPLACE = 'ctx._source.internal.judged = params.judged; ctx._source.internal.flags = params.flags';

function othersReasons({ source, internal }: StoredListing, { contested, twins }: Said): Reasons {
  const { gtins, brand = null, twin = null } = internal;
  const conflicts = gtins.flatMap((gtin) => {
    const brands = contested.get(gtin);
    return brands === undefined ? [] : [conflictReason(brands, brand)];
  });
  const alike = twin === null ? undefined : twins.get(twin);
  return {
    ...Object.assign({}, ...conflicts.toReversed()),
    ...(alike === undefined
      ? {}
      : { duplicate: `one of ${alike} listings of ${source} with this name and price` }),
  };
}

async function write(
  updates: readonly string[],
  { es, products, backoff }: Look,
  written: Pick<Passed, 'changed' | 'left'>,
): Promise<void> {
  if (updates.length === 0) return;
  for (const { error, status } of await sendOperations(es, products, updates, backoff)) {
    if (error === undefined) written.changed += 1;
    // Changed, moved to another index, or in one that takes no writes for now.
    else if (status === 409 || status === 404 || status === 403) written.left += 1;
    else throw new Error(`The engine refused a flag: ${error.type}: ${error.reason ?? ''}`);
  }
}

async function countFlags({ es, products }: Look): Promise<Pick<Passed, 'listings' | 'flagged' | 'flags'>> {
  const answer = await es.search<
    unknown,
    { flagged: { doc_count: number }; flags: { buckets: { key: Flag; doc_count: number }[] } }
  >({
    index: products,
    size: 0,
    track_total_hits: true,
    filter_path: ['hits.total', 'aggregations'],
    aggs: {
      flagged: { filter: { exists: { field: 'internal.flags' } } },
      flags: { terms: { field: 'internal.flags', size: FLAG_NAMES.length } },
    },
  });
  const total = answer.hits.total;
  const flags = (answer.aggregations?.flags.buckets ?? []).map(({ key, doc_count }) => [key, doc_count]);
  return {
    listings: typeof total === 'number' ? total : (total?.value ?? 0),
    flagged: answer.aggregations?.flagged.doc_count ?? 0,
    flags: Object.fromEntries(flags) as Passed['flags'],
  };
}
