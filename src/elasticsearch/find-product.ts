import type { estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import { listingsAskedFor, notContradicting, type FoundListing } from '../matching/asked.js';
import { accessoryWordsBeside } from '../matching/asked/accessories.js';
import type { Judged } from '../matching/asked/reading.js';
import { matchCandidates, MATCH_THRESHOLD } from '../matching/match.js';
import { readQuery, type ProductQuery } from '../matching/query.js';
import { productSearches, toldBy } from '../queries/best-price.js';
import { correctedName } from '../queries/spelling.js';
import { toCandidate } from '../comparison/compare.js';
import { type Comparing, findCandidates } from './find-matches.js';
import { searchAll } from './search-all.js';

type Services = Omit<Comparing, 'config'>;

/** A listing of the product that was asked for, and how surely it is, 0 to 1. */
export interface Offer {
  listing: StoredListing;
  confidence: number;
}

/** Of so many listings that are the product other wordings are looked for. */
const WORDINGS_OF = 3;

/**
 * The offers of the product that a text names, in any wording: those that account for all of the text, and what compare
 * takes for the same. Two requests to the engine, three where a word is plainly misspelt.
 * @param filter clauses that every listing must match.
 * @returns none where no listing is that product; in no particular order, with a price or without.
 */
export async function findProduct(
  services: Services,
  q: string,
  filter: estypes.QueryDslQueryContainer[],
): Promise<Offer[]> {
  const query = readQuery(q);
  const { found, suggest } = await search(services, query, filter);
  const asked = offersAskedFor(query, found);
  if (asked.length > 0) return [...asked, ...(await otherWordings(services, query, asked, filter))];
  const corrected = correctedName(query.text, suggest);
  if (corrected === null) return [];
  const meant = { ...readQuery(corrected), identifiers: [] };
  const offers = offersAskedFor(meant, (await search(services, meant, filter)).found);
  return offers.length === 0 ? [] : [...offers, ...(await otherWordings(services, meant, offers, filter))];
}

type FoundStored = FoundListing<Judged & { listing: StoredListing }>;

const offersAskedFor = (query: ProductQuery, found: readonly FoundStored[]): Offer[] =>
  listingsAskedFor(query, found).map(({ candidate, confidence }) => ({
    listing: candidate.listing,
    confidence,
  }));

/** What is asked for a product that a text names. */
export const searchesOf = (
  query: ProductQuery,
  filter: readonly estypes.QueryDslQueryContainer[],
): estypes.SearchSearchRequestBody[] =>
  productSearches({ ...query, accessoryWords: accessoryWordsBeside(query.profile) }, filter);

async function search(
  { es, products, rates }: Services,
  query: ProductQuery,
  filter: estypes.QueryDslQueryContainer[],
): Promise<{ found: FoundStored[]; suggest: estypes.SearchResponse['suggest'] }> {
  const answers = await searchAll(es, products, searchesOf(query, filter));
  const found = new Map<number, FoundStored>();
  const currency = answers[0]?.hits?.hits?.[0]?._source?.currency ?? null;
  for (const { hits } of answers) {
    for (const { _source: listing, _score: score } of hits?.hits ?? []) {
      if (listing === undefined || found.has(listing.id)) continue;
      const candidate = { ...toCandidate(listing, currency, rates), listing };
      found.set(listing.id, { candidate, ...toldBy(score ?? 0) });
    }
  }
  return { found: [...found.values()], suggest: answers[0]?.suggest };
}

/** What compare takes for the same product as one of the offers, and what does not contradict the query. */
async function otherWordings(
  { es, products, rates }: Services,
  query: ProductQuery,
  offers: readonly Offer[],
  filter: estypes.QueryDslQueryContainer[],
): Promise<Offer[]> {
  const known = new Set(offers.map(({ listing }) => listing.id));
  const asked = offers.slice(0, WORDINGS_OF);
  const compared = await findCandidates(
    es,
    products,
    asked.map(({ listing }) => listing),
    { includeSameSource: true, filter },
  );
  const others = new Map<number, Offer>();
  asked.forEach(({ listing, confidence }, at) => {
    const { candidates, siblings } = compared[at] ?? { candidates: [], siblings: [] };
    const comparable = (one: StoredListing) => toCandidate(one, listing.currency, rates);
    const matches = matchCandidates(
      comparable(listing),
      candidates.map(comparable),
      siblings.map(comparable),
    );
    candidates.forEach((candidate, index) => {
      const score = matches[index]?.score ?? 0;
      if (score < MATCH_THRESHOLD || known.has(candidate.id)) return;
      const before = others.get(candidate.id)?.confidence ?? 0;
      others.set(candidate.id, { listing: candidate, confidence: Math.max(before, confidence * score) });
    });
  });
  const judged = [...others.values()].map(({ listing }) => toCandidate(listing, listing.currency, rates));
  const fitting = new Set(
    notContradicting(
      query,
      asked.map(({ listing }) => toCandidate(listing, null, rates)),
      judged,
    ).map(({ id }) => id),
  );
  return [...others.values()].filter(({ listing }) => fitting.has(listing.id));
}
