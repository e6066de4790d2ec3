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
