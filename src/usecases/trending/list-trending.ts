import type { Client } from '@elastic/elasticsearch';
import { rejectionStatus } from '../../engine/errors.js';
import type { Context } from '../context.js';
import { searchListings } from '../../engine/search-listings.js';
import { currentCatalogue } from '../../engine/queries/selection.js';
import { latestSelection, type TrendingListing, trendingSelections } from '../../engine/queries/trending.js';
import type { Filters } from '../../engine/queries/filters.js';
import type { Include } from '../../schemas/include.js';
import { includeRequest, pageOf } from '../../products/included.js';
import { checkFilters, checkInclude } from '../../products/list-requests.js';

type TrendingQuery = Filters & { basis?: 'updated' | 'movement'; limit?: number; include?: Include };

export const TRENDS_ID = 'week';

export interface StoredTrends {
  measured_at: string;
  listings: TrendingListing[];
}

/** Trends older than this are ignored, because `npm run follow-up`, which measures them, has evidently stopped running. */
const OUTDATED_MS = 2 * 86_400_000;

/** Returns the listings that changed last; with `basis=movement`, the most clicked and searched ones, then the newest. */
export async function listTrending(context: Context, query: TrendingQuery) {
  const { es, products, trends, rates, now } = context;
  const { category = null, limit = 50, basis, include } = query;
  const target = currentCatalogue(products);
  const page = { slice: { limit, offset: 0 }, request: includeRequest(include) };
  const at = now();
  await checkFilters(context, query);
  await checkInclude(context, include);

  if (basis !== 'movement') {
    const { total, hits } = await searchListings(es, target, latestSelection(query, at, rates), page);
    const frame = { category, total, limit, ...(basis === undefined ? {} : { basis }) };
    return { body: pageOf(frame, hits, context, include), event: { results: total } };
  }
  const known = await readTrends(es, trends, at);
  const selections = trendingSelections(query, known?.listings ?? [], at, rates);
  const [moving, others] = await Promise.all([
    searchListings(es, target, selections.moving, page),
    searchListings(es, target, selections.others, page),
  ]);
  const total = moving.total + others.total;
  const frame = {
    category,
    total,
    limit,
    basis: moving.hits.length > 0 ? ('movement' as const) : ('new' as const),
    moving: moving.hits.length,
    measured_at: known?.measured_at ?? null,
  };
  const hits = [...moving.hits, ...others.hits].slice(0, limit);
  return { body: pageOf(frame, hits, context, include), event: { results: total } };
}

/** Reads the stored trends; null if they are missing, outdated, or not readable for the engine user of the service. */
async function readTrends(es: Client, index: string, now: Date): Promise<StoredTrends | null> {
  try {
    const { _source: trends } = await es.get<StoredTrends>({ index, id: TRENDS_ID });
    if (trends === undefined) return null;
    return now.getTime() - Date.parse(trends.measured_at) > OUTDATED_MS ? null : trends;
  } catch (error) {
    const status = rejectionStatus(error);
    if (status === 404 || status === 403) return null;
    throw error;
  }
}
