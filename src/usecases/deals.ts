import type { Context } from './context.js';
import { GROUPS_SCHEMA } from '../listing/derived.js';
import { searchStoredListings } from '../engine/search-listings.js';
import { dealsSelection } from '../engine/queries/deals.js';
import { byProduct } from '../engine/queries/groups.js';
import type { Selection, Slice } from '../engine/queries/selection.js';
import { toDeal } from '../listing/deals.js';
import type { StoredListing } from '../listing/listing.js';
import { includedIn } from '../listing/included.js';
import type { Include } from '../schemas/include.js';
import type { Filters } from '../engine/queries/filters.js';
import { checkFilters, checkInclude, checkOffset, checkSchema, pageFrame } from './shared/list-requests.js';
import { checkReach, oneMore, productGroups, totalGroups } from './shared/product-groups.js';

type DealsQuery = Filters & {
  min_discount_pct?: string;
  q?: string;
  price_basis?: 'observed' | 'declared';
  out_of_stock?: 'mixed' | 'last';
  include_flagged?: boolean;
  group?: 'product';
  include?: Include;
  limit?: number;
  offset?: number;
};

/**
 * Returns a page of deals, sorted by discount.
 * @throws ApiError 400 for an offset that is too large, 503 if the index must be reindexed first.
 */
export async function listDeals(context: Context, query: DealsQuery) {
  const { es, products, config, now } = context;
  const { limit = 20, offset = 0, q = '' } = query;
  const text = q.trim();
  const slice = { limit, offset };
  const at = now();
  await checkFilters(context, query);
  await checkInclude(context, query.include);
  checkOffset(offset);
  const wanted = {
    minDiscountPct: query.min_discount_pct ?? '10',
    text,
    priceBasis: query.price_basis,
    includeFlagged: query.include_flagged,
    outOfStockLast: query.out_of_stock === 'last',
  };
  const selection = dealsSelection(query, wanted, at);
  const event = (results: number) => ({ ...(text === '' ? {} : { query: q }), results });

  const toItem = (listing: StoredListing) => ({
    ...toDeal(listing, at, config),
    ...includedIn(listing, query.include),
  });

  if (query.group === 'product') {
    const { total, offers, ...page } = await dealsByProduct(context, selection, slice);
    const items = offers.map(({ listing, group }) => ({ ...toItem(listing), group }));
    return { body: { total, limit, offset, ...page, items }, event: event(total) };
  }
  const { total, listings } = await searchStoredListings(es, products, selection, slice);
  const items = listings.map(toItem);
  return { body: { ...pageFrame({ total, items: items.length }, slice), items }, event: event(total) };
}

async function dealsByProduct(context: Context, selection: Selection, slice: Slice) {
  const { es, products } = context;
  checkReach(slice);
  await checkSchema(context, { group: GROUPS_SCHEMA });
  const found = await searchStoredListings(es, products, selection, oneMore(slice), byProduct([]));
  const listings = found.listings.slice(0, slice.limit);
  const groups = await productGroups(
    context,
    listings.map(({ id, internal }) => ({ id, group: internal.group_id ?? id })),
  );
  return {
    total: found.total,
    has_more: found.listings.length > slice.limit,
    total_groups: totalGroups(found.aggregations),
    offers: listings.map((listing) => ({ listing, group: groups.get(listing.id) })),
  };
}
