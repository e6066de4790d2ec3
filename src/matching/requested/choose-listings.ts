import { type Token } from '../../text/tokenize.js';
import { TIER_WORDS, VARIANTS } from '../../text/vocabulary.js';
import {
  hasSpecifications,
  missingFromHead,
  replacesWord,
  readVariantWords,
  shareModelNumber,
  withHeadOnly,
} from '../head-comparison.js';
import { lazy } from '../description.js';
import { shopOf } from '../evidence.js';
import { MATCH_THRESHOLD } from '../match.js';
import { presence, type WordWeight } from '../overlap.js';
import { type Profile, type ProfileReader, readProfile } from '../profile.js';
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
  lacksCount,
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
  const best =
    standing === 'identified' ? named : nearestNames(query, named, variantWordsOf(candidates, read), read);
  return best.map(({ listing }) => ({ candidate: listing as T, confidence: CONFIDENCE[standing] }));
}

/**
 * Finds the words for variants in the listings. They are computed on demand, because they are needed only if
 * a listing states no brand.
 */
const variantWordsOf = (listings: readonly StoredCandidate[], read: ProfileReader) =>
  lazy(() => readVariantWords(listings.map((one) => ({ shop: shopOf(one), profile: read(one) }))));

/** The minimum number of words of a request that names a product by its maker and line, without a number. */
const MIN_NAME_WORDS = 3;

/**
 * Chooses among listings that all have the words of the request. Other variants are left out if there are
 * listings without a further variant word: "X670-P WIFI" for "X670-P". If the request begins with the maker
 * of such a listing, it names a product. Then listings that have some of its words only in their
 * specifications, and other words in their heads (the beginnings of their names), are left out. Listings that
 * state a brand are all kept, because the other rules suffice for them.
 */
function nearestNames(
  query: RequestedProduct,
  chosen: readonly Assessment[],
  variants: () => ReadonlySet<string>,
  read: ProfileReader,
): readonly Assessment[] {
  const { words } = query.profile;
  const names = chosen.map((one) => {
    const profile = read(one.listing);
    if (profile.brand.length > 0) return { one, maker: profile.brand, isVariant: false, isOther: false };
    const added = missingFromHead(profile, [query.profile], variants());
    const lacking = missingFromHead(query.profile, [withHeadOnly(profile)], variants());
    const maker =
      profile.maker.length > 0 ? profile.maker : profile.words.slice(0, 1).map(({ text }) => text);
    const isOtherLine = lacking.words.length > 0 && added.words.some(({ text }) => !maker.includes(text));
    return { one, maker, isVariant: added.variants.length > 0, isOther: isOtherLine };
  });
  const isProduct =
    words.length >= MIN_NAME_WORDS &&
    names.some(({ maker, isVariant }) => !isVariant && maker[0] === words[0]?.text);
  if (isKind(query) && !isProduct) return chosen;
  const nearest = names.filter(({ isVariant, isOther }) => !isVariant && !(isProduct && isOther));
  return nearest.length === 0 ? chosen : nearest.map(({ one }) => one);
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
 * Whether the listing states no brand, but has the requested model number and all other words of the request.
 * It can still be the product, because shops leave out a brand that the model implies.
 */
function impliesBrand(candidate: CandidateListing): boolean {
  const { query, profile, brands } = candidate;
  const hasModel = hasLongCode(query) || [...query.numbers].some((number) => !number.includes('.'));
  if (profile.maker.length > 0 || brands.size === 0 || !hasModel) return false;
  const missing = query.words.filter(
    (word, index) => word.kind === 'word' && !isJoined(index, candidate) && !isPresent(word, candidate),
  );
  return missing.length > 0 && missing.every(({ text }) => brands.has(text));
}

/**
 * Selects the candidates that are offers of the requested product under other names: listings that match
 * one of its listings, and state nothing that contradicts the request. If the request is the exact name
 * of a listing, they need not share an identifier with it, and a shared GTIN outweighs differences of
 * the model.
 * @param ofProduct listings of the requested product.
 * @param candidates listings that match one of them.
 * @param found all listings that were found for the request.
 */
export function withoutContradicting<T extends StoredCandidate>(
  query: RequestedProduct,
  ofProduct: readonly T[],
  candidates: readonly (T & { confidence: number })[],
  found: readonly T[],
  read: ProfileReader = readProfile,
): T[] {
  const variants = variantWordsOf([...ofProduct, ...candidates, ...found], read);
  const models = new Set(ofProduct.flatMap(({ internal }) => internal.models));
  const isName = ofProduct.some((one) => isExactName(one, query.typed));
  const profiles = ofProduct.map((one) => read(one));
  return readCandidates(query, candidates, ofProduct, read).flatMap((candidate, at) => {
    const { profile, listing } = candidate;
    const { confidence } = candidates[at] as { confidence: number };
    const sharesGtin = profiles.some(({ gtins }) => [...gtins].some((one) => profile.gtins.has(one)));
    const isLinked = isName || profiles.some((one) => shareIdentifier(one, profile));
    const sharesModel = listing.internal.models.some((model) => models.has(model));
    const contradicts =
      !isLinked ||
      (isAnotherProduct(candidate, sharesModel) && !(isName && sharesGtin)) ||
      (!sharesGtin && isOfOtherName(query.profile, profiles, profile, { variants, confidence })) ||
      isUnrequestedPack(candidate) ||
      isOtherKit(candidate) ||
      contradictsSizes(candidate) ||
      (!sharesGtin && lacksCount(candidate)) ||
      hasOtherColour(candidate);
    return contradicts ? [] : [candidates[at] as T];
  });
}

/** The confidence from which on an offer may lack words of the request, if no name lists specifications. */
const LIKELY = 0.76;

/**
 * Whether the name of a listing that shares no model number with the product is that of another product: it lacks a word or
 * colour of the request that all listings of the product have, or it adds a variant word. A likely match may lack words,
 * unless one of the names lists specifications: many products share them, so they make other products likely too.
 * @param ofProduct the listings of the requested product, whose names may be longer than the request.
 */
function isOfOtherName(
  query: Profile,
  ofProduct: readonly Profile[],
  listing: Profile,
  { variants, confidence }: { variants: () => ReadonlySet<string>; confidence: number },
): boolean {
  if (ofProduct.some((one) => shareModelNumber(one, listing))) return false;
  const lacking = (by: Profile) =>
    missingFromHead(query, [by], variants()).words.filter(({ text }) => !by.brand.includes(text));
  const lackedByProduct = new Set(ofProduct.flatMap(lacking));
  const lacked = lacking(listing).filter((word) => !lackedByProduct.has(word));
  const mayLack =
    confidence >= LIKELY &&
    ![query, listing, ...ofProduct].some(hasSpecifications) &&
    !replacesWord(query, lacked, listing);
  if (lacked.length > 0 && !mayLack) return true;
  const hasColour = (one: Profile, colour: string) =>
    one.colours.has(colour) || one.statedColours.has(colour);
  const colours = [...query.colours].filter((colour) => ofProduct.every((one) => hasColour(one, colour)));
  if (colours.some((colour) => !hasColour(listing, colour))) return true;
  const added = ofProduct.map((one) => missingFromHead(listing, [query, one], variants()));
  return listing.brand.length === 0 && added.every((one) => one.variants.length > 0);
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
