import { ownerOf } from '../../listing/owner.js';
import { isFarBelowUsual, medianByOwner, type OwnerPrice } from '../../listing/usual-price.js';
import { goesWithSomething, isAccessory, isItselfAccessory, mayBeAccessory } from './accessories.js';
import type { CandidateListing, StoredCandidate } from './candidate-listing.js';
import { endsInAccessory, headNounRole, type HeadNounRole, isLastPartIn } from './head-noun.js';
import { hasLongCode } from './model-conflicts.js';
import type { RequestedProduct } from './requested-product.js';

/** The confidence that a listing is the requested product, by how it accounts for the request, the surest way first. */
export const CONFIDENCE = { identified: 1, stated: 0.95, described: 0.8 } as const;
export type Standing = keyof typeof CONFIDENCE;
export const STANDINGS = Object.keys(CONFIDENCE) as Standing[];

/** The assessment of a listing that may be the requested product. */
export interface Assessment {
  listing: StoredCandidate;
  standing: Standing;
  /** Weaknesses of the listing, by their names in `DOUBTS`. */
  doubts: ReadonlySet<string>;
  /** The model numbers, joined by blanks, of which the request states only a part, so that it leaves open which one is meant. */
  longerCodes: string;
  accessory: 'no' | 'if cheap' | 'perhaps' | 'surely';
  /** Whether the listing is an accessory, regardless of what the request asks for. */
  isItselfAccessory: boolean;
  headNoun: HeadNounRole;
  /** Whether every word of the request is in the name, the brand or the categories of the listing. */
  isNamed: boolean;
}

/** Whether the request names a kind of product, such as "wireless headphones", and not one product. */
export const isKind = (query: RequestedProduct): boolean =>
  query.profile.measures.values.size === 0 && isKindInAnySize(query);

/** Whether the request names a kind of product and no model, possibly in a size with its unit: "PSU with more than 550 W". */
const isKindInAnySize = ({ profile: { words } }: RequestedProduct): boolean =>
  words.every(({ kind }) => kind === 'word');

/** The maximum number of words of a request for a kind of product, possibly in a certain size: "monitor 27". */
const MAX_KIND_WORDS = 3;
const SIZE = /^\d{2,4}(?:\.\d)?$/;

/** Whether the request names a kind of product and a size: `monitor 27`, `rice cooker 1.8 L`. */
export const isKindOfSize = ({ profile: { words } }: RequestedProduct): boolean =>
  words.length <= MAX_KIND_WORDS && words.every(({ kind, text }) => kind === 'word' || SIZE.test(text));

/** Whether the request is so short that a description, which may name other products, does not suffice to account for it. */
const isShortKind = (query: RequestedProduct): boolean =>
  isKind(query) && query.profile.words.length <= MAX_KIND_WORDS;

/** The number of search results whose prices show what the requested kind of product usually costs. */
const PRICE_SAMPLE = 10;
/** Up to this share of the usual price, a listing is not of the requested kind; the lower one applies if its name says it is. */
const FAR_BELOW = 0.2;
const FAR_BELOW_ITS_KIND = 0.05;

/** Selects the listings that sell what is requested, without its accessories. A request for a kind selects only that kind. */
export function soldAsRequested(query: RequestedProduct, assessed: readonly Assessment[]): Assessment[] {
  const accessories = assessed.filter(
    ({ isItselfAccessory, standing }) => isItselfAccessory || standing === 'identified',
  );
  // The lists of accessory words are not complete, so without a known accessory all listings remain.
  const assessments = query.asksForAccessory && accessories.length > 0 ? accessories : assessed;
  if (isKind(query)) return ofKind(withoutAccessories(assessments, 1));
  return withoutAccessories(
    isKindOfSize(query) ? soldFirst(assessments) : assessments,
    ACCESSORY_PRICE_SHARE,
  );
}

/** Selects the listings of the requested kind: those whose names say so, without prices far below the usual one. */
function ofKind(assessments: readonly Assessment[]): Assessment[] {
  const named = assessments.filter((one) => one.isNamed);
  const chosen = soldFirst(named.length > 0 ? named : assessments);
  const votes = medianByOwner(chosen.slice(0, PRICE_SAMPLE).flatMap(pricesOf));
  const shareOf = ({ headNoun }: Assessment) => (headNoun === 'of its kind' ? FAR_BELOW_ITS_KIND : FAR_BELOW);
  return chosen.filter((one) => !pricesOf(one).some((price) => isFarBelowUsual(price, shareOf(one), votes)));
}

