import type { estypes } from '@elastic/elasticsearch';
import {
  candidatesSearch,
  comparisonSearches,
  furtherSearches,
  type MatchFilters,
  SIBLINGS,
} from '../engine/queries/candidates.js';
import {
  type DocumentReference,
  groupsAndDecisionsSearch,
  partnersSearch,
} from '../engine/queries/known-matches.js';
import { MAX_GROUP } from '../engine/queries/groups.js';
import { groupOf, isLinked, type StoredListing } from '../listing/listing.js';
import type { ExchangeRates } from '../listing/rates.js';
import { MATCH_THRESHOLD } from '../matching/match.js';
import { createProfileReader, type ProfileReader } from '../matching/profile.js';
import {
  explainUnmatched,
  type FoundCandidates,
  type Matched,
  matchedAmong,
  type PairScore,
  scoreLinked,
  scorePairs,
  type Scoring,
} from '../matching/stored-matches.js';
import type { ListingKey, StoredDecision } from '../schemas/decisions.js';
import type { ConsideredMatch } from '../schemas/explain.js';
import { listingKey } from '../listing/identify.js';
import type { LearnedVersion } from '../published/learned-versions.js';
import { modelOf } from '../published/matching-models.js';

export type Search = estypes.SearchSearchRequestBody;

/** The listings whose matches are wanted, and the options of the request. */
export interface MatchTarget {
  /** The listings, or a reference to one linked listing, whose fields Elasticsearch then looks up during the search. */
  of: readonly StoredListing[] | DocumentReference;
  filters: MatchFilters;
  explain?: boolean;
  /** Whether one search finds the candidates of all listings, which costs less and finds fewer. See `furtherSearches`. */
  isJoint?: boolean;
  /** Whether to score every pair of the listings, which are sorted by id, instead of finding matches. */
  pairs?: boolean;
}

/** A request to a matcher worker. It consists of plain values, so that it can be sent to another thread. */
export interface MatchRequest extends MatchTarget {
  rates: ExchangeRates;
  /** The active learned model, or null if the shipped one is active. */
  model: LearnedVersion | null;
  /** The bodies of the engine's `_msearch` responses: to `firstSearches`, then to the `wanted` searches, if there were any. */
  responses: readonly Uint8Array[];
}

export interface Matches {
  /** The requested listing, if the request refers to it by its id and it is linked; otherwise no listing. */
  listings: readonly StoredListing[];
  /** The other listings of each listing's product, in the order of the requested listings. */
  matched: Matched[][];
  /** The candidates of each listing that do not match, in the same order, if an explanation is requested. */
  considered: ConsideredMatch[][];
  /** What people decided about each listing, in the same order. */
  decided: Decisions[];
  /** If pairs are requested, the score of every pair of the listings, sorted by their ids. */
  pairs: PairScore[];
}

export type Incomplete =
  /** Further searches of the catalogue. The caller sends the request again with their responses. */
  | { wanted: Search[] }
  /** The error of a search on which the answer depends. */
  | { failed: estypes.ErrorCause };

export type MatchResponse = Matches | Incomplete;

/**
 * The searches that a match request needs: for candidates and siblings of unlinked listings, and for the groups of the others and
 * the decisions, which are in another index.
 */
export function firstSearches(target: MatchTarget): { catalogue: Search[]; known: Search } {
  const { of, filters, isJoint = false } = target;
  if ('id' in of) return { catalogue: [], known: groupsAndDecisionsSearch(of, [of]) };
  const { groups, unlinked } = splitByLink(target);
  const joint = () => (unlinked.length === 0 ? [] : [candidatesSearch(unlinked, filters)]);
  return {
    catalogue: isJoint ? joint() : comparisonSearches(unlinked, filters),
    known: groupsAndDecisionsSearch(groups, of, filters.filter),
  };
}

/** The groups of linked listings, and the listings to search candidates for: all for an explanation, and for pairs each `a`. */
function splitByLink({ of, explain = false, pairs = false }: MatchTarget): {
  groups: number[];
  unlinked: readonly StoredListing[];
} {
  if ('id' in of) return { groups: [], unlinked: [] };
  if (pairs) return { groups: [], unlinked: of.slice(0, -1) };
  const groups = [...new Set(of.filter(isLinked).map(groupOf))];
  return { groups, unlinked: explain ? of : of.filter((listing) => !isLinked(listing)) };
}

