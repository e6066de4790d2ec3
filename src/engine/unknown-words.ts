import type { Client, estypes } from '@elastic/elasticsearch';
import { COUNTS, type SearchTarget } from './queries/selection.js';
import { unknownWords } from './queries/spelling.js';

type Suggest = estypes.SearchResponse['suggest'];

/**
 * Removes the suggestions for words that some listing has: with several shards, Elasticsearch corrects a word that one shard lacks.
 * @param isSplit whether the index has several shards; by default, every suggestion is checked.
 */
export async function withoutKnownWords(
  es: Client,
  target: SearchTarget,
  suggest: Suggest,
  isSplit: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<Suggest> {
  const { words, aggs, without } = unknownWords(suggest);
  if (words.length === 0 || !(await isSplit())) return suggest;
  const { aggregations } = await es.search({ ...target, ...COUNTS, aggs });
  return without(aggregations);
}
