import { randomBytes } from 'node:crypto';
import type { Client, estypes } from '@elastic/elasticsearch';
import { Backoff } from '../../engine/backoff.js';
import { sendOperations } from '../../engine/listing-store.js';
import { indexedSuggestion } from '../../engine/queries/suggestions.js';
import { scanListings } from '../../engine/search-pages.js';
import { shippedJson } from '../../platform/shipped-files.js';
import type { StoredSuggestion } from '../../schemas/suggestion.js';
import { blockedBy, readBlocked } from './blocked.js';
import { SOURCE_FIELDS, SuggestionCollector, type SuggestionSource } from './collect.js';
import { searchedTexts } from './searched-texts.js';
import { storedIndex } from '../../platform/stored.js';

interface BuildOptions {
  es: Client;
  indexPrefix: string;
  products: string;
  /** The data stream or alias of the request events; null if events are not recorded. */
  requests: string | null;
  now: Date;
  signal?: AbortSignal | undefined;
  /** The share of the time in which the build works; it pauses in the rest. */
  share?: number | undefined;
  onProgress?: (soFar: { listings: number; suggestions: number }) => void;
  onWait?: (note: string) => void;
}

const BATCH_SIZE = 1_000;

/** Builds all suggestions in a new index, which replaces the previous one atomically. The next build deletes what a killed one left. */
export async function buildSuggestions(options: BuildOptions) {
  const { es, indexPrefix, products, requests, now, signal, share, onProgress, onWait } = options;
  const backoff = new Backoff({ onWait, signal, share });
  const collector = new SuggestionCollector();
  const summary = { listings: 0, types: {} as Partial<Record<StoredSuggestion['type'], number>> };
  for await (const page of scanListings<SuggestionSource>(es, products, { fields: SOURCE_FIELDS, backoff })) {
    signal?.throwIfAborted();
    for (const listing of page) collector.add(listing);
    summary.listings += page.length;
    onProgress?.({ listings: summary.listings, suggestions: 0 });
  }
  const searched = requests === null ? [] : await searchedTexts(es, { requests, products });
  const isBlocked = blockedBy(await readBlocked(es, indexPrefix));
  const suggestions = [
    ...searched.map((text) => ({ type: 'query' as const, alone: false, ...text })),
    ...collector.suggestions(),
  ].filter(({ text }) => !isBlocked(text));
  for (const { type } of suggestions) summary.types[type] = (summary.types[type] ?? 0) + 1;

  const alias = storedIndex(indexPrefix, 'suggestions');
  const index = `${alias}-${now.getTime()}-${randomBytes(2).toString('hex')}`;
  await es.indices.create({ index, ...SUGGESTIONS_INDEX });
  try {
    // `require_alias` has to be off, because the alias does not include the new index yet.
    const action = `{"index":{"_index":"${index}","require_alias":false}}`;
    for (let start = 0; start < suggestions.length; start += BATCH_SIZE) {
      signal?.throwIfAborted();
      const operations = suggestions
        .slice(start, start + BATCH_SIZE)
        .map((suggestion) => `${action}\n${JSON.stringify(indexedSuggestion(suggestion))}`);
      const answers = await sendOperations(es, index, operations, backoff);
      const refused = answers.find(({ error }) => error !== undefined)?.error;
      if (refused)
        throw new Error(`The engine refused a suggestion: ${refused.type}: ${refused.reason ?? ''}`);
      onProgress?.({ listings: summary.listings, suggestions: start + operations.length });
    }
    await publishIndex(es, alias, index, now);
  } catch (error) {
    // If this deletion fails as well, the next build deletes the index.
    await es.indices.delete({ index }, { ignore: [404] }).catch(() => undefined);
    throw error;
  }
  return summary;
}

export const hasSuggestions = (es: Client, alias: string): Promise<boolean> =>
  es.indices.existsAlias({ name: alias });

const SUGGESTIONS_INDEX = shippedJson('mappings/suggestions.json') as {
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
};

/** An index of suggestions without an alias that is older than this time in ms is left over from a failed build. */
const ABANDONED_MS = 6 * 3_600_000;

async function publishIndex(es: Client, alias: string, index: string, now: Date): Promise<void> {
  await es.indices.refresh({ index });
  const before = await es.indices.getAlias({ index: `${alias}-*`, allow_no_indices: true });
  await es.indices.updateAliases({
    actions: [
      // The wildcard also removes the alias from an index that a concurrent build has moved it to meanwhile.
      { remove: { index: `${alias}-*`, alias, must_exist: false } },
      { add: { index, alias } },
    ],
  });
  const isAbandoned = (name: string) => {
    const [created = ''] = name.slice(alias.length + 1).split('-', 1);
    return now.getTime() - Number(created) > ABANDONED_MS;
  };
  const obsolete = Object.entries(before)
    .filter(([name, { aliases = {} }]) => name !== index && (alias in aliases || isAbandoned(name)))
    .map(([name]) => name);
  if (obsolete.length > 0) await es.indices.delete({ index: obsolete, ignore_unavailable: true });
}
