import { randomBytes } from 'node:crypto';
import type { Client, estypes } from '@elastic/elasticsearch';
import { shippedJson } from '../../platform/shipped-files.js';

/** Settings, analyzers and strict mappings of an index of suggestions. */
const suggestionsIndex = shippedJson('mappings/suggestions.json') as {
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
};

/** The alias that suggestions are read by. */
export const suggestionsAlias = (indexPrefix: string): string => `${indexPrefix}-suggestions`;

/** What was begun and is no longer worked on: nothing takes as long to build. */
const ABANDONED_MS = 6 * 3_600_000;

/** Creates an index to be filled; nobody reads it yet. @returns its name. */
export async function createSuggestions(es: Client, alias: string, now: Date): Promise<string> {
  const index = `${alias}-${now.getTime()}-${randomBytes(2).toString('hex')}`;
  await es.indices.create({ index, ...suggestionsIndex });
  return index;
}

/** Puts the index behind the alias, in one step and alone, and removes those that were there or were left unfinished. */
export async function publishSuggestions(es: Client, alias: string, index: string, now: Date): Promise<void> {
  await es.indices.refresh({ index });
  const before = await indicesOf(es, alias);
  await es.indices.updateAliases({
    actions: [
      // Whatever another build has put there in the meantime as well.
      { remove: { index: `${alias}-*`, alias, must_exist: false } },
      { add: { index, alias } },
    ],
  });
  const isOver = (name: string) => {
    const [created = ''] = name.slice(alias.length + 1).split('-', 1);
    return now.getTime() - Number(created) > ABANDONED_MS;
  };
  const over = Object.entries(before)
    .filter(([name, { aliases = {} }]) => name !== index && (alias in aliases || isOver(name)))
    .map(([name]) => name);
  if (over.length > 0) await es.indices.delete({ index: over, ignore_unavailable: true });
}

/** Whether suggestions were ever made. */
export const hasSuggestions = (es: Client, alias: string): Promise<boolean> =>
  es.indices.existsAlias({ name: alias });

const indicesOf = (es: Client, alias: string) =>
  es.indices.getAlias({ index: `${alias}-*`, allow_no_indices: true });
