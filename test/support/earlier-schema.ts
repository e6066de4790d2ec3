import type { estypes } from '@elastic/elasticsearch';
import { productsIndex } from '../../src/engine/indices.js';
import { listingFor } from '../../src/listing/derived.js';
import { applyRecord } from '../../src/listing/merge.js';
import type { Api } from './api.js';

/** The names of the fields under `internal` that were added after a schema version. */
function fieldsSince(schema: number): string[] {
  const record = { sku: 'A1', source: 'shop', name: 'Kettle' };
  const { listing } = applyRecord(null, record, { id: 1, now: new Date(0) });
  const earlier = listingFor(schema, listing);
  return Object.keys(listing.internal).filter((field) => !(field in earlier.internal));
}

/**
 * Returns the mappings of the product index as they were in a schema version, as far as the fields of
 * `internal` are concerned.
 */
export function mappingsOf(schema: number): estypes.MappingTypeMapping {
  const { properties = {}, ...mappings } = productsIndex.mappings;
  const later = fieldsSince(schema);
  const internal = (properties['internal'] as { properties: Record<string, object> }).properties;
  const earlier = Object.fromEntries(Object.entries(internal).filter(([field]) => !later.includes(field)));
  return {
    ...mappings,
    _meta: { ...mappings._meta, schema_version: schema },
    properties: { ...properties, internal: { properties: earlier } } as typeof properties,
  };
}

/** The char filters that remove the characters which indices before schema 5 kept. */
const ADDED = new Set<unknown>(['inner_marks', 'invisible', 'zero_width_space']);

/** Returns the index settings before schema 5, whose analyzers kept invisible format characters. */
export const earlierSettings = (): estypes.IndicesIndexSettings =>
  JSON.parse(
    JSON.stringify(productsIndex.settings, (key, value: unknown) =>
      key === 'char_filter' && Array.isArray(value) ? value.filter((name) => !ADDED.has(name)) : value,
    ),
  ) as estypes.IndicesIndexSettings;

/** Replaces the index of an empty catalogue by one of an earlier schema. */
export async function moveToSchema(
  { es, products }: Pick<Api, 'es' | 'products'>,
  schema: number,
  settings = productsIndex.settings,
): Promise<void> {
  const index = `${products}-v9`;
  const [current = ''] = Object.keys(await es.indices.getAlias({ name: products }));
  await es.indices.create({ index, settings, mappings: mappingsOf(schema) });
  await es.indices.updateAliases({
    actions: [
      { remove_index: { index: current } },
      { add: { index, alias: products, is_write_index: true } },
    ],
  });
}
