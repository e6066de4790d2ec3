import { isInStoreGtin } from '../../listing/gtin.js';
import { ownerOf } from '../../listing/owner.js';
import { inflectionsOf, isCompound } from '../../naming/word-forms.js';
import { lazy } from '../../text/memoize.js';
import type { Token } from '../../text/tokenize.js';
import { DESCRIBING, TIER_WORDS, VARIANTS } from '../../text/vocabulary.js';
import { namesChip } from '../chips.js';
import { shopOf } from '../evidence.js';
import { missingFromHead, readVariantWords, withHeadOnly } from '../head-comparison.js';
import { type Profile, type ProfileReader, readProfile } from '../profile.js';
import {
  type CandidateListing,
  isPresent,
  readCandidates,
  type StoredCandidate,
} from './candidate-listing.js';
import {
  goesWithProduct,
  isLastPartIn,
  isModifier,
  isPartOfBundle,
  mayGoWithCompound,
  namedByNumber,
} from './head-noun.js';
import {
  accessoryRole,
  type Assessment,
  CONFIDENCE,
  isKind,
  isOnlyMentioned,
  roleInListing,
  soldAsRequested,
  type Standing,
  STANDINGS,
} from './kind-requests.js';
import {
  addsEdition,
  addsTierToCode,
  addsVariant,
  hasCodes,
  hasLongCode,
  isOfOtherLine,
  hasNumbers,
  hasOtherTier,
  longerCodes,
  isOfOtherBrand,
  MIN_CODE,
} from './model-conflicts.js';
import { asCandidate, namesNothing, type RequestedProduct } from './requested-product.js';
import { isExactName } from '../../text/exact-name.js';
import { hasMeasures, hasOtherColour, isSizeIn, isUnrequestedPack } from './size-conflicts.js';

/** A listing that a search found for a shopper's request, and the fields in which it matched. */
export interface FoundListing<T extends StoredCandidate> {
  candidate: T;
  /** Whether the name, the brand or the categories have every word of the request, as Elasticsearch analyzes them. */
  named: boolean;
  /** Whether the name, the brand, the categories or the attributes have every word. */
  stated: boolean;
  /** Whether the name, the brand, the categories, the attributes or the description have every word. */
  described: boolean;
}

type Test = (candidate: CandidateListing) => boolean;

/** Listings with a known condition were found by a filter on it, so "refurbished" in a name does not mean another edition. */
const REFURBISHED = readProfile(asCandidate('refurbished'));

/** The tests for a listing that is refused although it has the words of the request. */
const GUARDS: Record<string, Test> = {
  'another model number': (one) => !hasCodes(one),
  'another number': (one) => !hasNumbers(one),
  'another size': (one) => !hasMeasures(one),
  'another tier': (one) => hasOtherTier(one) && !addsTierToCode(one),
  'a part of a bundle': isPartOfBundle,
};

/** The tests for weaknesses. A listing with a weakness is chosen only if all listings have that weakness. */
const DOUBTS: Record<string, Test> = {
  'another maker': isOfOtherBrand,
  'a line without its maker': ({ unknownMaker, profile }) =>
    unknownMaker !== null && !profile.forms.has(unknownMaker),
  'another tier of a model number': addsTierToCode,
  'a pack': isUnrequestedPack,
  'another variant': addsVariant,
  'another colour': hasOtherColour,
  'another line': isOfOtherLine,
  'a repeated word only once': lacksRepetition,
  'another edition': ({ query, profile, listing: { internal } }) =>
    addsEdition(profile, internal.condition === undefined ? [query] : [query, REFURBISHED]),
};

/**
 * Chooses the offers of the requested product, in their order: listings with every word, number, size and colour of the request.
 * Accessories are chosen only if the request names them. @param read a reader that memoizes.
 */
export function chooseListings<T extends StoredCandidate>(
  query: RequestedProduct,
  found: readonly FoundListing<T>[],
  read: ProfileReader = readProfile,
): { candidate: T; confidence: number }[] {
  const candidates = found.map(({ candidate }) => candidate);
  const outnamed = outnamedAmong(found);
  const assessed = readCandidates(query, candidates, [], read).flatMap((candidate, at) => {
    const assessment = assess(query, candidate, found[at] as FoundListing<T>, outnamed);
    return assessment === null ? [] : [{ ...assessment, listing: candidates[at] as T }];
  });
  const products = soldAsRequested(query, assessed);
  const standing = STANDINGS.find((one) => products.some((product) => product.standing === one));
  if (standing === undefined) return [];
  let chosen: readonly Assessment[] = products.filter((product) => product.standing === standing);
  const whole = chosen.filter(({ longerCodes: codes }) => codes === '');
  if (whole.length > 0) chosen = whole;
  for (const doubt of Object.keys(DOUBTS)) {
    const sure = chosen.filter(({ doubts }) => !doubts.has(doubt));
    if (sure.length > 0) chosen = sure;
  }
  if (new Set(chosen.map(({ longerCodes: codes }) => codes)).size > 1) return [];
  // Every source assigns in-store numbers to other products, so the request does not tell which of them is meant.
  const sources = new Set(chosen.map(({ listing }) => listing.source));
  if (standing === 'identified' && query.identifiers.some(isInStoreGtin) && sources.size > 1) return [];
  const best =
    standing === 'identified' ? chosen : nearestNames(query, namedByNumber(query, chosen, read), read);
  return best.map(({ listing }) => ({ candidate: listing as T, confidence: CONFIDENCE[standing] }));
}

