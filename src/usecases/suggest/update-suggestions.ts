import type { Client, estypes } from '@elastic/elasticsearch';
import { indexedSuggestion } from '../../engine/queries/suggestions.js';
import type { StoredSuggestion } from '../../schemas/suggestion.js';
import { blockedBy } from './blocked.js';
import { SuggestionCollector, type SuggestionSource } from './collect.js';
import { chunksOf } from '../../platform/chunks.js';

/**
 * Adds the suggestions of newly written listings that the index of suggestions lacks. Their counts cover only
 * these listings, so a search finds at least as many.
 * @param suggestions the alias of the suggestions. If no index has it, nothing is added.
 * @param listings a few hundred at most.
 * @param blocked from `readBlocked`.
 * @returns the number of suggestions that were added.
 */
export async function addSuggestions(
  es: Client,
  suggestions: string,
  listings: readonly SuggestionSource[],
  blocked: readonly string[] = [],
): Promise<number> {
  const collector = new SuggestionCollector();
  for (const listing of listings) collector.add(listing);
  const isBlocked = blockedBy(blocked);
  const found = [...collector.suggestions()].filter(({ text }) => !isBlocked(text));
  const fields = found.length === 0 ? null : await fieldsOf(es, suggestions);
  if (fields === null) return 0;
  // Whether others state it as well is found out by the next build.
  const candidates = found.map((one) =>
    indexedSuggestion({ ...one, alone: fields.has('alone') ? true : undefined }),
  );
  const existing = await existingOf(es, suggestions, candidates);
  const added = candidates.filter((candidate) => !existing.has(identityOf(candidate)));
  if (added.length === 0) return 0;
  const { items } = await es.bulk({
    index: suggestions,
    require_alias: true,
    refresh: true,
    operations: added.flatMap((suggestion) => [{ index: {} }, suggestion]),
  });
  const refused = items.find(({ index }) => index?.error !== undefined)?.index?.error;
  if (refused) throw new Error(`The engine refused a suggestion: ${refused.type}: ${refused.reason ?? ''}`);
  return added.length;
}

/** The fields of the index of suggestions; null if there is none. An index of an earlier version has fewer fields. */
async function fieldsOf(es: Client, alias: string): Promise<Set<string> | null> {
  const answer = await es.indices.getMapping({ index: alias }, { ignore: [404] });
  const [state] = Object.values(answer) as Partial<estypes.IndicesGetMappingIndexMappingRecord>[];
  return state?.mappings === undefined ? null : new Set(Object.keys(state.mappings.properties ?? {}));
}

const identityOf = ({ type, key }: Pick<StoredSuggestion, 'type' | 'key'>): string => `${type} ${key}`;

const KEYS_PER_REQUEST = 1_000;

async function existingOf(
  es: Client,
  suggestions: string,
  candidates: readonly StoredSuggestion[],
): Promise<Set<string>> {
  const existing = new Set<string>();
  for (const chunk of chunksOf(candidates, KEYS_PER_REQUEST)) {
    const keys = new Set(chunk.map(({ key }) => key));
    const { hits } = await es.search<StoredSuggestion>({
      index: suggestions,
      query: { bool: { filter: { terms: { key: [...keys] } } } },
      size: 10_000,
      _source: ['type', 'key'],
      track_total_hits: false,
      allow_partial_search_results: false,
    });
    for (const { _source } of hits.hits) if (_source !== undefined) existing.add(identityOf(_source));
  }
  return existing;
}
