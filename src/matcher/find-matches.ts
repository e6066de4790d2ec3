import type { Client } from '@elastic/elasticsearch';
import {
  CANDIDATE_FIELDS,
  comparisonSearches,
  furtherSearches,
  type MatchFilters,
} from '../engine/queries/candidates.js';
import { getStoredListing } from '../engine/documents.js';
import { searchAll, searchAllBytes } from '../engine/multi-search.js';
import { EngineUnavailableError } from '../engine/errors.js';
import { isLinked, type StoredListing } from '../listing/listing.js';
import type { ExchangeRates } from '../listing/rates.js';
import type { ProfileReader } from '../matching/profile.js';
import type { FoundCandidates, Matched } from '../matching/stored-matches.js';
import {
  addCandidates,
  answerMatchRequest,
  firstSearches,
  type Incomplete,
  type Matches,
  type MatchRequest,
  type MatchTarget,
  type Search,
  sourcesOf,
} from './match-request.js';
import type { LearnedVersion } from '../published/learned-versions.js';
import { matchInWorker } from './worker-pool.js';

/** The services that matching needs; the context of a request contains all of them. */
export interface MatchServices {
  es: Client;
  /** The alias of the product index. */
  products: string;
  /** The index of people's decisions on whether two listings are the same product. */
  decisions: string;
  /** Returns the active learned model, or null if the shipped one is active. */
  matchingModel: () => Promise<LearnedVersion | null>;
  rates: ExchangeRates;
}

/**
 * Finds the other listings of each listing's product: its group if it is linked, otherwise the candidates that match. What people
 * have decided since the last linking run applies as well. A worker thread scores the candidates.
 * @param read a memoizing reader of profiles, with which this thread scores the few offers if all listings are linked.
 */
export async function findMatches(
  { es, products, decisions, matchingModel, rates }: MatchServices,
  target: MatchTarget,
  read?: ProfileReader,
): Promise<Matches> {
  const { catalogue, known } = firstSearches(target);
  const [first, model] = await Promise.all([
    searchAllBytes(es, products, catalogue, { index: `${products},${decisions}`, body: known }),
    matchingModel(),
  ]);
  const isHere = read !== undefined && !('id' in target.of) && target.of.every(isLinked);
  const answer = (responses: Uint8Array[]) => {
    const request: MatchRequest = { ...target, rates, model, responses };
    return isHere ? answerMatchRequest(request, read) : matchInWorker(request);
  };
  return answerInRounds(first, answer, (wanted) => searchAllBytes(es, products, wanted));
}

/**
 * Answers a request with the responses to its first searches, and if the answer needs further ones, with those too.
 * @throws EngineUnavailableError if one of the searches failed.
 */
export async function answerInRounds<Answer extends object>(
  first: Uint8Array,
  answer: (responses: Uint8Array[]) => Answer | Incomplete | Promise<Answer | Incomplete>,
  search: (wanted: Search[]) => Promise<Uint8Array>,
): Promise<Answer> {
  let response = await answer([first]);
  if ('wanted' in response) response = await answer([first, await search(response.wanted)]);
  if ('failed' in response)
    throw new EngineUnavailableError(response.failed.type, { cause: response.failed });
  if ('wanted' in response) throw new Error('an answer needs searches that it has the responses to');
  return response;
}

/** The match filters that accept every listing of a product, including those of the same shop. */
const ALL_OFFERS: MatchFilters = { includeSameSource: true };

/** Returns a listing and the other listings of its product; null if there is no such listing. A linked one takes one request. */
export async function findOffers(
  services: MatchServices,
  id: number,
): Promise<{ listing: StoredListing; others: Matched[] } | null> {
  const { es, products } = services;
  const linked = await findMatches(services, { of: { index: products, id }, filters: ALL_OFFERS });
  const [linkedListing] = linked.listings;
  if (linkedListing !== undefined) return { listing: linkedListing, others: linked.matched[0] ?? [] };
  const listing = await getStoredListing(es, products, id, CANDIDATE_FIELDS);
  if (listing === null) return null;
  const { matched } = await findMatches(services, { of: [listing], filters: ALL_OFFERS });
  return { listing, others: matched[0] ?? [] };
}

/** Returns the candidates and siblings of each listing in one request, or in two if further listings may share a GTIN. */
export async function findCandidates(
  es: Client,
  index: string,
  listings: readonly StoredListing[],
  filters: MatchFilters,
): Promise<FoundCandidates[]> {
  const search = async (bodies: Parameters<typeof searchAll>[2]): Promise<StoredListing[][]> =>
    (await searchAll(es, index, bodies)).map(sourcesOf);
  const first = await search(comparisonSearches(listings, filters));
  const found = listings.map((_, at) => ({
    candidates: [...(first[2 * at] ?? [])],
    siblings: first[2 * at + 1] ?? [],
  }));
  const further = listings.flatMap((listing, at) =>
    furtherSearches(listing, found[at]?.candidates ?? [], filters).map((body) => ({ body, at })),
  );
  if (further.length === 0) return found;
  const more = await search(further.map(({ body }) => body));
  further.forEach(({ at }, nth) => addCandidates(found[at]?.candidates ?? [], more[nth] ?? []));
  return found;
}
