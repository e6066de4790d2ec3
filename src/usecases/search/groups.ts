import type { estypes } from '@elastic/elasticsearch';
import type { Context } from '../context.js';
import { productGroups, totalGroups } from '../shared/product-groups.js';
import { byProduct, GROUP_FIELD } from '../../engine/queries/groups.js';
import type { Addition } from './additions.js';
import type { Hit } from '../../engine/pages.js';
import type { ProductGroup } from '../../schemas/group.js';

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