/** Finds the other listings of each product in the responses, as `findMatches` describes. @param read a memoizing reader. */
export function answerMatchRequest(
  request: MatchRequest,
  read: ProfileReader = createProfileReader(),
): MatchResponse {
  const { filters, rates, explain = false, pairs = false, isJoint = false } = request;
  const responses = request.responses.map(parseResponses);
  const failed = responses.flat().find(({ error }) => error !== undefined)?.error;
  if (failed !== undefined) return { failed };
  const [first = [], more] = responses.map((some) => some.map(sourcesOf));
  const known = readFirstResponses(request, first);
  const { listings, members, found, decided } = known;
  const scoring = { rates, read, model: modelOf(request.model) };
  if (pairs) {
    const scored = scoreAllPairs(listings, found, decided, scoring);
    return { listings: [], matched: [], considered: [], decided, pairs: scored };
  }
  /** The listings that may have more candidates than were found, each with a search for them. */
  const incomplete = known.searched.slice(0, isJoint ? 1 : undefined).flatMap((listing) => {
    const { candidates } = found.get(listing.id) ?? NO_CANDIDATES;
    const joint = isJoint ? known.searched.length : undefined;
    return furtherSearches(listing, candidates, filters, joint).map((search) => ({ id: listing.id, search }));
  });
  /** The listings that people decided to be the same product as a requested one. */
  const partnerKeys = decided.flatMap(({ same }) => same);
  const wanted = [
    ...incomplete.map(({ search }) => search),
    ...(partnerKeys.length === 0 ? [] : [partnersSearch(partnerKeys, filters)]),
  ];
  if (wanted.length > 0 && more === undefined) return { wanted };
  const next = inOrder(more ?? []);
  for (const { id } of incomplete) addCandidates(found.get(id)?.candidates ?? [], next());
  const partnerListings = partnerKeys.length === 0 ? [] : next();
  const partners = new Map(partnerListings.map((listing) => [listingKey(listing), listing]));
  const matched = listings.map((listing, at) => {
    const isWanted = ({ id, source }: StoredListing): boolean =>
      id !== listing.id && (filters.includeSameSource === true || source !== listing.source);
    const linked = isLinked(listing) ? (members.get(groupOf(listing)) ?? []) : null;
    const matches =
      linked === null
        ? matchedAmong(listing, found.get(listing.id) ?? NO_CANDIDATES, scoring)
        : scoreLinked(listing, linked.filter(isWanted), scoring);
    const { same, different } = decided[at] ?? NO_DECISIONS;
    const matchedIds = new Set(matches.map(({ listing: { id } }) => id));
    // If both listings are linked, their groups already obey this decision, or decisions that take precedence over it.
    const added = same
      .flatMap((key) => partners.get(listingKey(key)) ?? [])
      .filter((other) => !matchedIds.has(other.id) && isWanted(other))
      .filter((other) => linked === null || !isLinked(other));
    const remaining = matches.filter(({ listing: other }) => !different.has(listingKey(other)));
    return added.length === 0 ? remaining : [...remaining, ...scoreLinked(listing, added, scoring)];
  });
  const considered = (explain ? listings : []).map((listing, at) => {
    const ids = new Set((matched[at] ?? []).map(({ listing: { id } }) => id));
    return explainUnmatched(listing, found.get(listing.id) ?? NO_CANDIDATES, ids, scoring);
  });
  return { listings: 'id' in request.of ? listings : [], matched, considered, decided, pairs: [] };
}

/** @param first for each search of `firstSearches`, the listings found. Those of the last one may include decisions. */
function readFirstResponses(request: MatchRequest, first: readonly StoredListing[][]) {
  const { of, isJoint = false } = request;
  const known = first.at(-1) ?? [];
  const decisions = known.filter((one) => 'decision' in one) as unknown as StoredDecision[];
  const linked = known.filter((one) => !('decision' in one));
  const listings = 'id' in of ? linked.filter(({ id }) => id === of.id) : of;
  const { groups, unlinked: searched } =
    'id' in of ? { groups: listings.map(groupOf), unlinked: [] } : splitByLink(request);
  const next = inOrder(first.slice(0, -1));
  const joint = isJoint ? next() : [];
  const foundFor = ({ source }: StoredListing): FoundCandidates =>
    isJoint
      ? { candidates: [...joint], siblings: joint.filter((one) => one.source === source).slice(0, SIBLINGS) }
      : { candidates: next(), siblings: next() };
  return {
    listings,
    /** The listings of each group, at most `MAX_GROUP`. The search may return more, because it also has room for decisions. */
    members: new Map(groups.map((group) => [group, membersOf(group, linked)])),
    /** The listings for which candidates were searched, and what was found for each of them. */
    searched,
    found: new Map(searched.map((listing) => [listing.id, foundFor(listing)])),
    decided: listings.map((listing) => decisionsAbout(listing, decisions)),
  };
}

