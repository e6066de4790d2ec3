import type { estypes } from '@elastic/elasticsearch';
import type { Context } from '../context.js';
import { productGroups } from '../shared/product-groups.js';
import { badRequest } from '../../platform/errors.js';
import { byProduct, GROUP_FIELD } from '../../engine/queries/groups.js';
import { WINDOW } from '../../engine/queries/pages.js';
import type { Slice } from '../../engine/queries/selection.js';
import type { Addition } from './additions.js';
import type { Aggregations, Hit } from '../../engine/pages.js';
import type { ProductGroup } from '../../schemas/group.js';

/** @throws ApiError 400: the engine reaches products within one window alone. */
export function checkReach({ limit, offset }: Slice): void {
  if (offset + limit >= WINDOW) {
    throw badRequest(`with group=product, offset and limit together must be below ${WINDOW}`);
  }
}

/** One more than is wanted: whether it is there tells whether there are more products. */
export const oneMore = ({ limit, offset }: Slice): Slice => ({ limit: limit + 1, offset });

/** How many products match, of what `byProduct` counts. */
export function totalGroups(aggregations: Aggregations): number {
  const counted = aggregations?.['total_groups'] as
    | (Partial<estypes.AggregationsCardinalityAggregate> & {
        products?: estypes.AggregationsCardinalityAggregate;
      })
    | undefined;
  return (counted?.products ?? counted)?.value ?? 0;
}

/**
 * Shows each product once, with who else offers it.
 * @param own filters that the page obeys and its aggregations do not.
 */
export function groupedByProduct(context: Context, own: readonly estypes.QueryDslQueryContainer[]): Addition {
  let groups = new Map<number, ProductGroup>();
  return {
    request: byProduct(own),
    async page({ hits = [], aggregations }) {
      const shown = hits.flatMap((hit) => {
        const id = hit._source?.id;
        return id === undefined ? [] : [{ id, group: groupOf(hit) ?? id }];
      });
      groups = await productGroups(context, shown);
      return { total_groups: totalGroups(aggregations) };
    },
    item: ({ _source: listing }) => ({ group: groups.get(listing?.id ?? 0) }),
  };
}

/** The engine tells the value that it has shown one hit of. */
const groupOf = ({ fields }: Hit): number | undefined =>
  (fields as Record<string, number[]> | undefined)?.[GROUP_FIELD]?.[0];
