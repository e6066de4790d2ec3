import { GROUPS_SCHEMA } from '../listing/schema-versions.js';
import { conditionsOfBest, isInCondition } from '../listing/condition.js';
import { isLinked, type StoredListing } from '../listing/listing.js';
import { ownerOf } from '../listing/owner.js';
import { formatUnits } from '../listing/price.js';
import { candidatesWith } from '../products/included.js';
import { hasDelivery } from '../listing/delivery.js';
import { byBestPrice } from '../products/offer-order.js';
import type { Matched } from '../matching/stored-matches.js';
import type { Condition } from '../schemas/condition.js';
import type { RankBy } from '../schemas/delivery.js';
import { defaultLimit, type PageQuery } from '../schemas/include.js';
import { distinctBy } from '../platform/distinct.js';
import { notFound } from '../platform/errors.js';
import { foldProse } from '../text/fold.js';
import { tokenize } from '../text/tokenize.js';
import type { Context } from './context.js';
import {
  checkFilters,
  checkInclude,
  checkOffset,
  checkSchema,
  includedBy,
  pageFrame,
} from '../products/list-requests.js';
import { findOffers } from '../matcher/find-matches.js';
import { isPossibleId } from '../products/product-ids.js';
import { costsOf } from '../products/product-prices.js';
import { priceRanks } from '../products/price-spread.js';
import { lowPriceFlagging } from '../products/unlikely-offers.js';

interface OffersQuery extends PageQuery {
  in_stock?: boolean | undefined;
  currency?: readonly string[] | undefined;
  condition?: readonly Condition[] | undefined;
  sort?: 'price' | 'updated';
  rank_by?: RankBy;
  /** Whether prices of listings with a flag for a suspicious price count as trusted. */
  include_flagged?: boolean | undefined;
}

/** Returns a product and a page of its offers. @throws ApiError 404 if no listing has the id, 400 if the offset is too large. */
export async function listOffers(context: Context, id: number, query: OffersQuery) {
  const { in_stock, sort = 'price', include_flagged: includeFlagged, offset = 0 } = query;
  const { limit = defaultLimit(query.include, 50) } = query;
  const { rates } = context;
  const rankBy = query.rank_by;
  const include = includedBy(query);
  checkOffset(offset);
  await checkInclude(context, include);
  const conditions = query.condition ?? [];
  await checkFilters(context, { condition: [...conditions] });
  const found = isPossibleId(id) ? await findOffers(context, id) : null;
  if (found === null) throw notFound('Product not found');
  const { listing, others } = found;
  const { group_id, linked_at = null } = listing.internal;
  if (group_id === undefined) await checkSchema(context, { 'offers of a product': GROUPS_SCHEMA });
  const currencies = query.currency?.map((code) => code.toUpperCase());
  const isWanted = ({ is_available, currency, internal }: StoredListing): boolean =>
    (conditions.length === 0 || isInCondition({ internal }, conditions)) &&
    (in_stock === undefined || is_available === in_stock) &&
    (currencies === undefined || (currency !== null && currencies.includes(currency)));

  const all: Matched[] = [{ listing, score: 1, reasons: [] }, ...others];
  const trust = { rates, includeFlagged, rankBy, conditions: conditionsOfBest(query) };
  const byPrice = byBestPrice(rates, trust, rankBy);
  const matching = all.filter((one) => isWanted(one.listing));
  const wanted = bestOfAlike(matching, byPrice);
  const listings = wanted.map((one) => one.listing);
  const { prices, currency: converted, ...costs } = costsOf(listings, listing.currency, trust);
  const priced = listings.filter((one) => prices.get(one.id) !== null);
  const ranks = priceRanks(priced, trust);
  const lacksDelivery = (one: StoredListing) => !hasDelivery(one, rates);
  const order = sort === 'price' ? byPrice : byUpdate;
  const page = wanted.sort((a, b) => order(a.listing, b.listing)).slice(offset, offset + limit);
  // Flags of prices are stored for linked listings only.
  const warned = isLinked(listing) ? (offer: StoredListing) => offer : lowPriceFlagging(listings, rates);
  const offered = page.map(({ listing: offer }) => offer);
  const toItem = await candidatesWith(include, offered, context, context.now());
  const { has_more } = pageFrame({ total: wanted.length, items: page.length }, { limit, offset });
  return {
    group_id: group_id ?? id,
    basis: isLinked(listing) ? ('linked' as const) : ('live' as const),
    linked_at: isLinked(listing) ? linked_at : null,
    ...productOf(all.map((one) => one.listing)),
    ...costs,
    total: wanted.length,
    ...(rankBy === 'total' && { without_delivery: listings.filter(lacksDelivery).length }),
    offers: page.map(({ listing: offer, score, reasons }) => {
      const price = prices.get(offer.id) ?? null;
      return {
        ...toItem(warned(offer)),
        match_score: score,
        match_reasons: reasons,
        price_converted: price === null ? null : formatUnits(Number(price), converted),
        price_rank: price === null ? null : (ranks.get(offer.id) ?? null),
      };
    }),
    limit,
    offset,
    has_more,
  };
}

