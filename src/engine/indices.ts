import type { Client, estypes } from '@elastic/elasticsearch';
import { shippedJson } from '../platform/shipped-files.js';
import { rejectionType } from './errors.js';

/** The settings, analyzers and strict mappings of the product index, from `mappings/products.json`. */
export const productsIndex = shippedJson('mappings/products.json') as {
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
};

/** The name of this service in the mapping (`_meta.service`) of every index that it creates. */
export const SERVICE = 'product-catalogue';

export function productsAlias(indexPrefix: string): string {
  return `${indexPrefix}-products`;
}

/** The name of an index of the catalogue with its version number, such as `catalog-products-v3`. */
export function generationName(alias: string, generation: number): string {
  return `${alias}-v${generation}`;
}

/** The version number in the name of an index; null if the index does not belong to the alias. */
export function generationOf(alias: string, index: string): number | null {
  const number = index.startsWith(`${alias}-v`) ? index.slice(alias.length + 2) : '';
  return /^[1-9]\d{0,8}$/.test(number) ? Number(number) : null;
}

/**
 * Creates the first product index and its alias, unless the alias exists. Several processes may call this at
 * once.
 * @returns whether this call created the index.
 */
export async function ensureCatalogue(es: Client, indexPrefix: string): Promise<boolean> {
  const alias = productsAlias(indexPrefix);
  if (await es.indices.existsAlias({ name: alias })) return false;
  try {
    await es.indices.create({
      index: generationName(alias, 1),
      ...productsIndex,
      aliases: { [alias]: { is_write_index: true } },
    });
    return true;
  } catch (error) {
    if (rejectionType(error) === 'resource_already_exists_exception') return false;
    throw error;
  }
}

/**
 * Waits up to 30 s until the product index can be searched, for example after another process created it.
 * Returns at once if the user may not read the cluster health. A failure is left to the next request to
 * report.
 */
export const untilSearchable = (es: Client, indexPrefix: string): Promise<void> =>
  untilReadable(es, productsAlias(indexPrefix));

/** Waits like `untilSearchable`, for any index. */
export async function untilReadable(es: Client, index: string): Promise<void> {
  await es.cluster.health({ index, wait_for_status: 'yellow', timeout: '30s' }, { ignore: [403, 408] });
}
