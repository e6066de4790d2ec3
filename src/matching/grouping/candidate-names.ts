import { foldProse } from '../../text/fold.js';
import { memoize } from '../../text/memoize.js';
import { haveOtherMakers, missingFromHead } from '../head-comparison.js';
import type { Profile } from '../profile.js';

/** What the names of a listing and its candidates together say about words and model numbers. */
export interface CandidateNames {
  /** Whether the heads of two names each have a word that the other name lacks, and that few of the names contain. */
  haveOtherWords: (a: Profile, b: Profile) => boolean;
  /**
   * Whether a code is that of a series, a chipset or a standard, and not the model number of one product: model numbers of
   * different makers begin with it.
   */
  isOfSeries: (code: string) => boolean;
}

/** A word that more than this share of the names contain describes the kind of product. */
const FREQUENT = 0.5;
/** The maximum number of model numbers for which `isOfSeries` keeps its result. */
const MEMOIZED_CODES = 1_024;
/** The maximum number of names that are kept in folded form, because a listing is compared with each of its candidates. */
const MEMOIZED_NAMES = 1_024;

/** Reads the names of a listing and its candidates. */
export function readCandidateNames(listings: readonly { profile: Profile }[]): CandidateNames {
  const isFrequent = (word: string) =>
    listings.filter(({ profile }) => profile.forms.has(word)).length > FREQUENT * listings.length;
  const hasOwnWords = (of: Profile, by: Profile) =>
    missingFromHead(of, [by]).words.some(({ text }) => !isFrequent(text));
  return {
    haveOtherWords: (a, b) => hasOwnWords(a, b) && hasOwnWords(b, a),
    isOfSeries: memoize(MEMOIZED_CODES, (code) =>
      haveSeveralMakers(
        listings.filter(({ profile }) => [...profile.codes].some((one) => one.startsWith(code))),
      ),
    ),
  };
}

/** A name in a form in which case and accents do not count. */
export const foldedName = memoize(MEMOIZED_NAMES, foldProse);

const haveSeveralMakers = (listings: readonly { profile: Profile }[]): boolean => {
  const known = listings.filter(({ profile }) => profile.maker.length > 0);
  return known.some(({ profile }, at) =>
    known.slice(at + 1).some((other) => haveOtherMakers(profile, other.profile)),
  );
};
