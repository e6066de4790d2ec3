import { foldProse } from '../../text/fold.js';
import { oneOf } from '../../text/goods.js';
import { type Token, tokenize } from '../../text/tokenize.js';
import { SIZE_WORDS } from '../measures.js';
import { type ProfileReader, readProfile } from '../profile.js';
import { goesWithSomething, isAccessory, mayBeAccessory } from './accessories.js';
import {
  type CandidateListing,
  isPresent,
  readCandidates,
  type StoredCandidate,
  synonymsOf,
} from './candidate-listing.js';
import { headNounRole } from './head-noun.js';
import { ACCESSORY_PRICE_SHARE } from './kind-requests.js';
import { hasCodes, hasNumbers, hasOtherTier, isOfOtherBrand, missingOf } from './model-conflicts.js';
import type { RequestedProduct } from './requested-product.js';
import { contradictsSizes, hasMeasures, isSizeIn, isUnrequestedPack } from './size-conflicts.js';

/** Why a listing that a search found is not the requested product. */
interface Refusal {
  rejected: 'accessory' | 'other_model' | 'other_size';
  /** The words of the request, as typed, that the listing does not state. */
  missing: string[];
  shared: number;
}

/**
 * Explains why each listing was refused: an accessory, another size, or else another model.
 * @param chosen listings of the requested product, which show which numbers of the request are sizes. @param read a reader that
 * memoizes.
 */
export function refusalsOf(
  query: RequestedProduct,
  chosen: readonly StoredCandidate[],
  refused: readonly StoredCandidate[],
  read: ProfileReader = readProfile,
): Refusal[] {
  const sizes = sizeWords(query, chosen);
  const isLikeChosen = hasCategoryAndPriceOf(chosen);
  return readCandidates(query, [...chosen, ...refused], [], read)
    .slice(chosen.length)
    .map((candidate) => {
      const missing = missingWords(candidate);
      return {
        rejected: reasonFor(candidate, query, sizes, !isLikeChosen(candidate)),
        missing: asTyped(missing, query),
        shared: candidate.query.words.length - missing.length,
      };
    });
}

function asTyped(tokens: readonly Token[], { typed }: RequestedProduct): string[] {
  const words = typed.split(/\s+/);
  const isFrom = (text: string) => (word: string) =>
    tokenize(foldProse(word)).some((token) => token.text === text);
  return tokens.map(({ text }) => words.find(isFrom(text)) ?? text);
}

function reasonFor(
  candidate: CandidateListing,
  { phrase }: RequestedProduct,
  sizes: ReadonlySet<string>,
  mayGoWithIt: boolean,
): Refusal['rejected'] {
  if (mayGoWithIt && (isForProduct(candidate) || headNounRole(candidate, phrase) === 'of an accessory'))
    return 'accessory';
  if (isOtherModel(withoutWords(candidate, sizes)) || lacksManyWords(candidate)) return 'other_model';
  const hasSizes = !isUnrequestedPack(candidate) && hasMeasures(candidate) && !contradictsSizes(candidate);
  if (!hasSizes || !hasNumbers(candidate) || !hasCodes(candidate)) return 'other_size';
  const perhaps = goesWithSomething(candidate) || mayBeAccessory(candidate);
  return mayGoWithIt && perhaps ? 'accessory' : 'other_model';
}

/** Whether the listing names an accessory that the request does not name. The features of matching do not tell which one does. */
const namesUnrequestedAccessory = ({ query, profile }: CandidateListing): boolean =>
  [...profile.allAccessories].some((one) => !query.allAccessories.has(one));

/** Whether the listing is an accessory for the product: it has the numbers of the request, or states what it is for. */
const isForProduct = (candidate: CandidateListing): boolean =>
  isAccessory(candidate) &&
  (goesWithSomething(candidate) ||
    (namesUnrequestedAccessory(candidate) && hasNumbers(candidate) && hasCodes(candidate)));

/** Tells whether a listing has the category of a chosen one and is not far cheaper, so that it is no accessory. */
function hasCategoryAndPriceOf(chosen: readonly StoredCandidate[]): (candidate: CandidateListing) => boolean {
  const categories = new Set(chosen.flatMap(({ category }) => category ?? []));
  const lowest = Math.min(...chosen.flatMap(({ comparablePrice }) => comparablePrice ?? []));
  return ({ listing: { category, comparablePrice } }) =>
    category !== null && categories.has(category) && (comparablePrice ?? 0) > ACCESSORY_PRICE_SHARE * lowest;
}

/** The share of the words of a request, apart from sizes, that another size of the product may lack. */
const MAX_MISSING = 1 / 3;

function lacksManyWords(candidate: CandidateListing): boolean {
  const plain = plainWords(candidate);
  return plain.filter((word) => !isStated(word, candidate)).length > MAX_MISSING * plain.length;
}

const plainWords = ({ query: { words, measures } }: CandidateListing): Token[] =>
  words.filter(({ kind, text }) => kind === 'word' && !measures.words.includes(text));

const isStated = (word: Token, candidate: CandidateListing): boolean =>
  [...synonymsOf(word.text)].some((text) => isPresent({ ...word, text }, candidate));

const missingWords = (candidate: CandidateListing): Token[] => [
  ...plainWords(candidate).filter((word) => !isStated(word, candidate)),
  ...missingOf('code', candidate),
  ...missingOf('number', candidate),
];

const isOtherModel = (candidate: CandidateListing): boolean =>
  !hasCodes(candidate) || !hasNumbers(candidate) || hasOtherTier(candidate) || isOfOtherBrand(candidate);

/** Matches a size of shoes, such as `us` or `us9`. */
const SIZE_SYSTEM = new RegExp(`^${oneOf(SIZE_WORDS)}(\\d+)?$`);

/** The words of the request that are sizes: after "US" or "EU", or with a unit in the name of a chosen listing. */
function sizeWords(
  { profile: { words } }: RequestedProduct,
  chosen: readonly StoredCandidate[],
): Set<string> {
  const isSizeAt = (text: string, at: number) =>
    /\d/.test(text) &&
    (SIZE_SYSTEM.test(text) ||
      SIZE_SYSTEM.test(words[at - 1]?.text ?? '') ||
      chosen.some(({ name }) => isSizeIn(text, name)));
  return new Set(words.flatMap(({ text, kind }, at) => (kind !== 'word' && isSizeAt(text, at) ? text : [])));
}

const withoutWords = (candidate: CandidateListing, texts: ReadonlySet<string>): CandidateListing => ({
  ...candidate,
  query: { ...candidate.query, words: candidate.query.words.filter(({ text }) => !texts.has(text)) },
});
