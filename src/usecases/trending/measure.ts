import type { Client, estypes } from '@elastic/elasticsearch';
import { SERVICE } from '../../engine/indices.js';
import { TRENDS_ID } from './find-trending.js';
import { EngineUnavailableError } from '../../engine/unavailable.js';
import { textSelections } from '../../engine/queries/by-text.js';
import { type Counted, differentRequest, FEWEST, mostAskedRequest } from '../../engine/queries/trending.js';
import { MOST_TRENDING, type StoredTrends, type TrendingListing } from '../../schemas/trends.js';

/** What is counted, and where. */
export interface Measuring {
  es: Client;
  /** Where requests are recorded. */
  requests: string;
  /** The alias of the product index. */
  products: string;
  /** Where what was found is kept. */
  trends: string;
  now: Date;
  signal?: AbortSignal | undefined;
}

const WINDOW_MS = 7 * 86_400_000;
/** Different things that are counted at once: to tell the visitors of each apart takes 8 kB at most. */
const A_PART = 5_000;
/** The most searched, each of which is searched again to see what it finds today. */
const TEXTS = 100;
const AT_ONCE = 20;
/** Listings that a search moves: the first ones, each by its place. */
const FOUND = 10;

/**
 * Counts which listings moved in the last seven days, and keeps that in the place of what was kept before. Of a listing
 * each visitor counts once, who followed its link to the shop, where three or more did; of a text that three developers or
 * more searched for, each developer counts for the listings that it finds: a whole for the first, a half for the second,
 * and so on.
 * So it is people that count and not how often they ask, and what one or two do alone shows nowhere.
 * @returns how many listings move.
 */
export async function measureTrends(measuring: Measuring): Promise<number> {
  const { es, trends, now } = measuring;
  const scores = new Map<number, number>();
  const add = (id: number, score: number) => scores.set(id, (scores.get(id) ?? 0) + score);
  for (const { key, askers } of await mostAsked(measuring, 'clicks', MOST_TRENDING)) add(Number(key), askers);
  const texts = await mostAsked(measuring, 'searches', TEXTS);
  const found = await firstFound(
    measuring,
    texts.map(({ key }) => String(key)),
  );
  texts.forEach(({ askers }, at) => {
    found[at]?.forEach((id, place) => add(id, askers / (place + 1)));
  });
  const listings = [...scores]
    .map(([id, score]): TrendingListing => ({ id, score: Math.round(score * 1_000) / 1_000 }))
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, MOST_TRENDING);
  await ensureTrends(es, trends);
  const document: StoredTrends = { measured_at: now.toISOString(), listings };
  await es.index({ index: trends, id: TRENDS_ID, document });
  return listings.length;
}

interface Asked {
  key: string | number;
  askers: number;
}

/** What most visitors, or developers, asked for: the most first. */
async function mostAsked(
  { es, requests, now, signal }: Measuring,
  counted: Counted,
  size: number,
): Promise<Asked[]> {
  const since = new Date(now.getTime() - WINDOW_MS);
  const ask = async <T>(body: estypes.SearchSearchRequestBody): Promise<T | undefined> => {
    signal?.throwIfAborted();
    const place = { index: requests, ignore_unavailable: true, allow_no_indices: true };
    const { aggregations } = await es.search<unknown, T>({
      ...place,
      ...body,
      allow_partial_search_results: false,
    });
    return aggregations;
  };
  const different = await ask<{ different?: { value: number } }>(differentRequest(counted, since));
  const parts = Math.ceil((different?.different?.value ?? 0) / A_PART);
  let most: Asked[] = [];
  for (let partition = 0; partition < parts; partition += 1) {
    const part = { partition, num_partitions: parts };
    const answer = await ask<{ most: { buckets: { key: string | number; askers: { value: number } }[] } }>(
      mostAskedRequest(counted, since, { part, size }),
    );
    const asked = (answer?.most.buckets ?? []).map(({ key, askers }) => ({ key, askers: askers.value }));
    most = [...most, ...asked.filter(({ askers }) => askers >= FEWEST)]
      .sort((a, b) => b.askers - a.askers || (a.key < b.key ? -1 : 1))
      .slice(0, size);
  }
  return most;
}

/** The first listings that have all words of each text, as a search for these does. */
async function firstFound(
  { es, products, signal }: Measuring,
  texts: readonly string[],
): Promise<number[][]> {
  const found: number[][] = [];
  for (let at = 0; at < texts.length; at += AT_ONCE) {
    signal?.throwIfAborted();
    const { responses } = await es.msearch<{ id: number }>({
      index: products,
      searches: texts.slice(at, at + AT_ONCE).flatMap((text): estypes.MsearchRequestItem[] => {
        const { query, sort } = textSelections(text, { filter: [], match: 'all' }).typed;
        const what = { query, sort, size: FOUND, track_total_hits: false, _source: ['id'] };
        return [{ allow_partial_search_results: false }, what];
      }),
      max_concurrent_searches: 1,
    });
    for (const answer of responses) {
      if ('error' in answer) throw new EngineUnavailableError(answer.error.type, { cause: answer.error });
      found.push(answer.hits.hits.flatMap(({ _source }) => _source?.id ?? []));
    }
  }
  return found;
}

/** Nothing of it is searched for. */
async function ensureTrends(es: Client, index: string): Promise<void> {
  await es.indices.create(
    {
      index,
      settings: { number_of_shards: 1, auto_expand_replicas: '0-1', hidden: true },
      mappings: { dynamic: false, _meta: { service: SERVICE } },
    },
    // It exists already, as a rule.
    { ignore: [400] },
  );
}
