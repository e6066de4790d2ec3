import { foldProse } from '../../text/fold.js';
import { lazy, memoize } from '../../text/memoize.js';
import { haveOtherMakers, missingFromHead, readVariantWords } from '../head-comparison.js';
import type { Profile } from '../profile.js';

interface NamedListing {
  shop: string;
  name: string;
}

/** A word that more than this share of the names contain describes the kind of product. */
const FREQUENT = 0.5;
/** A code that a shop gives to this number of products with different words in their names is that of a series. */
const MIN_SERIES = 3;
const MEMOIZED_CODES = 1_024;
const MEMOIZED_NAMES = 1_024;

export type CandidateNames = ReturnType<typeof readCandidateNames>;

/** Reads what the names of a listing and its candidates together say about words and model numbers. */
export function readCandidateNames(listings: readonly (NamedListing & { profile: Profile })[]) {
  const isFrequent = (word: string) =>
    listings.filter(({ profile }) => profile.forms.has(word)).length > FREQUENT * listings.length;
  const rareWords = (of: Profile, by: Profile) =>
    missingFromHead(of, [by]).words.filter(({ text }) => !isFrequent(text));
  /** Whether the first parts of both names have a word that the other name and most of the compared names lack. */
  const haveOtherWords = (a: Profile, b: Profile) => rareWords(a, b).length > 0 && rareWords(b, a).length > 0;
  /** Whether a code is that of a series or a standard: different makers, or several listings of one shop, have it. */
  const isOfSeries = memoize(MEMOIZED_CODES, (code) => {
    const having = (test: (one: string) => boolean) =>
      listings.filter(({ profile }) => [...profile.codes].some(test));
    const withCode = having((one) => one === code);
    return (
      haveSeveralMakers(having((one) => one.startsWith(code))) ||
      withCode.some(({ shop }) => {
        const different: Profile[] = [];
        for (const { shop: other, profile } of withCode)
          if (shop === other && different.every((one) => haveOtherWords(one, profile)))
            different.push(profile);
        return different.length >= MIN_SERIES;
      })
    );
  });
  const variantWords = lazy(() => readVariantWords(listings));
  /** Whether one of two names has a word that the other lacks, and by which a shop tells its own listings apart. */
  const areVariants = (a: Profile, b: Profile) =>
    [...rareWords(a, b), ...rareWords(b, a)].some(({ text }) => variantWords().has(text));
  const offered = lazy(() => new Set(listings.map(({ shop, name }) => offerKey(shop, name))));
  /** Whether the shop of one listing also offers the name of the other one. A shop rarely offers one product under two names. */
  const haveNamesakes = (a: NamedListing, b: NamedListing) =>
    a.shop !== b.shop &&
    foldedName(a.name) !== foldedName(b.name) &&
    (offered().has(offerKey(a.shop, b.name)) || offered().has(offerKey(b.shop, a.name)));
  return { haveOtherWords, areVariants, isOfSeries, haveNamesakes };
}

/** A name in a form in which case and accents do not count. */
export const foldedName = memoize(MEMOIZED_NAMES, foldProse);

const offerKey = (shop: string, name: string): string => `${shop}\0${foldedName(name)}`;

const haveSeveralMakers = (listings: readonly { profile: Profile }[]): boolean => {
  const known = listings.filter(({ profile }) => profile.maker.length > 0);
  return known.some(({ profile }, at) =>
    known.slice(at + 1).some((other) => haveOtherMakers(profile, other.profile)),
  );
};
