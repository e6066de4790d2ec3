import { filterClauses } from '../../engine/queries/refinements.js';
import { productNameIn } from '../../engine/queries/query-text.js';
import { interpret, mayNameSource, type ParameterWords } from '../../engine/queries/interpret/interpret.js';
import { readSourceCodes } from '../../engine/source-codes.js';
import { hasDelivery } from '../../listing/delivery.js';
import { conditionInSearch, conditionsOfBest } from '../../listing/condition.js';
import { CONDITIONS_SCHEMA } from '../../listing/schema-versions.js';
import type { StoredListing } from '../../listing/listing.js';
import { floorUnits, toUnits } from '../../listing/price.js';
import { comparePrices, type ExchangeRates } from '../../listing/rates.js';
import { byBestPrice, outrankedBy } from '../../products/offer-order.js';
import { lowPriceFlagging, unlikelyOffers } from '../../products/unlikely-offers.js';
import { isKind, isKindOfSize } from '../../matching/requested/kind-requests.js';
import { readRequestedProduct, withoutInchMarks } from '../../matching/requested/requested-product.js';
import { refusalsOf } from '../../matching/requested/refusal-reasons.js';
import { MAX_CONSIDERED, toCandidate } from '../../matching/stored-matches.js';
import type { Condition } from '../../schemas/condition.js';
import type { RankBy } from '../../schemas/delivery.js';
import type { Include } from '../../schemas/include.js';
import type { ConsideredOffer, NearestListing } from '../../schemas/explain.js';
import { withoutCondition } from '../../naming/condition.js';
import type { Context } from '../context.js';
import {
  checkFilters,
  checkInclude,
  includedBy,
  withComparableLimits,
} from '../../products/list-requests.js';
import { readExcludingText } from '../../products/exclusions.js';
import {
  findProduct,
  type FoundProduct,
  type PriceLimits,
  type ProductOffer,
  readerOf,
  type Wording,
} from './find-product.js';

export interface BestPriceQuery {
  /** What the shopper looks for: the name of a product, an identifier, or the address of a product page. */
  q: string;
  category?: string;
  condition?: readonly Condition[];
  /** Whether flagged (suspicious) prices are trusted like any other price. By default, they are not. */
  include_flagged?: boolean;
  rank_by?: RankBy;
  explain?: boolean;
  /** Whether the listings that are nearest to a product that is not found are wanted. */
  nearest?: boolean;
  include?: Include;
}

export type BestPrice = Awaited<ReturnType<typeof chooseBestPrice>>;

/** Finds the product that a text names, and sorts its offers so that the best one to buy comes first. */
export async function chooseBestPrice(context: Context, query: BestPriceQuery) {
  const { rates } = context;
  const rankBy = query.rank_by;
  const include = includedBy(query);
  await checkInclude(context, include);
  const { q, refinements } = await readExcludingText(context, query.q.trim(), true);
  const conditions = await wantedConditions(context, { ...query, q });
  const exclusions = refinements.map(({ clause }) => clause);
  const ofCategory = filterClauses({ category: query.category }, context.now()).concat(exclusions);
  const filter = ofCategory.concat(filterClauses({ condition: [...conditions] }, context.now()));
  const sources = mayNameSource(q) ? await readSourceCodes(context.es, context.products) : [];
  const wordings = readWordings(context, { ...query, q }, { conditions, sources });
  const product = await findProduct(context, wordings, { filter: ofCategory, explain: query.explain });
  const found = withinLimits(product, context);
  const unlikely = unlikelyOffersOf(found, rates);
  const trust = { includeFlagged: query.include_flagged, unlikely, conditions };
  const order = byBestPrice(rates, trust, rankBy);
  const warned = isOneProduct(found)
    ? lowPriceFlagging(listingsOf(found.offers), rates)
    : (listing: StoredListing) => listing;
  const offers = found.offers
    .filter(({ listing }) => listing.price !== null)
    .sort((a, b) => order(a.listing, b.listing))
    .map((offer) => ({ ...offer, listing: warned(offer.listing) }));
  return {
    /** The offers of the product that have a price, the best one first; empty if no listing with a price is the product. */
    offers,
    /** The text that was searched instead of `q`, if `q` contains a typo. */
    corrected: found.corrected,
    /** The filter clauses of the engine query that every offer matches. */
    filter,
    /** The product that was found, and which prices are trusted, from which the choice is explained. */
    found,
    trust,
    rankBy,
    /** The members that the offers include. */
    include,
    /** If the offers are ranked by their total: how many of them have no known delivery price. */
    without_delivery:
      rankBy === 'total' ? offers.filter(({ listing }) => !hasDelivery(listing, rates)).length : undefined,
  };
}

