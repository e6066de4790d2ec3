import type { ProductQuery } from '../query.js';
import type { Word } from '../../text/words.js';
import { goesWithSomething, isAccessory, mayBeAccessory } from './accessories.js';
import { headOf } from './heads.js';
import { MUCH_LESS } from './kinds.js';
import { hasOtherTier, isOfOtherBrand, isOfOtherLine } from './models.js';
import { codesOf, hasNumbers, isSize } from './numbers.js';
import { isPresent, type Judged, type Reading, readAll } from './reading.js';
import { contradicts, hasMeasures, isPack } from './sizes.js';
import { synonymsOf } from './synonyms.js';

/** What a listing is that is not the product asked for. */
export const REFUSALS = ['accessory', 'other_model', 'other_size'] as const;
export type Refusal = (typeof REFUSALS)[number];

/**
 * What listings are that a search found for a query and that `listingsAskedFor` and `notContradicting` left out: told by
 * the same evidence. What no accessory and no size tells apart is another model, or of none that it says.
 * @param asked listings that are the product: they tell which numbers of the query are sizes.
 * @returns in the order of those left out.
 */
export function refusalsOf(
  query: ProductQuery,
  asked: readonly Judged[],
  left: readonly Judged[],
): Refusal[] {
  const sizes = sizesAmong(query, asked);
  const isAlike = ofKindAndPrice(asked);
  return readAll(query, [...asked, ...left])
    .slice(asked.length)
    .map((reading) => {
      const mayGoWithIt = !isAlike(reading);
      if (mayGoWithIt && (isForIt(reading) || isPartOfIt(reading, query))) return 'accessory';
      if (isOtherModel(withoutSizes(reading, sizes)) || isOtherThing(reading)) return 'other_model';
      if (isOtherSize(reading) || !hasNumbers(reading) || codesOf(reading) === 'lacks') return 'other_size';
      const perhaps = goesWithSomething(reading) || (mayBeAccessory(reading) && namesAccessory(reading));
      return mayGoWithIt && perhaps ? 'accessory' : 'other_model';
    });
}

/** Evidence of accessories tells that one of the two is one: it is the listing where the query names no such thing. */
const namesAccessory = ({ query, profile }: Reading): boolean =>
  [...profile.allAccessories].some((one) => !query.allAccessories.has(one));

/** A thing of another number, which does not say what it is for, has nothing to do with the product. */
const isForIt = (reading: Reading): boolean =>
  isAccessory(reading) &&
  (goesWithSomething(reading) ||
    (namesAccessory(reading) && hasNumbers(reading) && codesOf(reading) !== 'lacks'));

const isPartOfIt = (reading: Reading, { phrase }: ProductQuery): boolean =>
  headOf(reading, phrase) === 'of an accessory';

/** A "hard case suitcase" is of the kind and the price of what was asked for, and only sounds like an accessory. */
function ofKindAndPrice(asked: readonly Judged[]): (reading: Reading) => boolean {
  const kinds = new Set(asked.flatMap(({ category }) => category ?? []));
  const least = Math.min(...asked.flatMap(({ comparablePrice }) => comparablePrice ?? []));
  return ({ candidate: { category, comparablePrice } }) =>
    category !== null && kinds.has(category) && (comparablePrice ?? 0) > MUCH_LESS * least;
}

/** What lacks more than this part of the words, sizes aside, is no size of the thing. */
const MAX_MISSING = 1 / 3;

function isOtherThing(reading: Reading): boolean {
  const { words, measures } = reading.query;
  const plain = words.filter(({ kind, text }) => kind === 'word' && !measures.words.includes(text));
  const has = (word: Word) =>
    [...synonymsOf(word.text)].some((text) => isPresent({ ...word, text }, reading));
  return plain.filter((word) => !has(word)).length > MAX_MISSING * plain.length;
}

const isOtherModel = (reading: Reading): boolean =>
  codesOf(reading) === 'lacks' ||
  !hasNumbers(reading) ||
  hasOtherTier(reading) ||
  isOfOtherLine(reading) ||
  isOfOtherBrand(reading);

const isOtherSize = (reading: Reading): boolean =>
  isPack(reading) ||
  !hasMeasures(reading) ||
  contradicts(reading.query.measures, [reading.profile.measures, reading.stated.own.measures]);

/** Of shoes: `US 9`. */
const SIZE_SYSTEM = /^(?:us|uk|eu)(\d+)?$/;

/** Words of the query that are a size by what stands before them, or in what the listings of the product say. */
function sizesAmong({ profile: { words } }: ProductQuery, asked: readonly Judged[]): Set<string> {
  const isSizeAt = (text: string, at: number) =>
    /\d/.test(text) &&
    (SIZE_SYSTEM.test(text) ||
      SIZE_SYSTEM.test(words[at - 1]?.text ?? '') ||
      asked.some(({ name }) => isSize(text, name)));
  return new Set(words.flatMap(({ text, kind }, at) => (kind !== 'word' && isSizeAt(text, at) ? text : [])));
}

const withoutSizes = (reading: Reading, sizes: ReadonlySet<string>): Reading => ({
  ...reading,
  query: { ...reading.query, words: reading.query.words.filter(({ text }) => !sizes.has(text)) },
});
