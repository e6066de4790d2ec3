import { setImmediate } from 'node:timers/promises';
import type { estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../../listing/listing.js';
import { listingsAskedFor, notContradicting, type FoundListing } from '../../matching/asked.js';
import { accessoryWordsBeside } from '../../matching/asked/accessories.js';
import type { Judged } from '../../matching/asked/reading.js';
import type { ProfileReader } from '../../matching/evidence.js';
import { readQuery, type ProductQuery, withoutInchMarks } from '../../matching/query.js';
import { profileReader } from '../../matching/reader.js';
import { productSearches, toldBy } from '../../engine/queries/best-price.js';
import { correctedName } from '../../engine/queries/spelling.js';
import { toCandidate } from '../../matching/comparison.js';
import type { ExchangeRates } from '../../listing/rates/convert.js';
import { type Comparing, findMatches } from '../shared/find-matches.js';
import { searchAll } from '../../engine/search-all.js';

/** What it takes, and who reads listings: each once, however often it is judged. */
type Services = Omit<Comparing, 'config'> & { read: ProfileReader };

/** A listing of the product that was asked for, and how surely it is, 0 to 1. */
export interface Offer {
  listing: StoredListing;
  confidence: number;
}

/** The offers of a product, and what they were chosen from. */
export interface FoundProduct {
  /** None where no listing is that product; in no particular order, with a price or without. */
  offers: Offer[];
  /** Listings that were looked at and are not the product, the likeliest first. */
  left: StoredListing[];
  /** What was looked for: a page by the name of what is for sale there, and a misspelt text as it is meant. */
  query: ProductQuery;
  /** What the text was corrected to. */
  corrected?: string;
}

/** Of so many listings that are the product other wordings are looked for. */
const WORDINGS_OF = 3;

/**
 * The offers of the product that a text names, in any wording: those that account for all of the text, and what compare
 * takes for the same. Two requests to the engine, three where a word is plainly misspelt, and one more where marks of
 * inches find nothing.
 * @param filter clauses that every listing must match.
 */
export function findProduct(
  services: Omit<Comparing, 'config'>,
  q: string,
  filter: estypes.QueryDslQueryContainer[],
): Promise<FoundProduct> {
  return findNamed({ ...services, read: profileReader() }, q, filter);
}

async function findNamed(
  services: Services,
  q: string,
  filter: estypes.QueryDslQueryContainer[],
): Promise<FoundProduct> {
  const query = readQuery(q);
  const { found, suggest } = await search(services, query, filter);
  const page = query.url === null ? undefined : found.find((one) => isOfPage(one, query));
  if (page !== undefined) return offersLike(services, page.candidate.listing, { found, filter });
  const asked = offersAskedFor(query, found, services.read);
  if (asked.length > 0) return inAnyWording(services, query, { asked, found, filter });
  const unmarked = withoutInchMarks(q);
  if (unmarked !== null) {
    const again = await findNamed(services, unmarked, filter);
    if (again.offers.length > 0) return again;
  }
  const corrected = correctedName(query.text, suggest);
  if (corrected === null) return { offers: [], left: [], query };
  const meant = { ...readQuery(corrected), identifiers: [] };
  const foundNow = (await search(services, meant, filter)).found;
  const offers = offersAskedFor(meant, foundNow, services.read);
  if (offers.length === 0) return { offers: [], left: [], query };
  return { ...(await inAnyWording(services, meant, { asked: offers, found: foundNow, filter })), corrected };
}

/** A page names what is for sale there. */
async function offersLike(
  services: Services,
  listing: StoredListing,
  { found, filter }: Omit<Asked, 'asked'>,
): Promise<FoundProduct> {
  const asked = [{ listing, confidence: 1 }];
  return inAnyWording(services, readQuery(listing.name), { asked, found, filter });
}

interface Asked {
  asked: Offer[];
  found: readonly FoundStored[];
  filter: estypes.QueryDslQueryContainer[];
}

/** With other wordings of the product, and without them what was found. */
async function inAnyWording(
  services: Services,
  query: ProductQuery,
  { asked, found, filter }: Asked,
): Promise<FoundProduct> {
  const { fitting, others } = await otherWordings(services, query, asked, filter);
  const offers = [...asked, ...fitting];
  const chosen = new Set(offers.map(({ listing }) => listing.id));
  const looked = [...found.map(({ candidate }) => candidate), ...others].map(({ listing }) => listing);
  const left = new Map(looked.flatMap((one) => (chosen.has(one.id) ? [] : [[one.id, one] as const])));
  return { offers, left: [...left.values()], query };
}

const isOfPage = ({ candidate }: FoundStored, { url }: ProductQuery): boolean =>
  candidate.internal.url === url;

type FoundStored = FoundListing<Judged & { listing: StoredListing }>;

const offersAskedFor = (query: ProductQuery, found: readonly FoundStored[], read: ProfileReader): Offer[] =>
  listingsAskedFor(query, found, read).map(({ candidate, confidence }) => ({
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
  { es, products, rates, read }: Services,
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
  await readInTurns(
    [...found.values()].map(({ candidate }) => candidate),
    rates,
    read,
  );
  return { found: [...found.values()], suggest: answers[0]?.suggest };
}

/** How long this process may read before whoever else waits for it has a turn. */
const TURN_MS = 1;

/** Reads listings, which is the most of the work of judging them, in pieces. */
async function readInTurns(
  listings: readonly StoredListing[],
  rates: ExchangeRates,
  read: ProfileReader,
): Promise<void> {
  let since = await newTurn();
  for (const listing of listings) {
    if (performance.now() - since > TURN_MS) since = await newTurn();
    read(toCandidate(listing, listing.currency, rates));
  }
  await newTurn();
}

const newTurn = async (): Promise<number> => {
  await setImmediate();
  return performance.now();
};

/** Scores have four decimals; further digits of the product of two scores mean nothing. */
const inTenThousandths = (score: number): number => Math.round(score * 10_000) / 10_000;

/** What compare takes for the same product as one of the offers, and what does not contradict the query. */
async function otherWordings(
  services: Services,
  query: ProductQuery,
  offers: readonly Offer[],
  filter: estypes.QueryDslQueryContainer[],
): Promise<{ fitting: Offer[]; others: Offer[] }> {
  const known = new Set(offers.map(({ listing }) => listing.id));
  const asked = offers.slice(0, WORDINGS_OF);
  const { rates, read } = services;
  const matched = await findMatches(
    services,
    asked.map(({ listing }) => listing),
    { includeSameSource: true, filter },
  );
  const others = new Map<number, Offer>();
  asked.forEach(({ confidence }, at) => {
    for (const { listing, score } of matched[at] ?? []) {
      if (known.has(listing.id)) continue;
      const before = others.get(listing.id)?.confidence ?? 0;
      others.set(listing.id, { listing, confidence: Math.max(before, inTenThousandths(confidence * score)) });
    }
  });
  const judged = [...others.values()].map(({ listing }) => toCandidate(listing, listing.currency, rates));
  const fitting = new Set(
    notContradicting(
      query,
      asked.map(({ listing }) => toCandidate(listing, null, rates)),
      judged,
      read,
    ).map(({ id }) => id),
  );
  const all = [...others.values()];
  return { fitting: all.filter(({ listing }) => fitting.has(listing.id)), others: all };
}
