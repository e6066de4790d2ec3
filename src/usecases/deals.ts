import type { Context } from './context.js';
import { GROUPS_SCHEMA } from '../listing/schema-versions.js';
import { countMatches, searchStoredListings } from '../engine/search-listings.js';
import { dealsSelection } from '../engine/queries/deals.js';
import { byProduct, productField } from '../engine/queries/groups.js';
import { currentCatalogue, type Selection, type Slice } from '../engine/queries/selection.js';
import { countWithoutDelivery, withoutDeliveryOf } from '../engine/queries/totals.js';
import { conditionsOfBest } from '../listing/condition.js';
import { toDeal } from '../listing/deals.js';
import { mapInSlices } from '../platform/slices.js';
import { includedIn } from '../products/included.js';
import type { PageQuery } from '../schemas/include.js';
import type { Filters } from '../engine/queries/filters.js';
import { readExcludingText } from '../products/exclusions.js';
import {
  checkFilters,
  checkInclude,
  checkOffset,
  checkSchema,
  includedBy,
  pageFrame,
} from '../products/list-requests.js';
import { checkReach, oneMore, productGroups, totalGroups } from '../products/product-groups.js';

interface DealsQuery extends Filters, PageQuery {
  min_discount_pct?: string;
  q?: string;
  price_basis?: 'observed' | 'declared';
  out_of_stock?: 'mixed' | 'last';
  rank_by?: 'discount' | 'total';
  include_flagged?: boolean;
  group?: 'product';
}

/** Returns a page of deals, the best first. @throws ApiError 400 for a large offset, 503 if the index must be reindexed first. */
export async function listDeals(context: Context, query: DealsQuery) {
  const { config, rates } = context;
  const { limit = 20, offset = 0, q = '' } = query;
  const { q: included, refinements, excluded } = await readExcludingText(context, q);
  const text = included.trim();
  const slice = { limit, offset };
  const at = context.now();
  const isByTotal = query.rank_by === 'total';
  const include = includedBy(query);
  await checkFilters(context, query);
  await checkInclude(context, include);
  checkOffset(offset);
  const wanted = {
    minDiscountPct: query.min_discount_pct ?? '10',
    text,
    exclusions: refinements.map(({ clause }) => clause),
    priceBasis: query.price_basis,
    includeFlagged: query.include_flagged,
    outOfStockLast: query.out_of_stock === 'last',
    totalIn: isByTotal ? rates : undefined,
  };
  const selection = dealsSelection(query, wanted, at, rates);
  const [page, without_delivery] = await Promise.all([
    query.group === 'product'
      ? dealsByProduct(context, selection, slice, { ...query, q: text })
      : allDeals(context, selection, slice),
    isByTotal ? dealsWithoutDelivery(context, selection) : undefined,
  ]);
  const { total, offers, ...members } = page;
  const items = await mapInSlices(offers, ({ listing, ...group }) => ({
    ...toDeal(listing, at, config),
    ...includedIn(listing, include, context, at),
    ...group,
  }));
  const counted = without_delivery === undefined ? {} : { without_delivery };
  const listed = excluded === undefined ? {} : { excluded };
  const event = { ...(text === '' ? {} : { query: q }), results: total };
  return { body: { total, limit, offset, ...members, ...counted, ...listed, items }, event };
}

async function allDeals({ es, products }: Context, selection: Selection, slice: Slice) {
  const { total, listings } = await searchStoredListings(es, products, selection, slice);
  const offers = listings.map((listing) => ({ listing }));
  return { ...pageFrame({ total, items: listings.length }, slice), offers };
}

async function dealsWithoutDelivery({ es, products, rates }: Context, selection: Selection): Promise<number> {
  const counts = await countMatches(es, currentCatalogue(products), selection, countWithoutDelivery(rates));
  return withoutDeliveryOf(counts);
}

async function dealsByProduct(context: Context, selection: Selection, slice: Slice, query: DealsQuery) {
  const { es, products } = context;
  checkReach(slice);
  await checkSchema(context, { group: GROUPS_SCHEMA });
  const field = productField(await context.schemaVersion());
  const found = await searchStoredListings(es, products, selection, oneMore(slice), byProduct(field, []));
  const listings = found.listings.slice(0, slice.limit);
  const keyed = listings.map(({ id, internal: { product_key, group_id } }) => {
    return { id, key: product_key ?? group_id ?? id };
  });
  const groups = await productGroups(context, keyed, conditionsOfBest(query));
  return {
    total: found.total,
    has_more: found.listings.length > slice.limit,
    total_groups: totalGroups(found.aggregations),
    offers: listings.map((listing) => ({ listing, group: groups.get(listing.id) })),
  };
}
