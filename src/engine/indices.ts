import type { Client, estypes } from '@elastic/elasticsearch';
import type { IndexLayout } from '../platform/config/config.js';
import { SYNONYM_RULES } from '../naming/word-forms.js';
import { READ_MARKETS } from '../platform/config/markets.js';
import { shippedJson } from '../platform/shipped-files.js';
import { type IndexKind, schemaOf, storedIndex } from '../platform/stored.js';
import { rejectionType } from './errors.js';

const shipped = shippedJson('mappings/products.json') as {
  settings: { index: { analysis: { filter: { synonyms: { synonyms: readonly string[] } } } } };
  mappings: { _meta: { markets?: readonly string[] } };
};
shipped.settings.index.analysis.filter.synonyms.synonyms = SYNONYM_RULES;
shipped.mappings._meta.markets = READ_MARKETS;

/** The settings, analyzers and strict mappings of the product index, with the synonyms of the markets that this process reads. */
export const productsIndex = shipped as unknown as {
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
};

/** The product index in the operator's layout; by default with one shard, and a copy from the second node on. */
export function productsIndexWith(layout?: IndexLayout): typeof productsIndex {
  if (layout === undefined) return productsIndex;
  const { settings, mappings } = productsIndex;
  const { shards, replicas } = layout;
  const copies = replicas.includes('-')
    ? { auto_expand_replicas: replicas }
    : { number_of_replicas: Number(replicas), auto_expand_replicas: 'false' };
  return {
    settings: { ...settings, index: { ...settings.index, number_of_shards: shards, ...copies } },
    mappings,
  };
}

/** The name of this service in the mapping (`_meta.service`) of every index that it creates. */
export const SERVICE = 'product-catalogue';

export const productsAlias = (indexPrefix: string): string => storedIndex(indexPrefix, 'products');

/** The name of an index of the catalogue with its version number, such as `catalog-products-v3`. */
export const generationName = (alias: string, generation: number): string => `${alias}-v${generation}`;

/** The version number in the name of an index; null if the index does not belong to the alias. */
export function generationOf(alias: string, index: string): number | null {
  const number = index.startsWith(`${alias}-v`) ? index.slice(alias.length + 2) : '';
  return /^[1-9]\d{0,8}$/.test(number) ? Number(number) : null;
}

/** Creates the first product index and its alias, unless they exist; several processes may try. @returns whether this call did. */
export async function ensureCatalogue(
  es: Client,
  indexPrefix: string,
  layout?: IndexLayout,
): Promise<boolean> {
  const alias = productsAlias(indexPrefix);
  if (await es.indices.existsAlias({ name: alias })) return false;
  try {
    await es.indices.create({
      index: generationName(alias, 1),
      ...productsIndexWith(layout),
      aliases: { [alias]: { is_write_index: true } },
    });
    return true;
  } catch (error) {
    if (rejectionType(error) === 'resource_already_exists_exception') return false;
    throw error;
  }
}

/** The mapping of a text that is only compared as a whole. */
export const KEYWORD = { type: 'keyword' } as const;

/**
 * Creates an index of one shard for records of the service, unless it exists. Several processes may call this at once.
 * @param options.dynamic what happens to fields without a mapping; by default they are only stored.
 * @param options.hidden whether wildcards such as `*` leave the index out.
 */
export async function ensureIndex(
  es: Client,
  indexPrefix: string,
  kind: IndexKind,
  properties: Record<string, estypes.MappingProperty>,
  { dynamic = false, hidden = false }: { dynamic?: 'strict' | false; hidden?: boolean } = {},
): Promise<void> {
  const settings = { number_of_shards: 1, auto_expand_replicas: '0-1', ...(hidden && { hidden }) };
  const _meta = { service: SERVICE, schema_version: schemaOf(kind) };
  const mappings = { dynamic, _meta, properties };
  // Status 400 means that the index exists.
  await es.indices.create({ index: storedIndex(indexPrefix, kind), settings, mappings }, { ignore: [400] });
}

/** Waits up to 30 s until the product index can be searched; not at all if the user may not read the health of the cluster. */
export const untilSearchable = (es: Client, indexPrefix: string): Promise<void> =>
  untilReadable(es, productsAlias(indexPrefix));

/** Waits like `untilSearchable`, for any index. */
export async function untilReadable(es: Client, index: string): Promise<void> {
  await es.cluster.health(
    // The status of a new index is yellow although no shard of it can be read yet.
    { index, wait_for_status: 'yellow', wait_for_active_shards: 1, timeout: '30s' },
    { ignore: [403, 408] },
  );
}
