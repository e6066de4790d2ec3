import { ownerOf } from '../../listing/owner.js';
import { isFarBelowUsual, medianByOwner, type OwnerPrice } from '../../listing/price-statistics.js';
import type { StoredCandidate } from './candidate-listing.js';
import type { HeadNounRole } from './head-noun.js';
import type { RequestedProduct } from './requested-product.js';

/**
 * The confidence that a listing is the requested product, 0 to 1, by how the listing accounts for the
 * words of the request. The surest way comes first.
 */
export const CONFIDENCE = { identified: 1, stated: 0.95, described: 0.8 } as const;
export type Standing = keyof typeof CONFIDENCE;
export const STANDINGS = Object.keys(CONFIDENCE) as Standing[];

/** The assessment of a listing that may be the requested product. */
export interface Assessment {
  listing: StoredCandidate;
  standing: Standing;
  /**
   * Weaknesses of the listing as the requested product. A listing that has one is chosen only if every
   * listing has it.
   */
  doubts: ReadonlySet<string>;
  /**
   * The model numbers of the listing of which the request states only a part, joined by blanks. Listings with different ones
   * are different products, and the request does not say which of them is meant.
   */
  longerCodes: string;
  accessory: 'no' | 'if cheap' | 'perhaps' | 'surely';
  /** Whether it is an accessory, regardless of what the request asks for. */
  isItselfAccessory: boolean;
  headNoun: HeadNounRole;
  /** Whether every word of the request is in the name, the brand or the categories of the listing. */
  isNamed: boolean;
}

/** Whether the request names a kind of product, such as "wireless headphones", and not one product. */
export const isKind = ({ profile: { words, measures } }: RequestedProduct): boolean =>
  measures.values.size === 0 && words.every(({ kind }) => kind === 'word');

/**
 * The maximum number of words of a request that asks for a kind of product, possibly in a certain size,
 * such as "monitor 27".
 */
const MAX_KIND_WORDS = 3;
const SIZE = /^\d{2,4}(?:\.\d)?$/;

/** Whether the request names a kind of product and a size: `monitor 27`, `rice cooker 1.8 L`. */
export const isKindOfSize = ({ profile: { words } }: RequestedProduct): boolean =>
  words.length <= MAX_KIND_WORDS && words.every(({ kind, text }) => kind === 'word' || SIZE.test(text));

/**
 * Whether the request is so short that a listing's description does not suffice to account for its
 * words. Descriptions also name other products that the listing goes with.
 */
export const isShortKind = (query: RequestedProduct): boolean =>
  isKind(query) && query.profile.words.length <= MAX_KIND_WORDS;

/** The number of search results whose prices show what the requested kind of product usually costs. */
const PRICE_SAMPLE = 10;
/**
 * A listing whose price is at or below this share of the usual price is not of the requested kind of product, unless it is
 * surely of it: the cheapest printer may cost a tenth of the others.
 */
const FAR_BELOW = 0.2;
const FAR_BELOW_ITS_KIND = 0.05;

/**
 * Selects the listings of the requested kind of product: those whose names say so and whose price is not
 * far below the usual one. A mouse for a laptop is not a laptop.
 */
export function ofKind(assessments: readonly Assessment[]): Assessment[] {
  const named = assessments.filter((one) => one.isNamed);
  const chosen = soldFirst(named.length > 0 ? named : assessments);
  const votes = medianByOwner(chosen.slice(0, PRICE_SAMPLE).flatMap(pricesOf));
  const shareOf = ({ headNoun }: Assessment) => (headNoun === 'of its kind' ? FAR_BELOW_ITS_KIND : FAR_BELOW);
  return chosen.filter((one) => !pricesOf(one).some((price) => isFarBelowUsual(price, shareOf(one), votes)));
}

/**
 * Returns a list of the comparable price of a listing with its owner. The list is empty if the price is
 * unknown.
 */
const pricesOf = ({ listing }: Assessment): OwnerPrice[] =>
  listing.comparablePrice === null ? [] : [{ owner: ownerOf(listing), price: listing.comparablePrice }];

/**
 * Selects the listings that sell what the head noun of the request names. If there are none, selects the
 * listings without the head noun that account best for the words of the request. If there are none
 * either, selects all. A tablet whose description mentions microSD does not count as a card if there are
 * listings of cards.
 */
export function soldFirst(assessments: readonly Assessment[]): readonly Assessment[] {
  const withRole = (...roles: HeadNounRole[]) => assessments.filter((one) => roles.includes(one.headNoun));
  const surest = STANDINGS.find((one) => assessments.some(({ standing }) => standing === one));
  const calledOtherwise = withRole('missing').filter(({ standing }) => standing === surest);
  return [withRole('of its kind', 'sold'), calledOtherwise].find((some) => some.length > 0) ?? assessments;
}

/**
 * Selects the listings of accessories for a request that asks for one; all if there are none, because no list has every noun
 * of an accessory.
 */
export function accessoriesFirst(assessments: readonly Assessment[]): readonly Assessment[] {
  const accessories = assessments.filter(
    ({ isItselfAccessory, standing }) => isItselfAccessory || standing === 'identified',
  );
  return accessories.length > 0 ? accessories : assessments;
}

/**
 * The share of the product's usual price up to which a listing that sounds like an accessory counts as
 * one.
 */
export const ACCESSORY_PRICE_SHARE = 0.25;

/**
 * The share of the product's usual price up to which a listing counts as an accessory whose name continues after the words
 * of the request with one.
 */
const NAMED_ACCESSORY_PRICE_SHARE = 0.6;

/**
 * Leaves out accessories of the requested product. A listing that only sounds like one, such as a
 * "memory card" or a "hard case suitcase", stays if other listings have its category and it is not far
 * cheaper. If all listings sound like accessories, the word belongs to the product, and only those that
 * surely are accessories are left out.
 * @param priceShare the share of the usual price at or below which a listing that sounds like an
 *   accessory is one.
 */
export function withoutAccessories(assessments: readonly Assessment[], priceShare: number): Assessment[] {
  const plain = assessments.filter(({ accessory }) => accessory === 'no');
  if (plain.length === 0) return assessments.filter(({ accessory }) => accessory !== 'surely');
  const categories = new Set(plain.flatMap(({ listing }) => listing.category ?? []));
  const votes = medianByOwner(plain.flatMap(pricesOf));
  return assessments.filter((one) => {
    if (one.accessory === 'no') return true;
    const costsAtMost = (share: number) =>
      pricesOf(one).some((price) => isFarBelowUsual(price, share, votes));
    if (one.accessory === 'if cheap') return !costsAtMost(NAMED_ACCESSORY_PRICE_SHARE);
    const { category } = one.listing;
    const isTooCheap = costsAtMost(priceShare);
    return category !== null && categories.has(category) && !isTooCheap;
  });
}
