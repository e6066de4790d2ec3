import type { StoredListing } from '../listing/listing.js';
import { ownerOf } from '../listing/owner.js';
import {
  isOutlier,
  isPlaceholder,
  isUnusuallyLow,
  medianByOwner,
  MISTRUSTED,
  type OwnerPrice,
  usualPrice,
} from '../listing/usual-price.js';
import { comparablePriceOf, type ExchangeRates } from '../listing/rates.js';
import { kindsOf } from '../naming/kinds.js';
import type { Flag } from '../schemas/quality.js';
import { singular } from '../text/singular.js';

/**
 * Returns the ids of the offers whose price is so low compared with the other offers that it is a placeholder, such as that of
 * a raffle ticket. With only one or two owners, the usual price is computed from similar products of others as well. Offers of
 * one product are also unlikely if no other owner is near their price, even without the flag for that, which needs links.
 * @param others listings that were found and are not the product.
 */
export function unlikelyOffers(
  offers: readonly StoredListing[],
  others: readonly StoredListing[],
  { rates, isOneProduct }: { rates: ExchangeRates; isOneProduct: boolean },
): Set<number> {
  const currency = offers[0]?.currency ?? null;
  const priced = (listings: readonly StoredListing[]) => pricesOf(listings, currency, rates);
  const own = priced(offers);
  const highest = Math.max(...own.map(({ price }) => price));
  if (!own.some(({ price }) => isOutlier(price, highest))) return new Set();
  const ofOwners = usualPrice(own);
  const usual = ofOwners ?? usualPrice([...own, ...priced(ofSameKind(offers, others))]);
  if (usual === null) return new Set();
  const medians = [...medianByOwner(own)];
  const isAlone = ({ owner, price }: OwnerPrice): boolean =>
    isOneProduct &&
    ofOwners !== null &&
    price < usual.price &&
    isOutlier(price, usual.price) &&
    medians.every(([name, median]) => name === owner || !isUnusuallyLow(median, usual.price));
  const unlikely = own.filter((one) => isPlaceholder(one.price, usual.price) || isAlone(one));
  return new Set(unlikely.map(({ id }) => id));
}

const pricesOf = (listings: readonly StoredListing[], currency: string | null, rates: ExchangeRates) =>
  listings.flatMap((listing) => {
    const price = comparablePriceOf(listing, currency, rates);
    return price === null ? [] : [{ id: listing.id, owner: ownerOf(listing), price }];
  });

/**
 * Creates a function that returns an offer of a product with the flag `price_low` if its price is below half of the usual one and
 * no flag says so yet: stored flags compare the prices of linked listings only.
 * @param offers all offers of the product.
 */
export function lowPriceFlagging(
  offers: readonly StoredListing[],
  rates: ExchangeRates,
): (offer: StoredListing) => StoredListing {
  const byCurrency = new Map<string | null, ReturnType<typeof usualPrice>>();
  const usualIn = (currency: string | null) => {
    const known = byCurrency.get(currency);
    if (known !== undefined) return known;
    const usual = usualPrice(pricesOf(offers, currency, rates));
    byCurrency.set(currency, usual);
    return usual;
  };
  return (offer) => {
    const { internal, currency } = offer;
    const { flags = [] } = internal;
    if (flags.some((flag) => PRICE_FLAGS.includes(flag))) return offer;
    const price = comparablePriceOf(offer, currency, rates);
    const usual = usualIn(currency);
    if (price === null || usual === null || !isUnusuallyLow(price, usual.price)) return offer;
    return { ...offer, internal: { ...internal, flags: [...flags, 'price_low'] } };
  };
}

const PRICE_FLAGS: readonly Flag[] = [...MISTRUSTED, 'price_low'];

/** The listings of other owners that are of the same kind of thing as one of the offers. */
function ofSameKind(offers: readonly StoredListing[], others: readonly StoredListing[]): StoredListing[] {
  const kindsOfListing = ({ name, category }: StoredListing) => kindsOf(name, category).map(singular);
  const owners = new Set(offers.map(ownerOf));
  const kinds = new Set(offers.flatMap(kindsOfListing));
  return others.filter(
    (other) => !owners.has(ownerOf(other)) && kindsOfListing(other).some((kind) => kinds.has(kind)),
  );
}
