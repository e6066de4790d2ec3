import { isFarBelowUsual, type SourcePrice, medianBySource } from '../../listing/price-statistics.js';
import { memoize } from '../../text/memoize.js';
import { presence } from '../overlap.js';
import { readProfile } from '../profile.js';
import type { CandidateListing, StoredCandidate } from './candidate-listing.js';
import type { HeadNounRole } from './head-noun.js';
import { asCandidate, type RequestedProduct } from './requested-product.js';

/** The confidence that a listing is the requested product, by how it accounts for the words, the surest first. */
export const CONFIDENCE = { identified: 1, stated: 0.95, described: 0.8, alike: 0.6 } as const;
export type Standing = keyof typeof CONFIDENCE;
export const STANDINGS = Object.keys(CONFIDENCE) as Standing[];

/** The assessment of a candidate that may be the requested product. */
export interface Assessment {
  listing: StoredCandidate;
  standing: Standing;
  /** Weaknesses of the match. A listing that has one is chosen only if no listing is without it. */
  doubts: { nearCode: boolean; otherBrand: boolean; pack: boolean };
  accessory: 'no' | 'perhaps' | 'surely';
  /** Whether the listing contains the words themselves, and not synonyms of them. */
  isLiteral: boolean;
  headNoun: HeadNounRole;
  /** Whether every word is in the name, the brand and the categories. */
  isNamed: boolean;
}

/** Whether the request names a kind of product, such as "wireless headphones", and not one product. */
export const isKind = ({ profile: { words, measures } }: RequestedProduct): boolean =>
  measures.values.size === 0 && words.every(({ kind }) => kind === 'word');

/** The maximum number of words of a request for a kind of product in a certain size. */
const MAX_KIND_WORDS = 3;
const SIZE = /^\d{2,4}(?:\.\d)?$/;

/** Whether the request names a kind of product in a certain size: `monitor 27`, `rice cooker 1.8 L`. */
export const isKindOfSize = ({ profile: { words } }: RequestedProduct): boolean =>
  words.length <= MAX_KIND_WORDS && words.every(({ kind, text }) => kind === 'word' || SIZE.test(text));

/** Whether a description does not suffice to account for the words, because it also names what a product goes with. */
export const isShortKind = (query: RequestedProduct): boolean =>
  isKind(query) && query.profile.words.length <= MAX_KIND_WORDS;

/** The number of search results whose prices show what the kind usually costs. */
const PRICE_SAMPLE = 10;
/** A listing at or below this share of the usual price is another kind of product. */
const FAR_BELOW = 0.2;

/** The listings of the requested kind: those whose names say so, at a usual price. A mouse for a laptop is not a laptop. */
export function ofKind(assessments: readonly Assessment[]): Assessment[] {
  const named = assessments.filter((one) => one.isNamed);
  const chosen = soldFirst(inLiteralCategories(named.length > 0 ? named : assessments));
  const votes = medianBySource(chosen.slice(0, PRICE_SAMPLE).flatMap(pricesOf));
  return chosen.filter((one) => !pricesOf(one).some((price) => isFarBelowUsual(price, FAR_BELOW, votes)));
}

/** The comparable price of a listing with its source. Empty if it has none. */
const pricesOf = ({ listing: { source, comparablePrice } }: Assessment): SourcePrice[] =>
  comparablePrice === null ? [] : [{ source, price: comparablePrice }];

/**
 * The listings that are for sale as the head noun. If there are none, those that do not contain it, as far as they have the
 * surest standing. If there are none either, all. A tablet whose description mentions microSD does not count as a card if
 * there are listings of cards.
 */
export function soldFirst(assessments: readonly Assessment[]): readonly Assessment[] {
  const withRole = (role: HeadNounRole) => assessments.filter((one) => one.headNoun === role);
  const surest = STANDINGS.find((one) => assessments.some(({ standing }) => standing === one));
  const calledOtherwise = withRole('missing').filter(({ standing }) => standing === surest);
  return [withRole('sold'), calledOtherwise].find((some) => some.length > 0) ?? assessments;
}

/**
 * A synonym counts only in the categories of listings that contain the word itself: a notebook is a laptop in the category
 * of laptops, and paper elsewhere.
 */
function inLiteralCategories(assessments: readonly Assessment[]): Assessment[] {
  const literal = assessments.filter((one) => one.isLiteral && one.headNoun === 'sold');
  const categories = new Set(literal.map(({ listing }) => listing.category));
  return assessments.filter(
    ({ isLiteral, listing: { category } }) =>
      categories.size === 0 || isLiteral || (category !== null && categories.has(category)),
  );
}

/** The maximum share of the product's price that an accessory costs. */
export const ACCESSORY_PRICE_SHARE = 0.25;

/**
 * Leaves out accessories. A listing that only sounds like one, such as a "memory card" or a "hard case suitcase", stays if
 * its category and price are those of other listings. If all sound so, the word belongs to the product, and only those that
 * surely are accessories are left out.
 * @param priceShare the share of the usual price at or below which such a listing is an accessory.
 */
export function withoutAccessories(assessments: readonly Assessment[], priceShare: number): Assessment[] {
  const plain = assessments.filter(({ accessory }) => accessory === 'no');
  if (plain.length === 0) return assessments.filter(({ accessory }) => accessory === 'perhaps');
  const categories = new Set(plain.flatMap(({ listing }) => listing.category ?? []));
  const votes = medianBySource(plain.flatMap(pricesOf));
  return assessments.filter((one) => {
    if (one.accessory === 'no') return true;
    const { category } = one.listing;
    const isTooCheap = pricesOf(one).some((price) => isFarBelowUsual(price, priceShare, votes));
    return category !== null && categories.has(category) && !isTooCheap;
  });
}

const MEMOIZED_CATEGORIES = 1_024;

const profileOfCategory = memoize(MEMOIZED_CATEGORIES, (name) => readProfile(asCandidate(name)));

/** Whether the name or the category contains the words themselves. Departments name other kinds too, so they do not count. */
export function isLiteral({ query, profile, listing }: CandidateListing): boolean {
  const category = profileOfCategory(listing.category ?? '');
  return query.words.every((word) => presence(word, profile) === 1 || presence(word, category) === 1);
}