/** The minimum number of words of a request that names a product by its maker and line, without a number. */
const MIN_NAME_WORDS = 3;

/** The maximum number of words that name a variant, such as "iCUE" and "RGB", of a product that the request names by number. */
const MAX_ADDED = 2;

/**
 * Leaves out other variants ("X670-P WIFI" for "X670-P"), and if the request begins with the maker, names with other words in
 * their heads that have some of its words only in specifications. Listings with a stated brand stay.
 */
function nearestNames(
  query: RequestedProduct,
  chosen: readonly Assessment[],
  read: ProfileReader,
): readonly Assessment[] {
  const { words, chips } = query.profile;
  const namesMaker = ({ listing }: Assessment) =>
    read(listing).maker.some((word) => query.profile.forms.has(word));
  // A request for a chip without a maker, such as "RTX 4070", asks for every variant of the cards that have this chip.
  if (namesChip(chips) && !chosen.some(namesMaker)) return chosen;
  // Variant words are needed only if a listing states no brand.
  const variants = lazy(() =>
    readVariantWords(
      chosen.map(({ listing }) => ({ shop: shopOf(listing), profile: read(listing) })),
      isKind(query) ? 1 : MAX_ADDED,
    ),
  );
  const names = chosen.map((one) => {
    const profile = read(one.listing);
    if (profile.brand.length > 0) return { one, maker: profile.brand, isVariant: false, isOther: false };
    const added = missingFromHead(profile, [query.profile], variants());
    const lacking = missingFromHead(query.profile, [withHeadOnly(profile)], variants());
    const maker =
      profile.maker.length > 0 ? profile.maker : profile.words.slice(0, 1).map(({ text }) => text);
    const isLacking = lacking.words.some(
      ({ kind, text }) => kind !== 'number' || !isSizeIn(text, one.listing.name),
    );
    const isOtherLine = isLacking && added.words.some(({ text }) => !maker.includes(text));
    return { one, maker, isVariant: added.variants.length > 0, isOther: isOtherLine };
  });
  const isProduct =
    words.length >= MIN_NAME_WORDS &&
    names.some(({ maker, isVariant }) => !isVariant && maker[0] === words[0]?.text);
  if (isKind(query) && !isProduct) return chosen;
  const nearest = names.filter(({ isVariant, isOther }) => !isVariant && !(isProduct && isOther));
  return nearest.length === 0 ? chosen : nearest.map(({ one }) => one);
}

/** The number of owners whose names have all words of a request from which on it is no SKU of somebody else. */
const MIN_NAMING = 2;

/**
 * Tells whether a request is a name that several others use, and not the SKU or model number of a listing whose name lacks it:
 * any shop may state the model number of others' products as its SKU.
 */
function outnamedAmong<T extends StoredCandidate>(found: readonly FoundListing<T>[]) {
  const owners = new Set(found.flatMap(({ named, candidate }) => (named ? [ownerOf(candidate)] : [])));
  return ({ named, candidate }: FoundListing<T>): boolean =>
    !named && owners.size - Number(owners.has(ownerOf(candidate))) >= MIN_NAMING;
}

/** Assesses how well a listing fits the request. Returns null if it is not the requested product. */
function assess<T extends StoredCandidate>(
  query: RequestedProduct,
  candidate: CandidateListing,
  found: FoundListing<T>,
  isOutnamed: (found: FoundListing<T>) => boolean,
): Assessment | null {
  const { identifiers, models, gtins } = candidate.listing.internal;
  const isVague = namesNothing(query);
  const outnamed = isOutnamed(found);
  const stated = isVague ? identifiers : identifiers.filter((one) => !models.includes(one));
  const numbers = outnamed ? gtins : stated;
  const states = (all: readonly string[]) => query.identifiers.some((one) => all.includes(one));
  if (outnamed && states(stated) && !states([...gtins, ...models])) return null;
  if (states(numbers)) return { ...IDENTIFIED, listing: candidate.listing, isNamed: found.named };
  if (isVague && !isExactName(candidate.listing, query.typed)) return null;
  const role = roleInListing(query, candidate, found.named);
  const standing = standingOf(candidate, found, role.isRequestedKind);
  if (standing === null || Object.values(GUARDS).some((test) => test(candidate))) return null;
  if (isOnlyMentioned(query, role, standing === 'described')) return null;
  const accessory = accessoryRole(query, candidate, role);
  if (role.isCompound && (accessory !== 'no' || mayGoWithCompound(candidate))) return null;
  const doubts = new Set(Object.keys(DOUBTS).filter((name) => DOUBTS[name]?.(candidate)));
  return {
    listing: candidate.listing,
    standing,
    longerCodes: longerCodes(candidate).join(' '),
    accessory,
    isItselfAccessory: role.isItselfAccessory,
    doubts,
    headNoun: role.isCompound ? 'sold' : role.headNoun,
    isNamed: role.isNamed || role.isCompound,
  };
}