/**
 * Returns the first `MAX_GROUP` listings of a group, sorted by id.
 * @param linked the listings of one or more groups, in the order in which the search returned them.
 */
const membersOf = (group: number, linked: readonly StoredListing[]): StoredListing[] =>
  linked
    .filter((one) => groupOf(one) === group)
    .slice(0, MAX_GROUP)
    .sort((a, b) => a.id - b.id);

/** Returns a function that returns one list after the other, and an empty list after the last one. */
function inOrder<T>(lists: readonly T[][]): () => T[] {
  const remaining = lists.values();
  return () => remaining.next().value ?? [];
}

/** Adds further candidates to those that were found, each listing once, because several searches may find it. */
export function addCandidates(found: StoredListing[], further: readonly StoredListing[]): void {
  const known = new Set(found.map(({ id }) => id));
  for (const one of further) if (!known.has(one.id)) found.push(one);
}

export interface SearchResponse {
  error?: estypes.ErrorCause;
  hits?: { hits?: { _source?: StoredListing }[] };
}

export function parseResponses(body: Uint8Array): SearchResponse[] {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  return (JSON.parse(text) as { responses: SearchResponse[] }).responses;
}

/** The listings in a search response. Elasticsearch leaves out an empty list. */
export const sourcesOf = ({ hits }: SearchResponse): StoredListing[] =>
  (hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);

/** People's decisions about one listing. */
export interface Decisions {
  same: ListingKey[];
  /** The keys (`listingKey`) of the listings that people decided to be different products. */
  different: ReadonlySet<string>;
}

const NO_DECISIONS: Decisions = { same: [], different: new Set() };
const NO_CANDIDATES: FoundCandidates = { candidates: [], siblings: [] };

/** @param decisions the latest first; only the latest about two listings counts. */
function decisionsAbout(listing: ListingKey, decisions: readonly StoredDecision[]): Decisions {
  const own = listingKey(listing);
  const same: ListingKey[] = [];
  const different = new Set<string>();
  const decided = new Set<string>();
  for (const { a_source, a_sku, b_source, b_sku, decision } of decisions) {
    const a = { source: a_source, sku: a_sku };
    const b = { source: b_source, sku: b_sku };
    const other = listingKey(a) === own ? b : listingKey(b) === own ? a : null;
    if (other === null || decided.has(listingKey(other))) continue;
    decided.add(listingKey(other));
    if (decision === 'same') same.push(other);
    else different.add(listingKey(other));
  }
  return { same, different };
}

/** The maximum score of two listings that people decided to be different products. */
const MAX_DIFFERENT = 0.01;

/** Adjusts the score of a pair: decisions take precedence, and a pair of one group scores at least `MATCH_THRESHOLD`. */
function asDecided(
  pair: PairScore,
  listing: StoredListing,
  other: StoredListing,
  { same, different }: Decisions = NO_DECISIONS,
): PairScore {
  const key = listingKey(other);
  if (different.has(key)) {
    const contradictions: PairScore['contradictions'] = ['decision', ...pair.contradictions];
    return { ...pair, score: Math.min(pair.score, MAX_DIFFERENT), contradictions };
  }
  const isSame =
    isLinked(listing) && isLinked(other)
      ? groupOf(listing) === groupOf(other)
      : same.some((one) => listingKey(one) === key);
  return isSame ? { ...pair, score: Math.max(pair.score, MATCH_THRESHOLD) } : pair;
}

const scoreAllPairs = (
  listings: readonly StoredListing[],
  found: ReadonlyMap<number, FoundCandidates>,
  decided: readonly Decisions[],
  scoring: Scoring,
): PairScore[] =>
  listings.flatMap((listing, at) => {
    const others = listings.slice(at + 1);
    const scores = scorePairs(listing, others, found.get(listing.id) ?? NO_CANDIDATES, scoring);
    return scores.map((score, nth) => asDecided(score, listing, others[nth] ?? listing, decided[at]));
  });
