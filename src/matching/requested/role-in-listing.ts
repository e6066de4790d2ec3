import { goesWithSomething, isAccessory, isItselfAccessory, mayBeAccessory } from './accessories.js';
import type { CandidateListing } from './candidate-listing.js';
import { endsInAccessory, headNounRole, type HeadNounRole, isLastPartIn } from './head-noun.js';
import { type Assessment, isKind, isShortKind } from './kind-requests.js';
import { hasLongCode } from './model-conflicts.js';
import type { RequestedProduct } from './requested-product.js';

/** What the requested thing is in a listing: what is sold, or something that the listing mentions. */
interface RoleInListing {
  headNoun: HeadNounRole;
  isItselfAccessory: boolean;
  /** Whether the listing is of the requested kind. Searches by price list the same listings for a text that names a kind. */
  isRequestedKind: boolean;
  /** Whether the name has the head noun only as the last part of a German compound. */
  isCompound: boolean;
  /** Whether the name, the brand or the categories have all words of the request. */
  isNamed: boolean;
}

export function roleInListing(
  query: RequestedProduct,
  candidate: CandidateListing,
  isNamed: boolean,
): RoleInListing {
  const { asksForAccessory } = query;
  // A model number identifies the product regardless of the words around it.
  const isByModel = hasLongCode(query.profile) && !asksForAccessory;
  const headNoun = isByModel ? 'sold' : headNounRole(candidate, query.phrase);
  const isItself = isItselfAccessory(candidate);
  return {
    headNoun,
    isItselfAccessory: isItself,
    isRequestedKind: headNoun === 'of its kind' && isItself === asksForAccessory,
    isCompound: !isNamed && candidate.query.words.some((word) => isLastPartIn(word, candidate)),
    isNamed,
  };
}

/**
 * Whether a listing of something else only mentions what is requested.
 * @param isDescribed whether only its description has all words of the request.
 */
export function isOnlyMentioned(
  query: RequestedProduct,
  { headNoun, isItselfAccessory: isItself, isRequestedKind, isCompound, isNamed }: RoleInListing,
  isDescribed: boolean,
): boolean {
  const { asksForAccessory } = query;
  const isOfDepartment = headNoun === 'of its department';
  if (headNoun === 'of an accessory') return true;
  if (isShortKind(query) && !isRequestedKind && (isDescribed || isOfDepartment)) return true;
  if (headNoun === 'in the box' && (isCompound || (isKind(query) && !asksForAccessory))) return true;
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
