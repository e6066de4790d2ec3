import { errors, type Client, type estypes } from '@elastic/elasticsearch';
import { shippedJson } from '../platform/shipped-files.js';

/** Settings, analyzers and strict mappings of the product index, as `mappings/products.json` has them. */
export const productsIndex = shippedJson('mappings/products.json') as {
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
};

/** What the mapping's `_meta.service` says of every index that is the service's. */
export const SERVICE = 'product-catalogue';

/** The alias that every read and write goes through. */
export function productsAlias(indexPrefix: string): string {
  return `${indexPrefix}-products`;
}

/** The index of a generation behind the alias: `catalog-products-v3`. */
export function generationName(alias: string, generation: number): string {
  return `${alias}-v${generation}`;
}

/** Which generation an index is by its name; null: none of this alias. */
export function generationOf(alias: string, index: string): number | null {
  const number = index.startsWith(`${alias}-v`) ? index.slice(alias.length + 2) : '';
  return /^[1-9]\d{0,8}$/.test(number) ? Number(number) : null;
}

/**
 * Creates the first product index and its alias in one call, unless the alias is there.
 * Safe when several processes do it at once.
 * @returns whether this call created it.
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
    if (error instanceof errors.ResponseError && errorType(error) === 'resource_already_exists_exception')
      return false;
    throw error;
  }
}

const START = '30s';

/**
 * Waits until the product index can be searched: one that another process has created this moment cannot for a while.
 * Who may not ask for the health of the cluster goes on at once; an index that is down is found by what comes next.
 */
export async function untilSearchable(es: Client, indexPrefix: string): Promise<void> {
  const index = productsAlias(indexPrefix);
  await es.cluster.health({ index, wait_for_status: 'yellow', timeout: START }, { ignore: [403, 408] });
}

function errorType(error: errors.ResponseError): string | undefined {
  const body = error.body as { error?: { type?: string } } | undefined;
  return body?.error?.type;
}
