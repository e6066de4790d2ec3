import { bulkhead } from 'cockatiel';
import { getStoredListings } from '../../engine/documents.js';
import { CANDIDATE_FIELDS, type MatchFilters } from '../../engine/queries/candidates.js';
import { checkPriceLimits } from '../../engine/queries/filter-clauses.js';
import { filterClauses } from '../../engine/queries/filters.js';
import { includedIn } from '../../products/included.js';
import { toProduct } from '../../listing/product.js';
import type { Condition } from '../../schemas/condition.js';
import type { Include } from '../../schemas/include.js';
import type { StoredListing } from '../../listing/listing.js';
import { comparePrices } from '../../listing/rates.js';
import { type Matched, moneyOf } from '../../matching/stored-matches.js';
import type { Context } from '../context.js';
import { findMatches } from '../../matcher/find-matches.js';
import { checkFilters, checkInclude } from '../../products/list-requests.js';
import { allKnown, distinctIds } from '../../products/product-ids.js';
import { chunksOf } from '../../platform/chunks.js';

/**
 * The number of listings whose matches are searched by one request to the engine. While the engine answers
 * it, the previous listings are compared.
 */
const BATCH = 5;

/** How many of these requests run at the same time, so that other clients need not wait for those of one. */
const BATCHES_AT_ONCE = 2;

type CompareFilters = MatchFilters & {
  condition?: readonly Condition[] | undefined;
  include?: Include | undefined;
};

/**
 * Finds the matching offers of up to twenty listings.
 * @throws ApiError 404 naming the ids that no listing has, and 422 if fewer than two of the ids are
 * different.
 * @throws QueryError if the minimum price is above the maximum price.
 */
export async function compareByIds(context: Context, productIds: readonly number[], filters: CompareFilters) {
  const { es, products } = context;
  const ids = distinctIds(productIds);
  checkPriceLimits(filters);
  const listings = allKnown(ids, await getStoredListings(es, products, ids, CANDIDATE_FIELDS));
  return compareListings(context, listings, filters);
}

/**
 * Finds the matches of each listing: the other offers of its group, or if it is not linked, the candidates that probably match.
 * @param filters the filters for the matches. With `explain`, each comparison also has the candidates
 *   that do not match.
 * @returns one comparison for each listing, in their order.
 * @throws QueryError if the minimum price is above the maximum price.
 */
export async function compareListings(
  context: Context,
  listings: readonly StoredListing[],
  { explain = false, include = [], condition = [], ...limits }: CompareFilters & { explain?: boolean },
) {
  await checkInclude(context, include);
  await checkFilters(context, { condition: [...condition] });
  const filters = { ...limits, filter: filterClauses({ condition: [...condition] }, context.now()) };
  const batches = bulkhead(BATCHES_AT_ONCE, Infinity);
  const compareBatch = async (batch: StoredListing[]) => {
    const limits = { ...filters, rates: context.rates };
    const { matched, considered } = await findMatches(context, { of: batch, filters: limits, explain });
    return batch.map((listing, at) => ({
      ...comparisonOf(listing, { matched: matched[at] ?? [], include }, context),
      ...(explain ? { considered: considered[at] ?? [] } : {}),
    }));
  };
  const comparisons = await Promise.all(
    chunksOf(listings, BATCH).map((batch) => batches.execute(() => compareBatch(batch))),
  );
  return comparisons.flat();
}

/** The matches of one listing, sorted by score, then by price, then by id. */
function comparisonOf(
  listing: StoredListing,
  { matched, include }: { matched: readonly Matched[]; include: Include },
  { rates, config }: Pick<Context, 'rates' | 'config'>,
) {
  const matches = matched
    .map(({ listing: match, score, reasons }) => ({
      ...toProduct(match, config),
      ...includedIn(match, include, rates),
      match_score: score,
      match_reasons: reasons,
    }))
    .sort(
      (a, b) => b.match_score - a.match_score || comparePrices(rates, moneyOf(a), moneyOf(b)) || a.id - b.id,
    );
  return {
    source_product_id: listing.id,
    source_product_name: listing.name,
    matches,
    total_matches: matches.length,
  };
}
