import type { StoredListing } from '../listing/listing.js';
import { comparablePriceOf, type ExchangeRates } from '../listing/rates.js';
import type { ConsideredMatch } from '../schemas/explain.js';
import { type Candidate, compareAll } from './evidence.js';
import { type Match, MATCH_THRESHOLD, matchCandidates, matchesAmong, scoreComparisons } from './match.js';
import type { Model } from './model.js';
import type { ProfileReader } from './profile.js';

/** What `candidatesSearch` and `siblingsSearch` find for a listing. */
export interface FoundCandidates {
  candidates: StoredListing[];
  siblings: StoredListing[];
}

/** A listing that is the same product as another one, with its match score and the reasons for it. */
export interface Matched extends Pick<Match, 'score' | 'reasons'> {
  listing: StoredListing;
}

/** The maximum number of rejected candidates that an explanation of matches lists. */
export const MAX_CONSIDERED = 20;

/** A stored listing with its price in the currency of the listing that it is compared with. */
export const toCandidate = (
  listing: StoredListing,
  currency: string | null,
  rates: ExchangeRates,
): Candidate & StoredListing => ({
  ...listing,
  comparablePrice: comparablePriceOf(listing, currency, rates),
});

/** What scores stored listings: the exchange rates, a memoizing reader of profiles, and the active model. */
export interface Scoring {
  rates: ExchangeRates;
  read?: ProfileReader;
  model?: Model;
}

/** The arguments of matching for a listing, its candidates and its siblings, with prices in its currency. */
function comparable(
  listing: StoredListing,
  candidates: readonly StoredListing[],
  siblings: readonly StoredListing[],
  { rates, read, model }: Scoring,
) {
  const convertPrice = (one: StoredListing) => toCandidate(one, listing.currency, rates);
  const listings = [convertPrice(listing), candidates.map(convertPrice), siblings.map(convertPrice)] as const;
  return [...listings, read, model] as const;
}

/** Returns the candidates that match a listing, in their order. */
export function matchedAmong(
  listing: StoredListing,
  { candidates, siblings }: FoundCandidates,
  scoring: Scoring,
): Matched[] {
  const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  return matchesAmong(...comparable(listing, candidates, siblings, scoring)).flatMap(
    ({ id, score, reasons }) => {
      const found = byId.get(id);
      return found === undefined ? [] : [{ listing: found, score, reasons }];
    },
  );
}

/** Scores the other listings of a linked product with at least `MATCH_THRESHOLD`, because the group says that they match. */
export function scoreLinked(
  listing: StoredListing,
  others: readonly StoredListing[],
  scoring: Scoring,
): Matched[] {
  const [sought, candidates, siblings, read, model] = comparable(listing, others, [], scoring);
  const matches = scoreComparisons(
    compareAll(sought, candidates, siblings, read, { areLinked: true }),
    model,
  );
  return others.map((other, index) => {
    const { score, reasons } = matches[index] ?? { score: 0, reasons: [] };
    return { listing: other, score: Math.max(score, MATCH_THRESHOLD), reasons };
  });
}

/** How likely two listings are the same product, what they agree in, and what they differ in. */
export interface PairScore extends Omit<Match, 'contradicted'> {
  /** The id of the listing that has the lower id. */
  a: number;
  b: number;
}

/** Scores a listing with each of the others, with which the candidates and siblings that were found for it compete. */
export function scorePairs(
  listing: StoredListing,
  others: readonly StoredListing[],
  { candidates, siblings }: FoundCandidates,
  scoring: Scoring,
): PairScore[] {
  const otherIds = new Set(others.map(({ id }) => id));
  const all = [...others, ...candidates.filter(({ id }) => !otherIds.has(id))];
  const matches = matchCandidates(...comparable(listing, all, siblings, scoring));
  return others.map((other, at) => {
    const { score = 0, reasons = [], contradictions = [] } = matches[at] ?? {};
    return { a: listing.id, b: other.id, score, reasons, contradictions };
  });
}

/** Explains which candidates do not match a listing, besides those with `matchedIds`: highest score first, then by id. */
export function explainUnmatched(
  listing: StoredListing,
  { candidates, siblings }: FoundCandidates,
  matchedIds: ReadonlySet<number>,
  scoring: Scoring,
): ConsideredMatch[] {
  const matches = matchCandidates(...comparable(listing, candidates, siblings, scoring));
  return candidates
    .flatMap(({ id }, at): ConsideredMatch[] => {
      if (matchedIds.has(id)) return [];
      const { score = 0, contradicted = false } = matches[at] ?? {};
      const unlikely = contradicted ? 'contradicted' : 'less_likely';
      return [{ id, score, rejected: score < MATCH_THRESHOLD ? unlikely : 'not_linked' }];
    })
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, MAX_CONSIDERED);
}
