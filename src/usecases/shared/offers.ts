import { hasMistrustedPrice } from '../../listing/flags.js';
import type { StoredListing } from '../../listing/listing.js';
import { formatUnits, toUnits } from '../../listing/price.js';
import { fold, words } from '../../text/words.js';
import { convert, type ExchangeRates } from '../../listing/rates/convert.js';
import { type Links, toProduct } from '../../listing/to-product.js';
import { type Buyable, byBestPrice, type Matched } from '../../matching/comparison.js';
import { comparePriced, smallestUnits } from './price-spread.js';

/** Which offers, in which order. */
export interface OfferFilters {
  in_stock?: boolean | undefined;
  /** Codes, one of which it must have. */
  currencies?: readonly string[] | undefined;
  sort: 'price' | 'updated';
  /** Whether flags of prices do not count. */
  includeFlagged?: boolean | undefined;
  limit: number;
  offset: number;
}

/**
 * What a product is called and costs, and a page of its offers.
 * @param asked the listing whose product it is, an offer itself; `others` those beside it.
 */
export function toOffers(
  asked: StoredListing,
  others: readonly Matched[],
  { sort, limit, offset, includeFlagged, ...filters }: OfferFilters,
  { rates, links }: { rates: ExchangeRates; links: Links },
) {
  const offered = [{ listing: asked, score: 1, reasons: [] }, ...others];
  const all = offered.map(({ listing }) => listing);
  const wanted = offered.filter(({ listing }) => isWanted(listing, filters));
  const listings = wanted.map(({ listing }) => listing);
  const { prices, ...costs } = costsOf(listings, asked.currency, { rates, includeFlagged });
  const priced = listings.filter(({ id }) => prices.get(id) !== null);
  const ranks = ranksOf(priced, { rates, includeFlagged });
  const order = sort === 'price' ? byBestPrice(rates, { includeFlagged }) : byUpdate;
  const page = wanted.sort((a, b) => order(a.listing, b.listing)).slice(offset, offset + limit);
  return {
    name: mostTypical(all),
    brand: commonestBrand(all),
    gtins: [...new Set(all.flatMap(({ internal }) => internal.gtins))].sort(),
    models: [...new Set(all.flatMap(({ internal }) => internal.models))].sort(),
    total: wanted.length,
    ...costs,
    offers: page.map(({ listing, score, reasons }) => {
      const price = prices.get(listing.id) ?? null;
      return {
        ...toProduct(listing, links),
        match_score: score,
        match_reasons: reasons,
        price_converted: price === null ? null : formatUnits(Number(price)),
        price_rank: price === null ? null : (ranks.get(listing.id) ?? null),
      };
    }),
  };
}

/** The rank of each price, by id: of equal ones the same. Those that are none come behind all that are. */
function ranksOf(
  priced: readonly Costing[],
  { rates, includeFlagged = false }: { rates: ExchangeRates; includeFlagged?: boolean | undefined },
): Map<number, number> {
  const isTrusted = ({ internal }: Costing) => includeFlagged || !hasMistrustedPrice(internal);
  const trusted = priced.filter(isTrusted);
  const mistrusted = priced.filter((one) => !isTrusted(one));
  const ranked = (some: readonly Costing[], behind: number) =>
    comparePriced(some, rates).ranks.map((rank, at) => [some[at]?.id ?? 0, behind + rank] as const);
  return new Map([...ranked(trusted, 0), ...ranked(mistrusted, trusted.length)]);
}

/** What of a listing tells what its product costs. */
export type Costing = Buyable & Pick<StoredListing, 'source'>;

/**
 * From how many shops a product is, and what it costs there.
 * @param currency to compare prices in, where they are in several and it has a rate.
 * @param options.includeFlagged whether flags of prices do not count; else a price that is none is in no range.
 * @returns `prices`, by id: in the currency of the range, in ten-thousandths; null: none, or no rate.
 */
