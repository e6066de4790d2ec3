import type { estypes } from '@elastic/elasticsearch';
import type { Catalogue } from './product-ids.js';
import { type Costing, costsOf } from './product-prices.js';
import { formatInstant } from '../listing/instant.js';
import { formatUnits } from '../listing/price.js';
import type { Aggregations } from '../engine/search-listings.js';
import { CONDITION_FIELD, PRICE_FROM_FIELD } from '../engine/queries/filter-clauses.js';
import { groupsSearch, productField } from '../engine/queries/groups.js';
import { MAX_RESULT_WINDOW, type Slice } from '../engine/queries/selection.js';
import { badRequest } from '../platform/errors.js';
import type { Condition } from '../schemas/condition.js';
import type { Flag } from '../schemas/quality.js';
import type { ExchangeRates } from '../listing/rates.js';
import type { ProductGroup } from '../schemas/group.js';

/** @throws ApiError 400 if a page of products ends beyond the result window, which a collapsed search cannot pass. */
export function checkReach({ limit, offset }: Slice): void {
  if (offset + limit >= MAX_RESULT_WINDOW)
    throw badRequest(`with group=product, offset and limit together must be below ${MAX_RESULT_WINDOW}`);
}

/** Enlarges a page by one listing, which shows whether there is a next page. */
export const oneMore = ({ limit, offset }: Slice): Slice => ({ limit: limit + 1, offset });

/** Returns the number of products that match, from the aggregations of a grouped search. */
export const totalGroups = (aggregations: Aggregations): number =>
  productAggregate<estypes.AggregationsCardinalityAggregate>(aggregations, 'total_groups')?.value ?? 0;

/** Returns the ids of the first products in the order of their buckets, from the aggregations of a grouped search. */
export function sortedGroups(aggregations: Aggregations): number[] {
  const sorted = productAggregate<{ buckets: { key: number }[] }>(aggregations, 'sorted_groups');
  return (sorted?.buckets ?? []).map(({ key }) => key);
}

/** An aggregation of `byProduct`. With filters, it is nested in a filter aggregation. */
function productAggregate<T>(aggregations: Aggregations, name: string): T | undefined {
  const outer = aggregations?.[name] as (T & { products?: T }) | undefined;
  return outer?.products ?? outer;
}

interface PricedCatalogue extends Catalogue {
  rates: ExchangeRates;
  schemaVersion: () => Promise<number>;
}

/** A listing on a page of a grouped search, and what the listings of its product share, the value of `productField`. */
interface GroupedListing {
  id: number;
  key: number;
}

/** Reads the products of the listings on a page, by their ids. @param conditions those of the best offers; by default new. */
export async function productGroups(
  { es, products: index, rates, schemaVersion }: PricedCatalogue,
  listings: readonly GroupedListing[],
  conditions?: readonly Condition[],
): Promise<Map<number, ProductGroup>> {
  if (listings.length === 0) return new Map();
  const field = productField(await schemaVersion());
  const keys = listings.map(({ key }) => key);
  const answer = { allow_partial_search_results: false, filter_path: ['took', 'hits.hits.fields'] };
  const { hits } = await es.search({ index, ...groupsSearch(field, keys), ...answer });
  const members = new Map<number, (Costing & { linked_at: string | null })[]>();
  for (const { fields = {} } of hits?.hits ?? []) {
    const all = <T>(field: string): T[] => (fields as Record<string, T[]>)[field] ?? [];
    const one = <T>(field: string): T | null => all<T>(field)[0] ?? null;
    const units = one<number>('internal.price_units');
    const key = one<number>(field) ?? 0;
    const currency = one<string>('currency');
    const condition = one<Condition>(CONDITION_FIELD);
    const costing = {
      id: one<number>('id') ?? 0,
      source: one<string>('source') ?? '',
      price: units === null ? null : formatUnits(units, currency),
      currency,
      is_available: one<boolean>('is_available'),
      internal: {
        flags: all<Flag>('internal.flags'),
        ...(condition && { condition: { value: condition, basis: 'assumed' as const, stated: null } }),
        price_from: one<boolean>(PRICE_FROM_FIELD) === true,
      },
      linked_at: one<string>('internal.linked_at'),
    };
    members.set(key, [...(members.get(key) ?? []), costing]);
  }
  return new Map(
    listings.map(({ id, key }) => {
      const offers = members.get(key) ?? [];
      const { currency = null, linked_at = null } = offers.find((one) => one.id === id) ?? {};
      const { sources, price_range: range, best_offer_id } = costsOf(offers, currency, { rates, conditions });
      const best = offers.find((one) => one.id === best_offer_id);
      const group: ProductGroup = {
        group_id: Math.abs(key),
        // Times are stored without the milliseconds with which Elasticsearch returns them.
        linked_at: linked_at === null ? null : formatInstant(Date.parse(linked_at)),
        offers: offers.length,
        sources,
        min_price: range?.min ?? null,
        max_price: range?.max ?? null,
        currency: range?.currency ?? null,
        best_offer_id,
        best_offer: best ? asOffer(best) : null,
      };
      return [id, group];
    }),
  );
}

function asOffer({ source, price, currency, is_available }: Costing) {
  return { source, price, currency, is_available };
}
