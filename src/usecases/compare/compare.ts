import { bulkhead } from 'cockatiel';
import { getStoredListings } from '../../engine/documents.js';
import { CANDIDATE_FIELDS } from '../../engine/queries/candidates.js';
import { checkPriceLimits, isWithinPrice, type PriceLimits } from '../../engine/queries/filter-clauses.js';
import { candidatesWith } from '../../products/included.js';
import type { Condition } from '../../schemas/condition.js';
import type { Include } from '../../schemas/include.js';
import type { Product } from '../../schemas/product.js';
import { isInCondition } from '../../listing/condition.js';
import type { StoredListing } from '../../listing/listing.js';
import { comparePrices, moneyOf } from '../../listing/rates.js';
import type { Matched } from '../../matching/stored-matches.js';
import type { Context } from '../context.js';
import { findMatches } from '../../matcher/find-matches.js';
import { checkFilters, checkInclude } from '../../products/list-requests.js';
import { allKnown, distinctIds, knownListing } from '../../products/product-ids.js';
import { chunksOf } from '../../platform/chunks.js';

/** The number of listings of one search request. While Elasticsearch answers it, those of earlier requests are compared. */
const BATCH = 5;

/** The maximum number of these search requests at the same time, so that other clients need not wait for them. */
const BATCHES_AT_ONCE = 2;

/** The parameters of a comparison, as requests have them. */
interface CompareQuery extends Omit<PriceLimits, 'rates'> {
  include_same_source?: boolean | undefined;
  condition?: readonly Condition[] | undefined;
  include?: Include | undefined;
  explain?: boolean | undefined;
}

/** Finds the matching offers of one listing. @throws ApiError 404 for an unknown id, QueryError for crossed price limits. */
export async function compareOne(context: Context, id: number, query: CompareQuery) {
  checkPriceLimits(query);
  const listing = await knownListing(context, id, CANDIDATE_FIELDS);
  const [comparison] = await compareListings(context, [listing], query);
  return comparison;
}

/** Compares up to twenty listings. @throws ApiError 404 naming unknown ids, 422 for fewer than two, QueryError for wrong limits. */
export async function compareByIds(context: Context, productIds: readonly number[], query: CompareQuery) {
  const { es, products } = context;
  const ids = distinctIds(productIds);
  checkPriceLimits(query);
  const listings = allKnown(ids, await getStoredListings(es, products, ids, CANDIDATE_FIELDS));
  return compareListings(context, listings, query);
}

/**
 * Finds the matches of each listing: the other offers of its group, or if it is not linked, the candidates that probably match.
 * The limits apply afterwards, because the score of a match depends on the other listings that are compared.
 * @returns one comparison for each listing, in their order.
 */
async function compareListings(context: Context, listings: readonly StoredListing[], query: CompareQuery) {
  const { include = [], include_same_source: includeSameSource = false, explain = false } = query;
  const condition = [...(query.condition ?? [])];
  await checkInclude(context, include);
  await checkFilters(context, { condition });
  const limits = { ...query, rates: context.rates };
  const isWanted = ({ listing }: Matched): boolean =>
    isWithinPrice(listing, limits) && (condition.length === 0 || isInCondition(listing, condition));
  const batches = bulkhead(BATCHES_AT_ONCE, Infinity);
  const compareBatch = async (batch: StoredListing[]) => {
    const { matched: all, considered } = await findMatches(context, {
      of: batch,
      filters: { includeSameSource },
      explain,
    });
    const matched = all.map((matches) => matches.filter(isWanted));
    const found = matched.flatMap((matches) => matches.map((one) => one.listing));
    const toItem = await candidatesWith(include, found, context);
    return batch.map((listing, at) => ({
      ...comparisonOf(listing, matched[at] ?? [], toItem, context),
      ...(explain ? { considered: considered[at] ?? [] } : {}),
    }));
  };
  const comparisons = await Promise.all(
    chunksOf(listings, BATCH).map((batch) => batches.execute(() => compareBatch(batch))),
  );
  return comparisons.flat();
}

function comparisonOf(
  listing: StoredListing,
  matched: readonly Matched[],
  toItem: (listing: StoredListing) => Product,
  { rates }: Pick<Context, 'rates'>,
) {
  const matches = matched
    .map((match) => ({ ...toItem(match.listing), match_score: match.score, match_reasons: match.reasons }))
    .sort(
      (a, b) => b.match_score - a.match_score || comparePrices(rates, moneyOf(a), moneyOf(b)) || a.id - b.id,
    );
  const { id, name } = listing;
  return { source_product_id: id, source_product_name: name, matches, total_matches: matches.length };
}
