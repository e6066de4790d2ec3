import type { Client, estypes } from '@elastic/elasticsearch';
import { ensureIndex } from '../../engine/indices.js';
import { searchAll } from '../../engine/multi-search.js';
import { parseQueryText } from '../../engine/queries/query-text.js';
import { textSelection } from '../../engine/queries/search.js';
import {
  type CountedEvents,
  distinctValuesRequest,
  MIN_PEOPLE,
  mostUsedRequest,
  type TrendingListing,
} from '../../engine/queries/trending.js';
import { type StoredTrends, TRENDS_ID } from './list-trending.js';
import { chunksOf } from '../../platform/chunks.js';
import { roundTo } from '../../text/statistics.js';
import { storedIndex } from '../../platform/stored.js';

interface MeasureOptions {
  es: Client;
  requests: string;
  products: string;
  indexPrefix: string;
  now: Date;
  signal?: AbortSignal | undefined;
}

const WINDOW_MS = 7 * 86_400_000;
const MAX_TRENDING = 1_000;
/** Counting the distinct visitors of one term takes up to 8 kB in the engine. */
const TERMS_PER_REQUEST = 5_000;
/** The most frequent texts count; each is searched again for the listings of today. */
const MAX_TEXTS = 100;
const TEXTS_PER_REQUEST = 20;
const LISTINGS_PER_TEXT = 10;

/**
 * Measures which listings were clicked and searched for in the last seven days, and replaces the stored trends. The score is the number
 * of visitors who followed the link, from three on, plus, for each text of three or more developers, their number divided by its rank.
 */
export async function measureTrends(options: MeasureOptions): Promise<number> {
  const { es, indexPrefix, now } = options;
  const scores = new Map<number, number>();
  const add = (id: number, score: number) => scores.set(id, (scores.get(id) ?? 0) + score);
  for (const { key, people } of await mostPopular(options, 'clicks', MAX_TRENDING)) add(Number(key), people);
  const texts = await mostPopular(options, 'searches', MAX_TEXTS);
  const results = await firstResults(
    options,
    texts.map(({ key }) => String(key)),
  );
  texts.forEach(({ people }, i) => {
    results[i]?.forEach((id, rank) => add(id, people / (rank + 1)));
  });
  const listings = [...scores]
    .map(([id, score]): TrendingListing => ({ id, score: roundTo(3, score) }))
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, MAX_TRENDING);
  await ensureIndex(es, indexPrefix, 'trends', {}, { hidden: true });
  const document: StoredTrends = { measured_at: now.toISOString(), listings };
  await es.index({ index: storedIndex(indexPrefix, 'trends'), id: TRENDS_ID, document });
  return listings.length;
}

interface Popular {
  key: string | number;
  people: number;
}

interface Popularity {
  different: { value: number };
  most: { buckets: { key: string | number; askers: { value: number } }[] };
}

async function mostPopular(
  { es, requests, now, signal }: MeasureOptions,
  counted: CountedEvents,
  size: number,
): Promise<Popular[]> {
  const since = new Date(now.getTime() - WINDOW_MS);
  const aggregate = async (body: estypes.SearchSearchRequestBody): Promise<Partial<Popularity>> => {
    signal?.throwIfAborted();
    const { aggregations } = await es.search<unknown, Popularity>({
      index: requests,
      ignore_unavailable: true,
      allow_no_indices: true,
      allow_partial_search_results: false,
      ...body,
    });
    return aggregations ?? {};
  };
  const { different } = await aggregate(distinctValuesRequest(counted, since));
  const partitions = Math.ceil((different?.value ?? 0) / TERMS_PER_REQUEST);
  let most: Popular[] = [];
  for (let partition = 0; partition < partitions; partition += 1) {
    const part = { partition, num_partitions: partitions };
    const answer = await aggregate(mostUsedRequest(counted, since, { part, size }));
    const found = (answer.most?.buckets ?? []).map(({ key, askers }) => ({ key, people: askers.value }));
    most = [...most, ...found.filter(({ people }) => people >= MIN_PEOPLE)]
      .sort((a, b) => b.people - a.people || (a.key < b.key ? -1 : 1))
      .slice(0, size);
  }
  return most;
}

/** Returns, for each text, the ids of the first listings that contain all of its words, in the order of a search. */
async function firstResults({ es, products, signal }: MeasureOptions, texts: readonly string[]) {
  const results: number[][] = [];
  for (const chunk of chunksOf(texts, TEXTS_PER_REQUEST)) {
    signal?.throwIfAborted();
    const searches = chunk.map((text) => {
      const { query, sort } = textSelection(parseQueryText(text), { filter: [], match: 'all' });
      return { query, sort, size: LISTINGS_PER_TEXT, track_total_hits: false, _source: ['id'] };
    });
    for (const { hits } of await searchAll<{ id: number }>(es, products, searches))
      results.push((hits?.hits ?? []).flatMap(({ _source }) => _source?.id ?? []));
  }
  return results;
}
