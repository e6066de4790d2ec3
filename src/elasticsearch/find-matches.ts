import { setImmediate } from 'node:timers/promises';
import type { Client, estypes } from '@elastic/elasticsearch';
import {
  linkedWith,
  type Matched,
  sameProduct,
  toCandidate,
  toComparison,
  type FoundCandidates,
} from '../comparison/compare.js';
import { type Decided, decidedOf, told } from '../comparison/decided.js';
import type { StoredListing } from '../listing/listing.js';
import type { ProfileReader } from '../matching/evidence.js';
import { profileReader } from '../matching/reader.js';
import { comparisonSearches, furtherSearch, type MatchFilters } from '../queries/candidates.js';
import { decisionsSearch, partnersSearch } from '../queries/decisions.js';
import type { StoredDecision } from '../schemas/decisions.js';
import { groupFilter, groupSearch } from '../queries/groups.js';
import type { ExchangeRates } from '../rates/convert.js';
import type { Links } from '../results/product.js';
import { getStoredListing } from './documents.js';
import { isLinked } from './find-group.js';
import { searchAll } from './search-all.js';

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

/**
 * Compares each listing with the others of its product.
 * @returns one for each listing, in their order.
 * @throws QueryError when the price limits cross.
 */
export async function compareListings(
  services: Comparing,
  listings: readonly StoredListing[],
  filters: MatchFilters,
) {
  const { rates, config: links } = services;
  const read = profileReader();
  const batches = Array.from({ length: Math.ceil(listings.length / BATCH) }, (_, at) =>
    listings.slice(at * BATCH, (at + 1) * BATCH),
  );
  const compared = await Promise.all(
    batches.map(async (batch) => {
      const matched = await findMatches(services, batch, filters, read);
      return batch.map((listing, at) => toComparison(listing, matched[at] ?? [], { rates, links }));
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
export async function findMatches(
  { es, products, decisions, rates }: Omit<Comparing, 'config'>,
  listings: readonly StoredListing[],
  filters: MatchFilters,
  read = profileReader(),
): Promise<Matched[][]> {
  const open = listings.filter((listing) => !isLinked(listing));
  const groups = [...new Set(listings.filter(isLinked).map(groupOf))];
  const limits = groupFilter(filters);
  const searches = [
    ...groups.map((group) => groupSearch(group, limits)),
    ...comparisonSearches(open, filters),
  ];
  const answers = await searchAll<StoredListing & StoredDecision>(es, products, searches, [
    { index: decisions, body: decisionsSearch(listings) },
  ]);
  const found = answers.map(sourcesOf);
  const members = new Map(groups.map((group, at) => [group, found[at] ?? []]));
  const candidates = await withFurther(es, products, open, found.slice(groups.length, -1), filters);
  const decided = listings.map((listing) => decidedOf(listing, found.at(-1) ?? []));
  const partners = await findPartners(es, products, decided, filters);
  const matched: Matched[][] = [];
  for (const [at, listing] of listings.entries()) {
    const likely = isLinked(listing)
      ? { linked: members.get(groupOf(listing)) ?? [] }
      : (candidates[open.indexOf(listing)] ?? NOTHING);
    const known = { likely, decided: decided[at] ?? NONE, partners };
    matched.push(await matchesOf(listing, known, { rates, filters, read }));
  }
  return matched;
}

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
  const { es, products, decisions, rates } = services;
  const place = { index: products, id };
  const answers = await searchAll<StoredListing & StoredDecision>(
    es,
    products,
    [groupSearch(place)],
    [{ index: decisions, body: decisionsSearch([place]) }],
  );
  const [linked = [], about = []] = answers.map(sourcesOf);
  const shown = linked.find((one) => one.id === id);
  if (shown === undefined) {
    const listing = await getStoredListing(es, products, id);
    if (listing === null) return null;
    const [others = []] = await findMatches(services, [listing], ALL_OFFERS);
    return { listing, others };
  }
  const decided = decidedOf(shown, about);
  const partners = await findPartners(es, products, [decided], ALL_OFFERS);
  const known = { likely: { linked }, decided, partners };
  const others = await matchesOf(shown, known, { rates, filters: ALL_OFFERS, read: profileReader() });
  return { listing: shown, others };
}

/** What was found for one listing. */
interface Known {
  /** The listings of its group, or what may be the same. */
  likely: { linked: readonly StoredListing[] } | FoundCandidates;
  decided: Decided;
  /** By `told`. */
  partners: ReadonlyMap<string, StoredListing>;
}

/** The others of a listing's product among what was found for it, and what people decided of it. */
async function matchesOf(
  listing: StoredListing,
  { likely: found, decided: { same, different }, partners }: Known,
  { rates, filters, read }: { rates: ExchangeRates; filters: MatchFilters; read: ProfileReader },
): Promise<Matched[]> {
  const isWanted = (other: StoredListing): boolean =>
    other.id !== listing.id && (filters.includeSameSource || other.source !== listing.source);
  const likely = 'linked' in found ? { linked: found.linked.filter(isWanted) } : found;
  const compared = 'linked' in likely ? likely.linked : likely.candidates;
  await readInTurns([listing, ...compared], rates, read);
  const others =
    'linked' in likely
      ? linkedWith(listing, likely.linked, rates, read)
      : sameProduct(listing, likely, rates, read);
  const known = new Set(others.map(({ listing: other }) => other.id));
  // Where both are linked, their groups obey this decision, or others that weigh more.
  const added = same
    .flatMap((key) => partners.get(told(key)) ?? [])
    .filter((other) => !known.has(other.id) && isWanted(other))
    .filter((other) => !isLinked(listing) || !isLinked(other));
  const kept = others.filter(({ listing: other }) => !different.has(told(other)));
  return added.length === 0 ? kept : [...kept, ...linkedWith(listing, added, rates, read)];
}

const NONE: Decided = { same: [], different: new Set() };

const NOTHING: FoundCandidates = { candidates: [], siblings: [] };

const groupOf = ({ id, internal }: StoredListing): number => internal.group_id ?? id;

const sourcesOf = <T>({ hits }: Pick<estypes.SearchResponseBody<T>, 'hits'>): T[] =>
  // Whatever is empty is left out.
  ((hits as typeof hits | undefined)?.hits ?? []).flatMap(({ _source }) => _source ?? []);

/** Listings that people decided to be the product of another, by `told`; asks nothing where there are none. */
async function findPartners(
  es: Client,
  index: string,
  decided: readonly Decided[],
  filters: MatchFilters,
): Promise<Map<string, StoredListing>> {
  const wanted = decided.flatMap(({ same }) => same);
  if (wanted.length === 0) return new Map();
  const [found = []] = await listingsOf(es, index, [partnersSearch(wanted, filters)]);
  return new Map(found.map((listing) => [told(listing), listing]));
}

/** How long this process may read or compare before whoever else waits for it has a turn. */
const TURN_MS = 1;

/** Reads listings for comparing, which is the half of its work, in pieces. */
export async function readInTurns(
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

/** Candidates and siblings of each listing, in one request for all of them; in a second what more shares a GTIN with one. */
export async function findCandidates(
  es: Client,
  index: string,
  listings: readonly StoredListing[],
  filters: MatchFilters,
): Promise<FoundCandidates[]> {
  const answers = await listingsOf(es, index, comparisonSearches(listings, filters));
  return withFurther(es, index, listings, answers, filters);
}

/** What `comparisonSearches` found, and what more shares a GTIN with one of the listings. */
async function withFurther(
  es: Client,
  index: string,
  listings: readonly StoredListing[],
  answers: readonly StoredListing[][],
  filters: MatchFilters,
): Promise<FoundCandidates[]> {
  const found = listings.map((_, at) => ({
    candidates: [...(answers[2 * at] ?? [])],
    siblings: answers[2 * at + 1] ?? [],
  }));
  const further = listings.flatMap((listing, at) => {
    const body = furtherSearch(listing, found[at]?.candidates ?? [], filters);
    return body === null ? [] : [{ body, at }];
  });
  if (further.length === 0) return found;
  const more = await listingsOf(
    es,
    index,
    further.map(({ body }) => body),
  );
  further.forEach(({ at }, nth) => found[at]?.candidates.push(...(more[nth] ?? [])));
  return found;
}

async function listingsOf(
  es: Client,
  index: string,
  bodies: readonly estypes.SearchSearchRequestBody[],
): Promise<StoredListing[][]> {
  return (await searchAll(es, index, bodies)).map(sourcesOf);
}
