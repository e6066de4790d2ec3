import { type Token } from '../../text/tokenize.js';
import { TIER_WORDS, VARIANTS } from '../../text/vocabulary.js';
import { MATCH_THRESHOLD } from '../match.js';
import { presence, type WordWeight } from '../overlap.js';
import { type ProfileReader, readProfile } from '../profile.js';
import { goesWithSomething, isAccessory, mayBeAccessory } from './accessories.js';
import {
  type CandidateListing,
  isJoined,
  isPresent,
  readCandidates,
  type StoredCandidate,
} from './candidate-listing.js';
import { headNounRole, namedByNumber } from './head-noun.js';
import {
  ACCESSORY_PRICE_SHARE,
  type Assessment,
  CONFIDENCE,
  isKind,
  isKindOfSize,
  isLiteral,
  isShortKind,
  ofKind,
  soldFirst,
  type Standing,
  STANDINGS,
  withoutAccessories,
} from './kind-requests.js';
import {
  codeAgreement,
  hasLongCode,
  hasNumbers,
  hasOtherCode,
  hasOtherNumber,
  hasOtherTier,
  isOfOtherBrand,
  isOfOtherLine,
  isOfSameSeries,
  lacksTier,
  lacksUnstatedBrand,
  shareIdentifier,
} from './model-conflicts.js';
import { isExactName, type RequestedProduct } from './requested-product.js';
import {
  contradictsSizes,
  hasColours,
  hasMeasures,
  hasOtherColour,
  isOtherKit,
  isUnrequestedPack,
} from './size-conflicts.js';

/** A listing that a search found for a shopper's request, and the fields in which it matched. */
export interface FoundListing<T extends StoredCandidate> {
  candidate: T;
  /**
   * Whether every word of the request is in the name, the brand or the categories, as Elasticsearch analyzes
   * them.
   */
  named: boolean;
  /** Whether every word of the request is in the name, the brand, the categories or the attributes. */
  stated: boolean;
  /**
   * Whether every word of the request is in the name, the brand, the categories, the attributes or the
   * description.
   */
  described: boolean;
}

/** A listing that was chosen as an offer of the requested product. */
interface ChosenListing<T> {
  candidate: T;
  /** The confidence that the listing is the requested product, 0 to 1. */
  confidence: number;
}

/**
 * Chooses the listings that are offers of the requested product. A request says less than the name of a
 * listing: what it leaves open, such as the colour, may be anything. But the listing must account for
 * every word of the request, and have the requested numbers, sizes and colours. Accessories are chosen
 * only if the request names them.
 * @param read a memoizing reader, for callers that read the listings more than once.
 * @returns the chosen listings, in the order in which they were found.
 */
export function chooseListings<T extends StoredCandidate>(
  query: RequestedProduct,
  found: readonly FoundListing<T>[],
  read: ProfileReader = readProfile,
): ChosenListing<T>[] {
  const candidates = found.map(({ candidate }) => candidate);
  const assessments = readCandidates(query, candidates, [], read).flatMap((candidate, at) => {
    const assessment = assess(query, candidate, found[at] as FoundListing<T>);
    return assessment === null ? [] : [{ ...assessment, listing: candidates[at] as T }];
  });
  const products = isKind(query)
    ? ofKind(withoutAccessories(assessments, 1))
    : withoutAccessories(isKindOfSize(query) ? soldFirst(assessments) : assessments, ACCESSORY_PRICE_SHARE);
  const standing = STANDINGS.find((one) => products.some((product) => product.standing === one));
  if (standing === undefined) return [];
  let chosen: readonly Assessment[] = products.filter((product) => product.standing === standing);
  for (const doubt of ['nearCode', 'otherBrand', 'pack'] as const) {
    const sure = chosen.filter(({ doubts }) => !doubts[doubt]);
    if (sure.length > 0) chosen = sure;
  }
  const named = standing === 'identified' ? chosen : namedByNumber(query, chosen);
  return named.map(({ listing }) => ({ candidate: listing as T, confidence: CONFIDENCE[standing] }));
}

/** Assesses how well a listing fits the request. Returns null if it is not the requested product. */
function assess<T extends StoredCandidate>(
  query: RequestedProduct,
  candidate: CandidateListing,
  found: FoundListing<T>,
): Assessment | null {
  const { identifiers, models } = candidate.listing.internal;
  const numbers = identifiers.filter((one) => !models.includes(one));
  const isNamed = found.named;
  if (query.identifiers.some((one) => numbers.includes(one)))
    return { ...IDENTIFIED, listing: candidate.listing, isNamed };
  const code = codeAgreement(candidate);
  if (code === 'missing') return null;
  if (!hasNumbers(candidate) || !hasMeasures(candidate) || !hasColours(candidate)) return null;
  if (hasOtherTier(candidate) || isOfOtherLine(candidate)) return null;
  const standing = standingOf(candidate, found);
  if (standing === null) return null;
  // A model number identifies the product regardless of the words around it.
  const headNoun = hasLongCode(query.profile) ? 'sold' : headNounRole(candidate, query.phrase);
  if (headNoun === 'of an accessory' || (headNoun === 'in the box' && isKind(query))) return null;
  const isCalledSo = (isNamed && headNoun !== 'of its department') || headNoun === 'sold';
  if (isShortKind(query) && (standing !== 'stated' || !isCalledSo)) return null;
  const mayGoWithIt =
    mayBeAccessory(candidate) || (isKind(query) && goesWithSomething(candidate)) ? 'perhaps' : 'no';
  const accessory = isAccessory(candidate) ? 'surely' : mayGoWithIt;
  if (accessory !== 'no' && headNoun !== 'sold' && isKind(query)) return null;
  return {
    listing: candidate.listing,
    standing,
    accessory,
    doubts: {
      nearCode: code === 'near',
      otherBrand: isOfOtherBrand(candidate),
      pack: isUnrequestedPack(candidate),
    },
    isLiteral: isKind(query) && isLiteral(candidate),
    headNoun,
    isNamed,
  };
}

