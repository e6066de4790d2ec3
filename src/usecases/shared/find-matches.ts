import type { Client } from '@elastic/elasticsearch';
import { type FoundCandidates, type Matched, toComparison } from '../../matching/comparison.js';
import { type Comparison, firstSearches, type Question, type Verdict } from './judging/judge.js';
import { judgeApart } from './judging/judges.js';
import type { StoredListing } from '../../listing/listing.js';
import {
  CANDIDATE_FIELDS,
  comparisonSearches,
  furtherSearch,
  type MatchFilters,
} from '../../engine/queries/candidates.js';
import type { ExchangeRates } from '../../listing/rates/convert.js';
import type { Links } from '../../listing/to-product.js';
import { getStoredListing } from '../../engine/documents.js';
import { searchAll, searchAllBytes } from '../../engine/search-all.js';
import { EngineUnavailableError } from '../../engine/unavailable.js';

/** So many listings are looked up at once: while the engine looks for the next, those that it found are compared. */
const BATCH = 5;

/** What the data team decided; no other index brings it back. */
export const decisionsIndex = (indexPrefix: string): string => `${indexPrefix}-decisions`;

/** What comparing takes; handlers have it. */
export interface Comparing {
  es: Client;
  /** The alias of the product index. */
  products: string;
  /** The index of what people decided. */
  decisions: string;
  config: Links;
  rates: ExchangeRates;
}

type Judged = Extract<Verdict, { matched: unknown }>;

/**
 * Compares each listing with the others of its product.
 * @param filters with `explain`, each comparison has `considered`.
 * @returns one for each listing, in their order.
 * @throws QueryError when the price limits cross.
 */
export async function compareListings(
  services: Comparing,
  listings: readonly StoredListing[],
  { explain = false, ...filters }: MatchFilters & Pick<Comparison, 'explain'>,
) {
  const { rates, config: links } = services;
  const batches = Array.from({ length: Math.ceil(listings.length / BATCH) }, (_, at) =>
    listings.slice(at * BATCH, (at + 1) * BATCH),
  );
  const compared = await Promise.all(
    batches.map(async (batch) => {
      const { matched, considered } = await judged(services, { of: batch, filters, explain });
      return batch.map((listing, at) => ({
        ...toComparison(listing, matched[at] ?? [], { rates, links }),
        ...(explain ? { considered: considered[at] ?? [] } : {}),
      }));
    }),
  );
  return compared.flat();
}

/**
 * The others of each listing's product: those of its group where that is fresh, else what is the same among what the
 * engine finds for it; and what people decided since.
 * @returns in the order of the listings.
 * @throws QueryError when the price limits cross.
 */
export const findMatches = async (
  services: Omit<Comparing, 'config'>,
  listings: readonly StoredListing[],
  filters: MatchFilters,
): Promise<Matched[][]> => (await judged(services, { of: listings, filters })).matched;

/** All listings of a product, of any shop. */
const ALL_OFFERS: MatchFilters = { includeSameSource: true };

/**
 * A listing and the others of its product, of any shop. Of one that is linked all is found by its id at once, in one
 * request, as of the last refresh; of any other as `findMatches` does.
 * @param id one that a listing may have.
 * @returns null: nobody has this id.
 */
export async function findOffers(
  services: Omit<Comparing, 'config'>,
  id: number,
): Promise<{ listing: StoredListing; others: Matched[] } | null> {
  const { es, products } = services;
  const { listings, matched } = await judged(services, { of: { index: products, id }, filters: ALL_OFFERS });
  const [linked] = listings;
  const listing = linked ?? (await getStoredListing(es, products, id, CANDIDATE_FIELDS));
  if (listing === null) return null;
  const [others = []] = linked === undefined ? await findMatches(services, [listing], ALL_OFFERS) : matched;
  return { listing, others };
}

/** Asks the engine and then the judge; once more where the judge wants to see more. */
async function judged(
  { es, products, decisions: index, rates }: Omit<Comparing, 'config'>,
  comparison: Comparison,
): Promise<Judged> {
  const { catalogue, decisions } = firstSearches(comparison);
  const first = await searchAllBytes(es, products, catalogue, [{ index, body: decisions }]);
  const question: Question = { ...comparison, rates, answers: [first] };
  const verdict = settled(await judgeApart(question));
  if ('matched' in verdict) return verdict;
  const more = await searchAllBytes(es, products, verdict.wanted);
  const last = settled(await judgeApart({ ...question, answers: [first, more] }));
  if ('matched' in last) return last;
  throw new Error('the judge wants what it has seen');
}

/** @throws EngineUnavailableError where a search failed. */
function settled(verdict: Verdict): Exclude<Verdict, { failed: unknown }> {
  if ('failed' in verdict) throw new EngineUnavailableError(verdict.failed.type, { cause: verdict.failed });
  return verdict;
}

/**
 * Candidates and siblings of each listing, in one request for all of them; in a second what more shares a GTIN with
 * one: for who compares by itself.
 */
export async function findCandidates(
  es: Client,
  index: string,
  listings: readonly StoredListing[],
  filters: MatchFilters,
): Promise<FoundCandidates[]> {
  const answers = await listingsOf(comparisonSearches(listings, filters));
  const found = listings.map((_, at) => ({
    candidates: [...(answers[2 * at] ?? [])],
    siblings: answers[2 * at + 1] ?? [],
  }));
  const further = listings.flatMap((listing, at) => {
    const body = furtherSearch(listing, found[at]?.candidates ?? [], filters);
    return body === null ? [] : [{ body, at }];
  });
  if (further.length === 0) return found;
  const more = await listingsOf(further.map(({ body }) => body));
  further.forEach(({ at }, nth) => found[at]?.candidates.push(...(more[nth] ?? [])));
  return found;

  async function listingsOf(bodies: Parameters<typeof searchAll>[2]): Promise<StoredListing[][]> {
    const all = await searchAll(es, index, bodies);
    // Whatever is empty is left out.
    return all.map(({ hits }) =>
      ((hits as typeof hits | undefined)?.hits ?? []).flatMap(({ _source }) => _source ?? []),
    );
  }
}