const IDENTIFIED = {
  standing: 'identified',
  longerCodes: '',
  doubts: new Set<string>(),
  accessory: 'no',
  isItselfAccessory: false,
  headNoun: 'sold',
} as const;

/**
 * Whether the name of a listing states the words of the request, or other fields describe them; null if neither does.
 * @param isRequestedKind whether the listing is of the requested kind.
 */
function standingOf(
  candidate: CandidateListing,
  found: { stated: boolean; described: boolean },
  isRequestedKind: boolean,
): Standing | null {
  if ((found.stated && !lacksCompound(candidate)) || isStatedInOtherWords(candidate)) return 'stated';
  if (!found.described) return null;
  const { query, brands } = candidate;
  const plain = query.words.filter(({ kind }) => kind === 'word');
  const missing = plain.filter((word) => !isPresent(word, candidate));
  const namesProduct = missing.some(
    (word) =>
      brands.has(word.text) ||
      VARIANTS.has(word.text) ||
      TIER_WORDS.has(word.text) ||
      (goesWithProduct(word.text) && !isRequestedKind) ||
      precedesDesignation(query, word),
  );
  return !namesProduct && 2 * missing.length <= plain.length ? 'described' : null;
}

/** Whether the listing has only the last part of a German compound: "Pita Brot", which a search for "Vollkornbrot" finds. */
const lacksCompound = (candidate: CandidateListing): boolean =>
  candidate.query.words.some((word) => {
    const begins = ({ text }: Token) =>
      [word.text, ...inflectionsOf(word.text)].some((form) => text.startsWith(form));
    return isCompound(word.text) && !isPresent(word, candidate) && !candidate.profile.words.some(begins);
  });

/** Whether a number or a single letter follows the word, as for `series` in "Xbox Series X". Together they name a model. */
function precedesDesignation({ words }: Profile, word: Token): boolean {
  const next = words[words.indexOf(word) + 1];
  return next !== undefined && (next.kind !== 'word' || next.text.length === 1);
}

/** Whether the listing states all words in other ways than searches find: numbers, compounds, or no brand beside a model. */
function isStatedInOtherWords(candidate: CandidateListing): boolean {
  const { query, brands, unknownMaker } = candidate;
  const mayOmitBrand = lazy(() => namesNoMaker(candidate) && namesModel(candidate));
  return query.words.every(
    (word) =>
      word.kind !== 'word' ||
      query.measures.words.includes(word.text) ||
      isPresent(word, candidate) ||
      isBody(word, candidate) ||
      isLastPartIn(word, candidate) ||
      ((brands.has(word.text) || word.text === unknownMaker) && mayOmitBrand()),
  );
}

/** Whether the request has a word twice in a row and the listing does not: "male to male" is not "male to female". */
function lacksRepetition({ query, profile }: CandidateListing): boolean {
  const significant = profile.words.filter(({ text }) => !isModifier(text));
  const repeats = (words: readonly Token[], word: string) =>
    words.some(({ text }, at) => text === word && words[at + 1]?.text === word);
  return query.words.some(
    ({ text, kind }) => kind === 'word' && repeats(query.words, text) && !repeats(significant, text),
  );
}

/** Whether the request asks for the body of a camera, and the listing is a camera whose name states no lens. */
const isBody = ({ text }: Token, { query, profile }: CandidateListing): boolean =>
  text === 'body' && query.parts.alone.has(text) && profile.forms.has('camera') && !profile.parts.isKit;

/** Whether the listing may be of any maker: none is known, and its name begins with no word that the request lacks. */
function namesNoMaker({ query, profile: { maker, words } }: CandidateListing): boolean {
  const first = words.find(({ text, kind }) => kind === 'word' && !isModifier(text) && !DESCRIBING.has(text));
  return maker.length === 0 && (first === undefined || query.forms.has(first.text));
}

/** Whether the request names a model by a long number, or after the word of a line: "Apple iPhone 13", but not "HTC 10". */
const namesModel = ({ query, brands }: CandidateListing): boolean =>
  hasLongCode(query) ||
  query.words.some(({ text, kind }, at) => {
    const before = query.words[at - 1];
    const isOfLine = before?.kind === 'word' && !brands.has(before.text);
    return (
      kind !== 'word' &&
      !text.includes('.') &&
      !query.target.has(text) &&
      (isOfLine || text.length >= MIN_CODE)
    );
  });
