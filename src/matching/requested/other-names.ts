import { groupOf, isLinked } from '../../listing/listing.js';
import { lazy } from '../../text/memoize.js';
import { isTier } from '../../text/vocabulary.js';
import { shopOf } from '../evidence.js';
import {
  hasNearCode,
  hasSpecifications,
  isInHead,
  missingFromHead,
  readVariantWords,
  replacesWord,
} from '../head-comparison.js';
import { shareAny } from '../cheap-features.js';
import { compareNumbers } from '../numbers.js';
import type { Profile, ProfileReader } from '../profile.js';
import { shareCode, shareModelNumber } from '../codes.js';
import { isAccessory } from './accessories.js';
import {
  type CandidateListing,
  isPresent,
  readCandidates,
  type StoredCandidate,
} from './candidate-listing.js';
import {
  addsEdition,
  hasCodes,
  hasLongCode,
  isOfOtherLine,
  hasOtherTier,
  isLongCode,
  isOfOtherBrand,
} from './model-conflicts.js';
import type { RequestedProduct } from './requested-product.js';
import { isExactName } from '../../text/exact-name.js';
import {
  contradictsSizes,
  hasOtherColour,
  isOtherKit,
  isUnrequestedPack,
  lacksCount,
} from './size-conflicts.js';

/**
 * A listing linked to, or matching, the product. `isOutvoted`: as many owners have the product in another group as in its own.
 */
type MatchingListing = StoredCandidate & { confidence: number; isDecided?: boolean; isOutvoted?: boolean };

/**
 * Selects the offers of the requested product under other names: those that people decided to be the product, linked ones without
 * another size, tier or model, and matches that share an identifier and contradict nothing. If the request is the exact name of a
 * listing, matches need no identifier, and a shared GTIN outweighs a different model.
 * @param others listings that are linked to one of `ofProduct`, or match it. @param found all listings that were found.
 */
export function offersUnderOtherNames<T extends MatchingListing>(
  query: RequestedProduct,
  ofProduct: readonly StoredCandidate[],
  others: readonly T[],
  found: readonly StoredCandidate[],
  read: ProfileReader,
): T[] {
  const variants = lazy(() =>
    readVariantWords(
      [...ofProduct, ...others, ...found].map((one) => ({ shop: shopOf(one), profile: read(one) })),
    ),
  );
  const models = new Set(ofProduct.flatMap(({ internal }) => internal.models));
  const isName = ofProduct.some((one) => isExactName(one, query.typed));
  const profiles = ofProduct.map((one) => read(one));
  const candidates = readCandidates(query, others, ofProduct, read);
  return others.filter((other, at) => {
    if (other.isDecided === true) return true;
    const candidate = candidates[at] as CandidateListing;
    const { profile, listing } = candidate;
    const sharesGtin = profiles.some(({ gtins }) => shareAny(gtins, profile.gtins));
    if (contradictsSizes(candidate) || (!sharesGtin && lacksCount(candidate))) return false;
    if (isLinked(other) && ofProduct.some((one) => isLinked(one) && groupOf(one) === groupOf(other)))
      return (
        !goesWithOther(candidate, profiles) &&
        !lacksTier(candidate) &&
        !isOfNearModel(candidate) &&
        !isOfOtherLine(candidate) &&
        !(other.isOutvoted === true && (hasOtherCode(candidate) || isOfSameSeries(candidate)))
      );
    const sharesModel = listing.internal.models.some((model) => models.has(model));
    return (
      !addsEdition(profile, [query.profile, ...profiles]) &&
      (isName || profiles.some((one) => shareIdentifier(one, profile))) &&
      (!isAnotherProduct(candidate, sharesModel) || (isName && sharesGtin)) &&
      (sharesGtin ||
        !isOfOtherName(query.profile, profiles, profile, { variants, confidence: other.confidence })) &&
      !isUnrequestedPack(candidate) &&
      !isOtherKit(candidate) &&
      !hasOtherColour(candidate)
    );
  });
}

