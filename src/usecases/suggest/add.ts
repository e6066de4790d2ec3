import type { Client } from '@elastic/elasticsearch';
import { indexedSuggestion } from '../../engine/queries/suggestions.js';
import type { StoredSuggestion } from '../../schemas/suggestion.js';
import { Collected, type ReadListing } from './collect.js';
import { hasSuggestions } from './indices.js';

/**
 * Adds the missing suggestions of some listings to those that were made of the whole catalogue. Their counts include these
 * listings only: a search finds at least as many.
 * @param listings some hundreds at most.
 * @param suggestions the alias; nothing is added while there is no index behind it.
 * @returns how many were added.
 */
export async function addSuggestions(
  es: Client,
  suggestions: string,
  listings: readonly ReadListing[],
): Promise<number> {
  const collected = new Collected();
  for (const listing of listings) collected.add(listing);
  const candidates = [...collected.suggestions()].map(indexedSuggestion);
  if (candidates.length === 0 || !(await hasSuggestions(es, suggestions))) return 0;
  const known = await knownOf(es, suggestions, candidates);
  const added = candidates.filter((candidate) => !known.has(nameOf(candidate)));
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

const nameOf = ({ type, key }: Pick<StoredSuggestion, 'type' | 'key'>): string => `${type} ${key}`;

/** Which of the candidates are suggested already. A key has at most one suggestion of each type. */
async function knownOf(
  es: Client,
  suggestions: string,
  candidates: readonly StoredSuggestion[],
): Promise<Set<string>> {
  const known = new Set<string>();
  for (let at = 0; at < candidates.length; at += KEYS_AT_ONCE) {
    const keys = new Set(candidates.slice(at, at + KEYS_AT_ONCE).map(({ key }) => key));
    const { hits } = await es.search<StoredSuggestion>({
      index: suggestions,
      query: { bool: { filter: { terms: { key: [...keys] } } } },
      size: 10_000,
      _source: ['type', 'key'],
      track_total_hits: false,
      allow_partial_search_results: false,
    });
    for (const { _source } of hits.hits) if (_source !== undefined) known.add(nameOf(_source));
  }
  return known;
}

const KEYS_AT_ONCE = 1_000;
