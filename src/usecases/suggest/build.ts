import type { Client } from '@elastic/elasticsearch';
import { sendOperations } from '../../engine/listing-store.js';
import { Backoff } from '../../engine/backoff.js';
import { walkListings } from '../../engine/every-listing.js';
import { indexedSuggestion } from '../../engine/queries/suggestions.js';
import type { StoredSuggestion } from '../../schemas/suggestion.js';
import { Collected, READ_FIELDS, type ReadListing } from './collect.js';
import { createSuggestions, publishSuggestions, suggestionsAlias } from './indices.js';
import { searchedTexts } from './searched.js';

export interface BuildOptions {
  es: Client;
  indexPrefix: string;
  /** The alias of the product index. */
  products: string;
  /** Where requests are recorded; null: nowhere. */
  requests: string | null;
  now: Date;
  /** Gives it up; suggestions stay as they were. */
  signal?: AbortSignal | undefined;
  onProgress?: (soFar: { listings: number; suggestions: number }) => void;
  /** Told when it has to wait for the engine. */
  onWait?: (note: string) => void;
}

export interface Built {
  listings: number;
  /** How many suggestions of each type there are. */
  types: Partial<Record<StoredSuggestion['type'], number>>;
}

const BATCH = 1_000;
const GIVE_UP_AFTER_MS = 600_000;

/**
 * Makes all suggestions anew, in an index of their own that then takes the place of the one before in one step. What
 * is killed on the way changes nothing, and the next build removes what it left.
 * @throws AbortError when the signal came.
 */
export async function buildSuggestions(options: BuildOptions): Promise<Built> {
  const { es, indexPrefix, products, requests, now, signal, onProgress, onWait } = options;
  const backoff = new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS, onWait, signal });
  const collected = new Collected();
  const built: Built = { listings: 0, types: {} };
  for await (const page of walkListings<ReadListing>(es, products, { fields: READ_FIELDS, backoff })) {
    signal?.throwIfAborted();
    for (const listing of page) collected.add(listing);
    built.listings += page.length;
    onProgress?.({ listings: built.listings, suggestions: 0 });
  }
  const searched = requests === null ? [] : await searchedTexts(es, { requests, products });
  const alias = suggestionsAlias(indexPrefix);
  const index = await createSuggestions(es, alias, now);
  try {
    // No alias leads to it yet.
    const action = `{"index":{"_index":"${index}","require_alias":false}}`;
    let batch: string[] = [];
    let suggestions = 0;
    const send = async () => {
      signal?.throwIfAborted();
      const answers = await sendOperations(es, index, batch, backoff);
      const refused = answers.find(({ error }) => error !== undefined)?.error;
      if (refused)
        throw new Error(`The engine refused a suggestion: ${refused.type}: ${refused.reason ?? ''}`);
      suggestions += batch.length;
      batch = [];
      onProgress?.({ listings: built.listings, suggestions });
    };
    const all = [
      ...searched.map((text) => ({ type: 'query' as const, ...text })),
      ...collected.suggestions(),
    ];
    for (const suggestion of all) {
      batch.push(`${action}\n${JSON.stringify(indexedSuggestion(suggestion))}`);
      built.types[suggestion.type] = (built.types[suggestion.type] ?? 0) + 1;
      if (batch.length >= BATCH) await send();
    }
    if (batch.length > 0) await send();
    await publishSuggestions(es, alias, index, now);
  } catch (error) {
    // Else the next build removes it.
    await es.indices.delete({ index }, { ignore: [404] }).catch(() => undefined);
    throw error;
  }
  return built;
}