export function costsOf(
  listings: readonly Costing[],
  currency: string | null,
  { rates, includeFlagged = false }: { rates: ExchangeRates; includeFlagged?: boolean | undefined },
) {
  const target = targetOf(listings, currency, rates);
  const prices = new Map(listings.map((listing) => [listing.id, convertedPrice(listing, target, rates)]));
  const trusted = listings.filter(({ internal }) => includeFlagged || !hasMistrustedPrice(internal));
  const byPrice = byBestPrice(rates, { includeFlagged });
  const best = listings.filter(({ price }) => price !== null).sort(byPrice)[0];
  return {
    prices,
    sources: new Set(listings.map(({ source }) => source)).size,
    price_range: rangeOf(
      trusted.map(({ id }) => prices.get(id) ?? null),
      target,
    ),
    best_offer_id: best?.id ?? null,
  };
}

const isWanted = (
  { is_available, currency }: StoredListing,
  { in_stock, currencies }: Pick<OfferFilters, 'in_stock' | 'currencies'>,
): boolean =>
  (in_stock === undefined || is_available === in_stock) &&
  (currencies === undefined || (currency !== null && currencies.includes(currency)));

const byUpdate = (a: StoredListing, b: StoredListing): number =>
  Number(b.updated_at > a.updated_at) - Number(b.updated_at < a.updated_at) || a.id - b.id;

/** The one currency that all prices are in, else the wanted one, else the first with a rate; undefined: none. */
function targetOf(
  listings: readonly Costing[],
  wanted: string | null,
  { perBase }: ExchangeRates,
): string | null | undefined {
  const currencies = listings.flatMap(({ price, currency }) => (price === null ? [] : [currency]));
  if (new Set(currencies).size <= 1) return currencies[0];
  return [wanted, ...currencies].find((currency) => currency !== null && perBase.has(currency));
}

/** In ten-thousandths, rounded to what the currency has; null: no price, or no rate. */
function convertedPrice(
  { price, currency }: Costing,
  target: string | null | undefined,
  rates: ExchangeRates,
): bigint | null {
  if (price === null || target === undefined) return null;
  return convert(rates, toUnits(price), currency, target, smallestUnits(target));
}

function rangeOf(prices: readonly (bigint | null)[], currency: string | null | undefined) {
  const known = prices.filter((price) => price !== null).map(Number);
  if (known.length === 0) return null;
  return {
    currency: currency ?? null,
    min: formatUnits(Math.min(...known)),
    max: formatUnits(Math.max(...known)),
  };
}

/** Gives each source one vote, shared by its listings, so that none names a product by listing it many times. */
function votesOf<T extends { source: string }>(listings: readonly T[]): { one: T; vote: number }[] {
  const counts = new Map<string, number>();
  for (const { source } of listings) counts.set(source, (counts.get(source) ?? 0) + 1);
  return listings.map((one) => ({ one, vote: 1 / (counts.get(one.source) ?? 1) }));
}

const sumByText = (votes: Iterable<readonly [string, number]>): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const [text, vote] of votes) sums.set(text, (sums.get(text) ?? 0) + vote);
  return sums;
};

/** The brand with most votes; of several, the first in the alphabet. */
function commonestBrand(listings: readonly StoredListing[]): string | null {
  const branded = listings.flatMap(({ source, brand }) => (brand === null ? [] : [{ source, brand }]));
  const sums = sumByText(votesOf(branded).map(({ one, vote }) => [one.brand, vote] as const));
  const [first] = [...sums].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return first?.[0] ?? null;
}

/** The name that has most in common with the others: the fewest words of its own, the most of theirs. */
function mostTypical(listings: readonly StoredListing[]): string {
  const names = votesOf(listings).map(({ one: { name, id }, vote }) => ({
    name,
    id,
    vote,
    words: new Set(words(fold(name)).map(({ text }) => text)),
  }));
  const sums = sumByText(names.flatMap(({ words, vote }) => [...words].map((word) => [word, vote] as const)));
  const sources = new Set(listings.map(({ source }) => source)).size;
  const typical = ({ words }: (typeof names)[number]): number =>
    // A word that most sources have counts for a name, one that few have against it.
    [...words].reduce((sum, word) => sum + (2 * (sums.get(word) ?? 0)) / sources - 1, 0);
  const [best] = names.sort(
    (a, b) => typical(b) - typical(a) || a.name.length - b.name.length || a.id - b.id,
  );
  return best?.name ?? '';
}
