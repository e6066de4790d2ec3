import type { Client, estypes } from '@elastic/elasticsearch';
import { TODAYS_SCHEMA } from '../listing/derived.js';

/**
 * The schema version of the index behind an alias, as its mapping says: what its documents have, and may have.
 * @returns today's where there is no such index yet.
 */
export async function schemaVersionOf(es: Client, index: string): Promise<number> {
  const mappings = await es.indices.getMapping(
    { index, filter_path: '*.mappings._meta.schema_version' },
    { ignore: [404] },
  );
  const versions = Object.values(mappings).flatMap((state) => {
    const version: unknown = (state as Partial<estypes.IndicesGetMappingIndexMappingRecord>).mappings
      ?._meta?.['schema_version'];
    return typeof version === 'number' ? [version] : [];
  });
  return Math.min(TODAYS_SCHEMA, ...versions);
}

/** So long an answer may be old: an index takes another's place by a command that takes longer. */
const KNOWN_MS = 2_000;

/** The same without asking for every request. @param clock ms that do not go back. */
export function remembered<T>(
  ask: () => Promise<T>,
  { forMs = KNOWN_MS, clock = () => performance.now() } = {},
): () => Promise<T> {
  let known: { answer: Promise<T>; until: number } | null = null;
  return () => {
    const now = clock();
    if (known !== null && now < known.until) return known.answer;
    const answer = ask();
    known = { answer, until: now + forMs };
    // A failure is not remembered.
    answer.catch(() => (known = null));
    return answer;
  };
}