/**
 * The conditions of goods that a request asks for: those of its parameter, otherwise those that its text names, otherwise `new`.
 * Empty if the index has an earlier schema, whose listings have no condition.
 */
async function wantedConditions(context: Context, query: BestPriceQuery): Promise<readonly Condition[]> {
  await checkFilters(context, { condition: [...(query.condition ?? [])] });
  return (await context.schemaVersion()) < CONDITIONS_SCHEMA ? [] : conditionsOfBest(query);
}

/**
 * The ways to read a text, the likeliest first. Words that name a condition ("used phone") are left out, because listings may
 * state the condition elsewhere, and so are price limits and shops ("tv under 1500 from Amazon"). Further readings leave out inch
 * marks, and the words around the name of the product ("laptop for students") and those that searches read as parameters. The
 * last one keeps the words for a condition, because they may be part of a new product's name (a clock with a second hand).
 */
function readWordings(
  context: Context,
  { q, condition = [], nearest }: BestPriceQuery,
  { conditions, sources }: { conditions: readonly Condition[]; sources: readonly string[] },
): [Wording, ...Wording[]] {
  const namesCondition = conditions.length > 0 && conditionInSearch(q) !== null;
  const text = namesCondition ? withoutCondition(q) : q;
  const limits = readLimits(context, text, sources);
  const bare = limits?.text ?? text;
  const unmarked = withoutInchMarks(bare);
  const named = productNameIn(bare);
  const withNew = condition.length > 0 ? conditions : [...conditions, 'new' as const];
  const wording = (of: string, wanted: readonly Condition[], within: PriceLimits | null = null): Wording => ({
    query: readRequestedProduct(of),
    limits: within,
    filter: filterClauses({ condition: [...wanted], ...within?.filters }, context.now(), context.rates),
  });
  const spare = [
    ...(unmarked === null ? [] : [wording(unmarked, conditions, limits)]),
    ...(named === bare ? [] : [wording(named, conditions, limits)]),
    ...(namesCondition ? [wording(q, withNew)] : []),
    ...(nearest === true ? [{ ...wording(text, []), isOtherCondition: true }] : []),
  ];
  return [
    wording(text, conditions),
    ...(limits === null ? [] : [wording(limits.text, conditions, limits)]),
    ...spare.map((one) => ({ ...one, isSpare: true })),
  ];
}

/** Reads the price limits and the shops in a text. Null if the text has none, or contains nothing else. */
function readLimits(context: Context, q: string, sources: readonly string[]): PriceLimits | null {
  const { text, read } = interpret(q, { sources });
  const isLimit = ({ parameter }: ParameterWords) => ['min_price', 'max_price', 'source'].includes(parameter);
  if (text === '' || !read.some(isLimit)) return null;
  const limits = withComparableLimits(read, context);
  const valueOf = (name: ParameterWords['parameter']) =>
    limits.find(({ parameter }) => parameter === name)?.value;
  const currency = valueOf('currency');
  const filters = {
    min_price: valueOf('min_price'),
    price_currency: valueOf('price_currency'),
    currency: currency === undefined ? [] : [currency],
    source: valueOf('source')?.split('|') ?? [],
  };
  return { text, filters, most: valueOf('max_price') };
}

/**
 * Leaves out the offers above the upper price limit in the text. The search includes them, because their prices show what the
 * product usually costs, and so which cheap listings are something else, such as an accessory of a TV.
 */
function withinLimits(found: FoundProduct, { rates }: Pick<Context, 'rates'>): FoundProduct {
  const { most, filters: { price_currency } = {} } = found.limits ?? {};
  if (most === undefined) return found;
  const unlikely = unlikelyOffersOf(found, rates);
  const isWithin = ({ listing: { id, price, currency: own } }: ProductOffer) => {
    const limit = { units: floorUnits(most), currency: price_currency ?? own };
    if (price === null || unlikely.has(id)) return false;
    return comparePrices(rates, { units: toUnits(price), currency: own }, limit) <= 0;
  };
  const tooExpensive = listingsOf(found.offers.filter((offer) => !isWithin(offer)));
  return {
    ...found,
    offers: found.offers.filter(isWithin),
    refused: [...tooExpensive, ...found.refused],
    tooExpensive,
  };
}

