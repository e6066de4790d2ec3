import { useApi } from '../api.js';
import { Price } from '../components.js';
import { isOfPrice, shopName } from '../format.js';
import type { Comparison, Product } from '../types.js';
import { isForeign, named, plainName } from './product-title.js';

/** The most products whose offers one request returns. */
const MOST = 20;

/**
 * Asks for the other offers of products, of each of which one listing is known, by one request.
 * @returns the other offers of a listing's product, as far as they are known.
 */
export function useOtherOffers(of: readonly Pick<Product, 'id'>[]): (listing: { id: number }) => Product[] {
  const ids = [...new Set(of.map(({ id }) => id))].slice(0, MOST);
  const path = '/v1/products/compare';
  const call =
    ids.length === 1
      ? { path: `${path}?product_id=${ids[0]}&include_same_source=true&include=condition,flags` }
      : { path, body: { product_ids: ids, include_same_source: true, include: ['condition', 'flags'] } };
  const { data } = useApi<Comparison | { comparisons: Comparison[] }>(ids.length === 0 ? null : call);
  const known = data === null ? [] : 'comparisons' in data ? data.comparisons : [data];
  return ({ id }) => known.find(({ source_product_id: one }) => one === id)?.matches ?? [];
}

/** A page of products has 24. */
const MANY = 12;

type Named = Pick<Product, 'id' | 'name'>;

/**
 * Asks for other names of the listings that are not named in the script of the page, unless there are many: then the catalogue is
 * in another script. @returns the name that is shown of a listing.
 */
export function useNames(listings: readonly Named[]): (listing: Named) => string {
  const foreign = listings.filter(isForeign);
  const othersOf = useOtherOffers(foreign.length > MANY ? [] : foreign);
  return (listing) => plainName(named<{ name: string }>(listing, othersOf(listing)).name);
}

/** The lowest price of a product in the currency of a listing of it, for new goods and in stock if any are; that of the listing if it is the only one. */
export function LowestPrice({ listing, others }: { listing: Product; others: readonly Product[] }) {
  const { price, currency, source } = listing;
  const all = [listing, ...others];
  const shops = new Set(all.map((one) => one.source)).size;
  const priced = all.filter(
    (one) =>
      one.price !== null &&
      one.currency === currency &&
      (one.condition?.value ?? 'new') === 'new' &&
      !one.flags?.some(isOfPrice),
  );
  const inStock = priced.filter((one) => one.is_available !== false);
  const [lowest] = (inStock.length > 0 ? inStock : priced).sort((a, b) => Number(a.price) - Number(b.price));
  const isOfAll = shops > 1 && lowest !== undefined;
  return (
    <span>
      {isOfAll && 'from '}
      <Price price={isOfAll ? lowest.price : price} currency={currency} />{' '}
      <span class="note">{isOfAll ? `in ${shops} shops` : `at ${shopName(source)}`}</span>
    </span>
  );
}