/** Returns the best one of the near-identical offers of each owner. The offers of a single owner are all returned. */
function bestOfAlike(offers: readonly Matched[], byPrice: (a: StoredListing, b: StoredListing) => number) {
  if (new Set(offers.map(({ listing }) => ownerOf(listing))).size < 2) return [...offers];
  const sorted = offers.toSorted((a, b) => byPrice(a.listing, b.listing));
  // Listings in an index of an earlier schema have no key.
  return distinctBy(sorted, ({ listing: { id, internal } }) => internal.alike ?? id);
}

const byUpdate = (a: StoredListing, b: StoredListing): number =>
  Number(b.updated_at > a.updated_at) - Number(b.updated_at < a.updated_at) || a.id - b.id;

const productOf = (listings: readonly StoredListing[]) => ({
  name: mostTypicalName(listings),
  brand: mostFrequentBrand(listings),
  gtins: [...new Set(listings.flatMap(({ internal }) => internal.gtins))].sort(),
  models: [...new Set(listings.flatMap(({ internal }) => internal.models))].sort(),
});

/** The votes of all listings of an owner add up to one, so that no owner outvotes the others with many listings. */
function votesOf(listings: readonly StoredListing[]): { listing: StoredListing; vote: number }[] {
  const counts = new Map<string, number>();
  for (const one of listings) counts.set(ownerOf(one), (counts.get(ownerOf(one)) ?? 0) + 1);
  return listings.map((listing) => ({ listing, vote: 1 / (counts.get(ownerOf(listing)) ?? 1) }));
}

const sumVotes = (votes: Iterable<readonly [string, number]>): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const [text, vote] of votes) sums.set(text, (sums.get(text) ?? 0) + vote);
  return sums;
};

/** Returns the brand with the most votes of owners; ties go to the first one in alphabetical order. */
function mostFrequentBrand(listings: readonly StoredListing[]): string | null {
  const branded = listings.filter(({ brand }) => brand !== null);
  const sums = sumVotes(votesOf(branded).map(({ listing, vote }) => [listing.brand ?? '', vote] as const));
  const [first] = [...sums].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return first?.[0] ?? null;
}

/** Returns the most typical name of a product: it shares the most words with the other names and has the fewest of its own. */
function mostTypicalName(listings: readonly StoredListing[]): string {
  const names = votesOf(listings).map(({ listing: { name, id }, vote }) => ({
    name,
    id,
    vote,
    words: new Set(tokenize(foldProse(name)).map(({ text }) => text)),
  }));
  const sums = sumVotes(names.flatMap(({ words, vote }) => [...words].map((word) => [word, vote] as const)));
  const owners = new Set(listings.map(ownerOf)).size;
  const typicality = ({ words }: (typeof names)[number]): number =>
    // A word counts in favour of a name if most owners have it, and against the name if few owners do.
    [...words].reduce((sum, word) => sum + (2 * (sums.get(word) ?? 0)) / owners - 1, 0);
  const [best] = names.sort(
    (a, b) => typicality(b) - typicality(a) || a.name.length - b.name.length || a.id - b.id,
  );
  return best?.name ?? '';
}