const isOneProduct = ({ query }: FoundProduct): boolean => !isKind(query) && !isKindOfSize(query);

const unlikelyOffersOf = (found: FoundProduct, rates: ExchangeRates): Set<number> =>
  unlikelyOffers(listingsOf(found.offers), found.refused, { rates, isOneProduct: isOneProduct(found) });

const listingsOf = (offers: readonly ProductOffer[]): StoredListing[] => offers.map(({ listing }) => listing);

/**
 * Returns the listings that explain the choice of the best offer: half of them other offers of the product, and half other
 * products. If there are too few of one kind, there are more of the other.
 */
export function consideredOffers(
  { offers, found: { query, refused }, trust, rankBy = 'price' }: BestPrice,
  { rates }: Pick<Context, 'rates'>,
): ConsideredOffer[] {
  const [best, ...others] = listingsOf(offers);
  if (best === undefined) return [];
  const priced = refused.filter(({ price }) => price !== null);
  const room = Math.max(MAX_CONSIDERED / 2, MAX_CONSIDERED - priced.length);
  const outranked = others.slice(0, room - 1);
  const refusedShown = priced.slice(0, MAX_CONSIDERED - 1 - outranked.length);
  const candidates = (listings: readonly StoredListing[]) =>
    listings.map((one) => toCandidate(one, best.currency, rates));
  const refusals = refusalsOf(query, candidates([best, ...outranked]), candidates(refusedShown));
  const consider = (
    { id, name, price, currency }: StoredListing,
    rejected: ConsideredOffer['rejected'],
  ): ConsideredOffer => ({ id, name, price: price ?? '', currency, rejected });
  return [
    consider(best, null),
    ...outranked.map((one) => consider(one, outrankedBy(best, one, { rates, trust, rankBy }))),
    ...refusedShown.map((one, at) => consider(one, refusals[at]?.rejected ?? null)),
  ];
}

/** The maximum number of listings that are returned if none is the product. */
export const MAX_NEAREST = 5;
/** The number of refused listings among which the nearest ones are selected. The searches return the likeliest first. */
const MAX_COMPARED = 30;

/** The weight of a word that a listing lacks. A missing number is more likely to mean another product than a missing word. */
const weightOf = (word: string): number => (/\d/.test(word) ? 2 : 1);
/** The penalty for a listing that may be an accessory, in the same unit as that for a missing word. */
const ACCESSORY_WEIGHT = 1;

/**
 * Selects the listings nearest to a product that was not found: the product without a price, above the limit or in another
 * condition, then refused listings that lack the fewest words of the text, and not all.
 */
export function nearestListings(
  { found: { offers, refused, tooExpensive = [], inOtherCondition = [], query } }: BestPrice,
  { rates, products }: Pick<Context, 'rates' | 'products'>,
): (NearestListing & { listing: StoredListing })[] {
  const tooDear = new Set(tooExpensive);
  const others = refused.filter((one) => one.price !== null && !tooDear.has(one)).slice(0, MAX_COMPARED);
  const candidates = others.map((one) => toCandidate(one, one.currency, rates));
  const refusals = refusalsOf(query, [], candidates, readerOf({ products }));
  const distance = ({ rejected, missing }: NearestListing) =>
    missing.reduce((sum, word) => sum + weightOf(word), rejected === 'accessory' ? ACCESSORY_WEIGHT : 0);
  const nearest = refusals
    .flatMap(({ shared, ...why }, at) =>
      shared > 0 ? [{ listing: others[at] as StoredListing, ...why }] : [],
    )
    .toSorted((a, b) => distance(a) - distance(b));
  return [
    ...tooExpensive.map((listing) => ({ listing, rejected: 'dearer' as const, missing: [] })),
    ...listingsOf(offers).map((listing) => ({ listing, rejected: 'no_price' as const, missing: [] })),
    ...inOtherCondition.map((listing) => ({ listing, rejected: 'condition' as const, missing: [] })),
    ...nearest,
  ].slice(0, MAX_NEAREST);
}
