import type { estypes } from '@elastic/elasticsearch';
import { type Costing, costsOf } from './product-prices.js';
import { formatInstant } from '../../listing/instant.js';
import { formatUnits } from '../../listing/price.js';
import type { Aggregations } from '../../engine/search-listings.js';
import { CONDITION_FIELD, PRICE_FROM_FIELD } from '../../engine/queries/filter-clauses.js';
import { groupsSearch, productField } from '../../engine/queries/groups.js';
import { MAX_RESULT_WINDOW, type Slice } from '../../engine/queries/selection.js';
import { chunksOf } from '../../platform/chunks.js';
import { badRequest } from '../../platform/errors.js';
import { mapInSlices } from '../../platform/slices.js';
import type { Condition } from '../../schemas/condition.js';
import type { Flag } from '../../schemas/quality.js';
import type { Context } from '../context.js';
import type { ProductGroup } from '../../schemas/group.js';

/**
 * Checks that a page of products ends within the result window, which a collapsed search cannot pass.
 * @throws ApiError 400 if the page ends beyond it.
 */
export function checkReach({ limit, offset }: Slice): void {
  if (offset + limit >= MAX_RESULT_WINDOW) {
    throw badRequest(`with group=product, offset and limit together must be below ${MAX_RESULT_WINDOW}`);
  }
}

/** Enlarges a page by one listing, which shows whether there is a next page. */
export const oneMore = ({ limit, offset }: Slice): Slice => ({ limit: limit + 1, offset });

/** Returns the number of products that match, from the aggregations of a grouped search. */
export const totalGroups = (aggregations: Aggregations): number =>
  productAggregate<estypes.AggregationsCardinalityAggregate>(aggregations, 'total_groups')?.value ?? 0;

/** Returns the ids of the first products in the order of their buckets, from the aggregations of a grouped search. */
export const sortedGroups = (aggregations: Aggregations): number[] =>
  (productAggregate<{ buckets: { key: number }[] }>(aggregations, 'sorted_groups')?.buckets ?? []).map(
    ({ key }) => key,
  );

/** An aggregation of `byProduct`, which is inside of another one if there are filters. */
function productAggregate<T>(aggregations: Aggregations, name: string): T | undefined {
  const outer = aggregations?.[name] as (T & { products?: T }) | undefined;
  return outer?.products ?? outer;
}

/** A listing on a page of a grouped search, and what the listings of its product share, the value of `productField`. */
interface GroupedListing {
  id: number;
  key: number;
}

/**
 * The number of products that are read by one request. More would have so many offers that other requests have to wait while the
 * answer is parsed.
 */
const READ_AT_ONCE = 20;

type Services = Pick<Context, 'es' | 'products' | 'rates' | 'schemaVersion'>;

/**
 * Reads the products to which the listings on a page belong.
 * @param conditions the conditions of the goods of which the best offers are chosen; by default new ones.
 * @returns the products by the id of the listing on the page.
 */
export async function productGroups(
  services: Services,
  listings: readonly GroupedListing[],
  conditions?: readonly Condition[],
): Promise<Map<number, ProductGroup>> {
  const read = chunksOf(listings, READ_AT_ONCE).map((some) => readGroups(services, some, conditions));
  return new Map((await Promise.all(read)).flat());
}

async function readGroups(
  { es, products, rates, schemaVersion }: Services,
  listings: readonly GroupedListing[],
  conditions: readonly Condition[] | undefined,
): Promise<[id: number, group: ProductGroup][]> {
  const field = productField(await schemaVersion());
  const { hits } = await es.search({
    index: products,
    ...groupsSearch(
      field,
      listings.map(({ key }) => key),
    ),
    allow_partial_search_results: false,
    filter_path: ['took', 'hits.hits.fields'],
  });
  const offers = await mapInSlices(hits?.hits ?? [], ({ fields = {} }) => offerOf(fields, field));
  const byKey = new Map<number, typeof offers>(listings.map(({ key }) => [key, []]));
  for (const offer of offers) byKey.get(offer.key)?.push(offer);
  return mapInSlices(listings, ({ id, key }) => {
    const own = byKey.get(key) ?? [];
    const { currency = null, linked_at = null } = own.find((one) => one.id === id) ?? {};
    const { sources, price_range: range, best_offer_id } = costsOf(own, currency, { rates, conditions });
    const group = {
      group_id: Math.abs(key),
      linked_at: canonical(linked_at),
      offers: own.length,
      sources,
      min_price: range?.min ?? null,
      max_price: range?.max ?? null,
      currency: range?.currency ?? null,
      best_offer_id,
    };
    return [id, group];
  });
}

/** An offer of a product, from the values that `groupsSearch` reads. */
function offerOf(
  fields: Record<string, unknown>,
  keyField: string,
): Costing & { key: number; linked_at: string | null } {
  const all = <T>(field: string): T[] => (fields as Record<string, T[]>)[field] ?? [];
  const one = <T>(field: string): T | null => all<T>(field)[0] ?? null;
  const units = one<number>('internal.price_units');
  const currency = one<string>('currency');
  return {
    key: one<number>(keyField) ?? 0,
    id: one<number>('id') ?? 0,
    source: one<string>('source') ?? '',
    price: units === null ? null : formatUnits(units, currency),
    currency,
    is_available: one<boolean>('is_available'),
    internal: {
      flags: all<Flag>('internal.flags'),
      ...conditionIn(one<Condition>(CONDITION_FIELD)),
      price_from: one<boolean>(PRICE_FROM_FIELD) === true,
    },
    linked_at: one<string>('internal.linked_at'),
  };
}

const conditionIn = (value: Condition | null) =>
  value === null ? {} : { condition: { value, basis: 'assumed' as const, stated: null } };

/** Formats a time without milliseconds, as times are stored. Elasticsearch returns them with milliseconds. */
const canonical = (time: string | null): string | null =>
  time === null ? null : formatInstant(Date.parse(time));