const pricesOf = ({ listing }: Assessment): OwnerPrice[] =>
  listing.comparablePrice === null ? [] : [{ owner: ownerOf(listing), price: listing.comparablePrice }];

/** The listings that sell what the head noun names; else the best of those that lack the noun; else all listings. */
function soldFirst(assessments: readonly Assessment[]): readonly Assessment[] {
  const withRole = (...roles: HeadNounRole[]) => assessments.filter((one) => roles.includes(one.headNoun));
  const surest = STANDINGS.find((one) => assessments.some(({ standing }) => standing === one));
  const calledOtherwise = withRole('missing').filter(({ standing }) => standing === surest);
  return [withRole('of its kind', 'sold'), calledOtherwise].find((some) => some.length > 0) ?? assessments;
}

/** A listing that sounds like an accessory is treated as an accessory if its price is at most this share of the usual price. */
export const ACCESSORY_PRICE_SHARE = 0.25;

/** Up to this share of the usual price, a listing whose name continues with an accessory is treated as one. */
const NAMED_ACCESSORY_PRICE_SHARE = 0.6;

/**
 * Leaves out accessories. A listing that only sounds like one stays if others have its category and it costs more than
 * `priceShare` of the usual price. If all sound like accessories, only sure ones are left out.
 */
function withoutAccessories(assessments: readonly Assessment[], priceShare: number): Assessment[] {
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

type RoleInListing = ReturnType<typeof roleInListing>;

/** The role of the requested thing in a listing: the listing sells it, or only mentions it. */
export function roleInListing(query: RequestedProduct, candidate: CandidateListing, isNamed: boolean) {
  const { asksForAccessory } = query;
  // A model number identifies the product regardless of the words around it.
  const isByModel = hasLongCode(query.profile) && !asksForAccessory;
  const headNoun = isByModel ? 'sold' : headNounRole(candidate, query.phrase);
  const isItself = isItselfAccessory(candidate);
  return {
    headNoun,
    isItselfAccessory: isItself,
    /** Whether the listing is of the requested kind. Searches sorted by price apply the same definition of a kind. */
    isRequestedKind: headNoun === 'of its kind' && isItself === asksForAccessory,
    /** Whether the name has the head noun only as the last part of a German compound. */
    isCompound: !isNamed && candidate.query.words.some((word) => isLastPartIn(word, candidate)),
    isNamed,
  };
}

/** Whether a listing only mentions what is requested. @param isDescribed whether only its description has all words. */
export function isOnlyMentioned(
  query: RequestedProduct,
  { headNoun, isItselfAccessory: isItself, isRequestedKind, isCompound, isNamed }: RoleInListing,
  isDescribed: boolean,
): boolean {
  const { asksForAccessory } = query;
  const isOfDepartment = headNoun === 'of its department';
  if (headNoun === 'of an accessory') return true;
  if (isShortKind(query) && !isRequestedKind && (isDescribed || isOfDepartment)) return true;
  if (headNoun === 'in the box' && (isCompound || (isKindInAnySize(query) && !asksForAccessory))) return true;
  // A printer that states "Ink: 4 colours" in its attributes is no ink, although both go with the model that a request names.
  const isElsewhere = headNoun === 'missing' && !isNamed && !isCompound;
  return asksForAccessory && !isItself && (headNoun === 'in the box' || isOfDepartment || isElsewhere);
}

/** How likely a listing is an accessory of what is requested. */
export function accessoryRole(
  query: RequestedProduct,
  candidate: CandidateListing,
  { headNoun, isItselfAccessory: isItself, isRequestedKind }: RoleInListing,
): Assessment['accessory'] {
  const isOfKind = isKind(query);
  if (query.asksForAccessory && isItself && (isRequestedKind || headNoun === 'sold')) return 'no';
  if (isAccessory(candidate) && !(isOfKind && isRequestedKind)) return 'surely';
  // What the name says the listing is outweighs an accessory that it only mentions: "Kopi-O Bag Coffee" is coffee.
  const isPerhaps =
    (mayBeAccessory(candidate) && headNoun !== 'of its kind') || (isOfKind && goesWithSomething(candidate));
  if (isPerhaps && !isRequestedKind) return 'perhaps';
  return endsInAccessory(candidate) ? 'if cheap' : 'no';
}