/** Whether the listing lacks a word of the request, and goes with a product that no listing of the requested product names. */
const goesWithOther = (candidate: CandidateListing, ofProduct: readonly Profile[]): boolean =>
  candidate.profile.target.size > 0 &&
  candidate.query.words.some((word) => !isPresent(word, candidate)) &&
  !ofProduct.some(({ forms }) => shareAny(candidate.profile.target, forms));

/** From this confidence on, an offer may lack words of the request, unless one of the names lists specifications. */
const LIKELY = 0.76;

/**
 * Whether a name without a common model number is that of another product: it lacks a word or colour of the request that all
 * listings of the product have, or adds a variant. A likely match may lack words if no name lists specifications.
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
  isOfSameSeries(candidate) ||
  compareNumbers(candidate.query, candidate.profile).conflict === 1 ||
  hasOtherCode(candidate) ||
  lacksUnstatedBrand(candidate) ||
  isOfOtherBrand(candidate) ||
  isAccessory(candidate);

/** Whether the listing lacks a tier word that the request contains, such as the XL of "Pixel XL". */
const lacksTier = ({ query: { words }, profile: { forms } }: CandidateListing): boolean =>
  words.some(({ text }, at) => isTier(text, words[at + 1]?.text) && !forms.has(text));

/**
 * Whether a model number of the listing lacks letters at its end, as "B650" for "B650-P", or differs in them and the name lacks
 * another word, as "Pro B650-P" for "MAG B650 Tomahawk". A request with both numbers means one product.
 */
function isOfNearModel({ query, profile }: CandidateListing): boolean {
  const { words: lacking } = missingFromHead(query, [profile]);
  const lacksWord = lacking.some(({ kind }) => kind === 'word');
  const has = (name: Profile, code: string) => name.words.some(({ text }) => text === code);
  return lacking.some(({ kind, text }) => {
    const short = text.slice(0, -1);
    if (kind !== 'code' || has(profile, text) || has(query, short)) return false;
    return isInHead(short, profile) || (lacksWord && hasNearCode(text, profile));
  });
}

/** Whether a model number of the listing differs from the requested one only in a number: `hk220m4` for `hk220m5`. */
function isOfSameSeries({ query, profile, stated }: CandidateListing): boolean {
  const numbered = query.words.flatMap(({ text, kind }, at) => {
    const before = query.words[at - 1];
    return kind === 'number' && before?.kind === 'word' ? [before.text + text] : [];
  });
  const codes = [...query.codes, ...numbered].filter((code) => /\p{L}/u.test(code));
  if (codes.length === 0) return false;
  const forms = new Set([...profile.forms, ...stated.naming().forms]);
  const seriesOf = (form: string): string => form.replace(/\d+/g, '#');
  const series = new Set([...forms].filter((form) => /\d/.test(form)).map(seriesOf));
  return codes.some((code) => !forms.has(code) && series.has(seriesOf(code)));
}

/** Whether the listing has model numbers, but none of those that the request contains. */
const hasOtherCode = (candidate: CandidateListing): boolean =>
  hasLongCode(candidate.query) &&
  hasLongCode(candidate.profile) &&
  !shareIdentifier(candidate.query, candidate.profile) &&
  !hasCodes(candidate);

/** Whether both have unknown brands, and the listing lacks the models and the first word, probably the brand, of the request. */
function lacksUnstatedBrand(candidate: CandidateListing): boolean {
  const { query, profile, brands } = candidate;
  const [first] = query.words;
  if (first?.kind !== 'word' || brands.size + profile.maker.length > 0) return false;
  return !shareIdentifier(query, profile) && !isPresent(first, candidate);
}

/** Whether two listings share a GTIN or a model number. */
const shareIdentifier = (a: Profile, b: Profile): boolean =>
  shareCode(a, b, isLongCode) || shareAny(a.gtins, b.gtins);
