import { LRUCache } from 'lru-cache';
import {
  candidatesSearch,
  furtherSearches,
  type MatchFilters,
  SIBLINGS,
} from '../../engine/queries/candidates.js';
import type { StoredListing } from '../../listing/listing.js';
import type { ExchangeRates } from '../../listing/rates.js';
import { type Candidate, compareAll, shopOf } from '../../matching/evidence.js';
import { readCandidateNames } from '../../matching/grouping/candidate-names.js';
import { areNamesOfOthers, keepApart, shareOnlyWords } from '../../matching/grouping/name-conflicts.js';
import type { Features } from '../../matching/features.js';
import { roundScore, scoreComparisons } from '../../matching/match.js';
import type { Model } from '../../matching/model.js';
import { createProfileReader, type Profile, type ProfileReader } from '../../matching/profile.js';
import { toCandidate } from '../../matching/stored-matches.js';
import { distinctBy } from '../../platform/distinct.js';
import {
  addCandidates,
  type Incomplete,
  parseResponses,
  type Search,
  sourcesOf,
} from '../../matcher/match-request.js';
import type { LearnedVersion } from '../../published/learned-versions.js';
import { modelOf } from '../../published/matching-models.js';
import type { ComparedRecord } from './records.js';

/** Listings of the same source are compared too, because a group may contain several listings of one shop. */
const FILTERS: MatchFilters = { includeSameSource: true };

/** The search for the match candidates of each listing. It also returns similar listings of the same source (siblings). */
export const candidateSearches = (listings: readonly StoredListing[]): Search[] =>
  listings.map((listing) => candidatesSearch([listing], FILTERS));

/** Listings to compare with their candidates. It consists of plain values, so that it can be sent to a worker thread. */
export interface ComparisonRequest {
  listings: readonly StoredListing[];
  rates: ExchangeRates;
  model: LearnedVersion | null;
  /** The bodies of the `_msearch` responses: to `candidateSearches`, and to the `wanted` searches of an earlier response. */
  responses: readonly Uint8Array[];
}

export type ComparisonResponse = { pairs: ComparedRecord['pairs'][] } | Incomplete;

/**
 * How much is subtracted from the probability of a pair that only words connect, because groups are merged from one half on. Of
 * the labelled pairs of Amazon–Google and WDC Products that this separates, 16 of 36 are different products.
 */
const WORDS_ALONE = 0.05;

export function comparePairs({ listings, rates, model, responses }: ComparisonRequest): ComparisonResponse {
  const parsed = responses.map(parseResponses);
  const failed = parsed.flat().find(({ error }) => error !== undefined)?.error;
  if (failed !== undefined) return { failed };
  const [first = [], more] = parsed.map((some) => some.map(sourcesOf));
  const further = listings.flatMap((listing, at) =>
    furtherSearches(listing, first[at] ?? [], FILTERS).map((search) => ({ at, search })),
  );
  if (further.length > 0 && more === undefined) return { wanted: further.map(({ search }) => search) };
  further.forEach(({ at }, nth) => addCandidates(first[at] ?? [], more?.[nth] ?? []));
  const scoring = { rates, model: modelOf(model) };
  return { pairs: listings.map((listing, at) => compareWith(first[at] ?? [], listing, scoring)) };
}

/**
 * Returns a pair for each candidate of a listing, in their order. Near-identical listings of an owner are one candidate, so that
 * they do not change what the names of all candidates say about words and model numbers.
 */
function compareWith(
  all: readonly StoredListing[],
  listing: StoredListing,
  { rates, model }: { rates: ExchangeRates; model: Model },
): ComparedRecord['pairs'] {
  const found = distinctBy(all, ({ id, internal }) => internal.alike ?? id);
  const comparable = (one: StoredListing) => toCandidate(one, listing.currency, rates);
  const candidates = found.map(comparable);
  const siblings = candidates.filter(({ source }) => source === listing.source).slice(0, SIBLINGS);
  const comparisons = compareAll(comparable(listing), candidates, siblings, readMemoizedProfile, {
    matchesOnly: true,
  });
  const named = (one: Candidate) => ({
    shop: shopOf(one),
    name: one.name,
    profile: readMemoizedProfile(one),
  });
  const sought = named(comparable(listing));
  const names = readCandidateNames([sought, ...candidates.map(named)]);
  const scores = scoreComparisons(comparisons, model);
  const compared = comparisons.candidates.map((candidate, nth): ComparedRecord['pairs'][number] => {
    const other = named(candidate);
    const features = comparisons.features[nth] as Features;
    const { score, contradicted, contradictions } = scores[nth] as (typeof scores)[number];
    if (contradicted || keepApart(contradictions) || areNamesOfOthers(sought, other, features, names))
      return [candidate.id, score, 1];
    const isLessLikely = shareOnlyWords(sought.profile, other.profile);
    return [candidate.id, isLessLikely ? roundScore(Math.max(0, score - WORDS_ALONE)) : score, 0];
  });
  const byId = new Map(compared.map((pair) => [pair[0], pair]));
  // A candidate that was not compared is plainly another product.
  return candidates.map(({ id }) => byId.get(id) ?? [id, 0, 1]);
}

/** A profile takes about 10 KB. */
const MAX_PROFILES = 10_000;

/** A profile is memoized, because a listing is a candidate of many others. */
const readMemoizedProfile: ProfileReader = createProfileReader(
  new LRUCache<string, Profile>({ max: MAX_PROFILES }),
  (listing) => `${listing.id} ${'updated_at' in listing ? String(listing.updated_at) : ''} ${listing.name}`,
);