const IDENTIFIED = {
  standing: 'identified',
  doubts: { nearCode: false, otherBrand: false, pack: false },
  accessory: 'no',
  isLiteral: true,
  headNoun: 'sold',
} as const;

/**
 * Returns how the listing accounts for the words of the request (see `CONFIDENCE`), or null if it does
 * not. Metadata is read only if the name does not suffice.
 */
function standingOf(
  candidate: CandidateListing,
  found: { stated: boolean; described: boolean },
): Standing | null {
  if (found.stated ? !isStatedOfAnother(candidate) : impliesBrand(candidate)) return 'stated';
  const { query, brands, weight, profiles } = candidate;
  const plain = query.words.filter(({ kind }) => kind === 'word');
  const missing = plain.filter((word) => !isPresent(word, candidate));
  if (missing.some(({ text }) => brands.has(text) || VARIANTS.has(text) || TIER_WORDS.has(text))) return null;
  if (found.described && !found.stated && 2 * missing.length <= plain.length) return 'described';
  if (candidate.score() < MATCH_THRESHOLD || query.words.length < MIN_ALIKE_WORDS) return null;
  const areKnown = missing.every((word) => profiles.some((other) => presence(word, other) === 1));
  const total = weightOf(query.words, weight);
  return areKnown && weightOf(missing, weight) <= MAX_MISSING * total ? 'alike' : null;
}

/**
 * The minimum number of words of a request for which a listing can be chosen by its match score,
 * although it lacks some of them.
 */
const MIN_ALIKE_WORDS = 4;
/**
 * The maximum share of the request's words, by weight, that a listing may lack if it is chosen by its
 * match score.
 */
const MAX_MISSING = 0.25;
const weightOf = (words: readonly Token[], weight: WordWeight): number =>
  words.reduce((sum, { text }) => sum + weight(text), 0);

/**
 * Whether a word of the request occurs in the listing only where its metadata names the products that it is
 * compatible with.
 */
function isStatedOfAnother(candidate: CandidateListing): boolean {
  const { goesWith } = candidate.stated;
  return candidate.query.words.some((word) => presence(word, goesWith) === 1 && !isPresent(word, candidate));
}

/**
 * Whether the listing states no brand, but has the requested model and all other words of the request.
 * Shops leave out a brand that the model implies.
 */
function impliesBrand(candidate: CandidateListing): boolean {
  const { query, profile, brands } = candidate;
  if (profile.brand.length > 0 || brands.size === 0 || query.numbers.size + query.codes.size === 0)
    return false;
  return query.words.every(
    (word, index) =>
      word.kind !== 'word' ||
      brands.has(word.text) ||
      isJoined(index, candidate) ||
      isPresent(word, candidate),
  );
}

/**
 * Selects the candidates that are offers of the requested product under other names: listings that match
 * one of its listings, and state nothing that contradicts the request. If the request is the exact name
 * of a listing, they need not share an identifier with it, and a shared GTIN outweighs differences of
 * the model.
 * @param ofProduct listings of the requested product.
 * @param candidates listings that match one of them.
 */
export function withoutContradicting<T extends StoredCandidate>(
  query: RequestedProduct,
  ofProduct: readonly T[],
  candidates: readonly T[],
  read: ProfileReader = readProfile,
): T[] {
  const models = new Set(ofProduct.flatMap(({ internal }) => internal.models));
  const isName = ofProduct.some((one) => isExactName(one, query.typed));
  const profiles = ofProduct.map((one) => read(one));
  return readCandidates(query, candidates, ofProduct, read).flatMap((candidate, at) => {
    const { profile, listing } = candidate;
    const sharesGtin = profiles.some(({ gtins }) => [...gtins].some((one) => profile.gtins.has(one)));
    const isLinked = isName || profiles.some((one) => shareIdentifier(one, profile));
    const sharesModel = listing.internal.models.some((model) => models.has(model));
    const contradicts =
      !isLinked ||
      (isAnotherProduct(candidate, sharesModel) && !(isName && sharesGtin)) ||
      isUnrequestedPack(candidate) ||
      isOtherKit(candidate) ||
      contradictsSizes(candidate) ||
      hasOtherColour(candidate);
    return contradicts ? [] : [candidates[at] as T];
  });
}

const isAnotherProduct = (candidate: CandidateListing, sharesModel: boolean): boolean =>
  (!sharesModel && (hasOtherTier(candidate) || lacksTier(candidate))) ||
  isOfOtherLine(candidate) ||
  isOfSameSeries(candidate) ||
  hasOtherNumber(candidate) ||
  hasOtherCode(candidate) ||
  lacksUnstatedBrand(candidate) ||
  isOfOtherBrand(candidate) ||
  isAccessory(candidate);
