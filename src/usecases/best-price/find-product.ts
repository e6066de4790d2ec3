import type { estypes } from '@elastic/elasticsearch';
import { LRUCache } from 'lru-cache';
import { searchAll } from '../../engine/multi-search.js';
import { withoutKnownWords } from '../../engine/unknown-words.js';
import {
  cheapestSearch,
  MAX_FOUND,
  productSearch,
  similarSearch,
  type SoughtProduct,
  wordCoverage,
} from '../../engine/queries/best-price.js';
import { crowdingOwners, ownedBy } from '../../engine/queries/candidates.js';
import { fieldsOfWords } from '../../engine/queries/contained-words.js';
import { correctedName } from '../../engine/queries/spelling.js';
import { listingKey } from '../../listing/identify.js';
import { groupOf, isLinked, type StoredListing } from '../../listing/listing.js';
import { namedAlikeKey, ownerOf } from '../../listing/owner.js';
import { createProfileReader, type Profile, type ProfileReader } from '../../matching/profile.js';
import { unrequestedAccessoryWords } from '../../matching/requested/accessories.js';
import type { StoredCandidate } from '../../matching/requested/candidate-listing.js';
import { chooseListings, type FoundListing } from '../../matching/requested/choose-listings.js';
import { offersUnderOtherNames } from '../../matching/requested/other-names.js';
import {
  isExactName,
  readRequestedProduct,
  type RequestedProduct,
  withoutInchMarks,
} from '../../matching/requested/requested-product.js';
import { toCandidate } from '../../matching/stored-matches.js';
import { distinctBy } from '../../platform/distinct.js';
import { mapInSlices } from '../../platform/slices.js';
import { findMatches, type MatchServices } from '../shared/matcher/find-matches.js';
import type { Decisions } from '../shared/matcher/match-request.js';
import type { QueryClause } from '../../engine/queries/selection.js';
import { roundScore } from '../../matching/match.js';

/** A listing of the requested product, and the confidence that it is one, 0 to 1. */
export interface ProductOffer {
  listing: StoredListing;
  confidence: number;
}

/**
 * The result of looking for a requested product: its offers, and the listings that are not offers of it.
 */
export interface FoundProduct {
  /**
   * The offers of the product in no particular order, with or without a price. The list is empty if no
   * listing is the product.
   */
  offers: ProductOffer[];
  /** Listings that a search found and that are not the product, the likeliest first. */
  refused: StoredListing[];
  /** Listings of the product whose prices are above the limit that the text states, as in "tv under 1500". */
  tooExpensive?: StoredListing[];
  /** If no listing is the product: those that are the product in another condition than the wanted one. */
  inOtherCondition?: StoredListing[];
  /**
   * The request for which listings were searched. If the shopper gave the address of a page, it is the name
   * of the listing on that page; if the shopper's text contained a typo, it is the corrected text.
   */
  query: RequestedProduct;
  /** The corrected text, if the shopper's text contained a typo. */
  corrected?: string;
}

/**
 * A listing that the search found, with its price converted to the currency of the first listing found.
 */
type Found = FoundListing<StoredCandidate & { listing: StoredListing }>;

/** The services that finding a product needs; the context of a request contains all of them. */
interface ProductServices extends MatchServices {
  /** Returns the schema version of the product index. */
  schemaVersion: () => Promise<number>;
  /** Whether the product index has several shards. */
  isSplit?: () => Promise<boolean>;
}

/** The services and settings that all steps of finding one product share. */
interface Lookup extends ProductServices {
  /** Filter clauses of the engine query that every found listing must match. */
  filter: readonly QueryClause[];
  explain: boolean;
  /**
   * Returns the profile of a listing for matching. The profile of each listing is read once, however often it
   * is compared.
   */
  read: ProfileReader;
}

/**
 * Finds the offers of the product that a text names: listings that account for all words of the text,
 * and the offers that are linked to them. This takes two requests to the engine, a third one if no listing has all words
 * or more listings have them than fit on a page, and more if the text contains typos or inch marks.
 * @param filter clauses that every listing must match.
 * @param explain whether listings that have only some of the words are returned among the refused ones.
 */
export const findProduct = (
  services: ProductServices,
  text: string,
  filter: readonly QueryClause[],
  explain = false,
): Promise<FoundProduct> => lookUp({ ...services, filter, explain, read: readerOf(services) }, text);

/**
 * The maximum number of listings whose profiles are cached. The number is limited because a profile takes
 * about ten kilobytes.
 */
const CACHED_PROFILES = 2_000;
const profiles = new LRUCache<string, Profile>({ max: CACHED_PROFILES });

/**
 * Returns a reader that caches the profiles of recently found listings across requests, because reading them
 * is most of the work of a best price. The key of a profile contains the time of the listing's last change and
 * the inferred maker, because a maker is inferred again without changing that time.
 */
export function readerOf({ products }: Pick<MatchServices, 'products'>): ProfileReader {
  const readStored = createProfileReader<StoredCandidate, string>(
    profiles,
    ({ id, updated_at: changed, internal: { maker } }) => `${products} ${id} ${changed} ${maker ?? ''}`,
  );
  return (listing) => readStored(listing as StoredCandidate);
}

async function lookUp(lookup: Lookup, text: string): Promise<FoundProduct> {
  const query = readRequestedProduct(text);
  const { found, chosen, similar } = await chooseFor(lookup, query);
  const page =
    query.url === null ? undefined : found.find(({ candidate }) => candidate.internal.url === query.url);
  if (page !== undefined) {
    const { listing } = page.candidate;
    return withLinkedOffers(lookup, readRequestedProduct(listing.name), found, [{ listing, confidence: 1 }]);
  }
  if (chosen.length > 0) return withLinkedOffers(lookup, query, found, chosen);

  const unmarked = withoutInchMarks(text);
  const again = unmarked === null ? null : await lookUp(lookup, unmarked);
  if (again !== null && again.offers.length > 0) return again;

  const nothingAmong = (refused: readonly Found[], asked: RequestedProduct): FoundProduct => ({
    offers: [],
    refused: refused.map(({ candidate }) => candidate.listing),
    query: asked,
  });
  const { es, products, isSplit } = lookup;
  const suggest = await withoutKnownWords(es, { index: products }, similar?.suggest, isSplit);
  const corrected = correctedName(query.text, suggest);
  if (corrected === null) return nothingAmong(found, query);
  const meant = { ...readRequestedProduct(corrected), identifiers: [] };
  const { found: foundMeant, chosen: chosenMeant } = await chooseFor(lookup, meant);
  if (chosenMeant.length === 0) return nothingAmong(foundMeant, meant);
  return { ...(await withLinkedOffers(lookup, meant, foundMeant, chosenMeant)), corrected };
}

/** The results of the searches for a request. */
interface Choice {
  found: Found[];
  chosen: ProductOffer[];
  /** The response to the search for listings with some of the words; undefined if it was not needed. */
  similar?: SearchResult | undefined;
}

type SearchResult = Awaited<ReturnType<typeof searchAll>>[number];

/** Returns the parts of a request that the searches for it need. */
export const soughtBy = (query: RequestedProduct): SoughtProduct => ({
  ...query,
  accessoryWords: unrequestedAccessoryWords(query.profile),
});

/**
 * The catalogues, by the alias of their product index, whose last best price needed the listings that have some of the
 * words. This is the case for every request until the catalogue is linked.
 */
const unlinked = new Set<string>();

/**
 * Chooses among the listings that have all words of the request. If none of them is the product, or an offer is not linked
 * yet, listings that have some of the words are considered too. Once all are linked, their groups contain such listings.
 *
 * In a catalogue that is not linked, all searches are sent in one request, so that a slow engine delays the answer once
 * and not three times. Where the listings of an owner fill a page, those of others are searched for separately.
 */
async function chooseFor(lookup: Lookup, query: RequestedProduct): Promise<Choice> {
  const { es, products, filter, explain } = lookup;
  const sought = soughtBy(query);
  const exactly = productSearch(sought, filter);
  const cheapestFirst = cheapestSearch(sought, filter);
  const within = fieldsOfWords(await lookup.schemaVersion());
  const similarIn = (filters: readonly QueryClause[]) => similarSearch(sought, filters, within);
  const similarly = similarIn(filter);
  const search = (...bodies: estypes.SearchSearchRequestBody[]) => searchAll(es, products, bodies);
  const together = explain || unlinked.has(products);

  const [exact, atOnceCheapest, atOnceSimilar] = await search(
    ...(together ? [exactly, cheapestFirst, similarly] : [exactly]),
  );
  const isFull = (exact?.hits?.hits?.length ?? 0) >= MAX_FOUND.exact;
  const [cheapest] = !isFull ? [] : together ? [atOnceCheapest] : await search(cheapestFirst);
  const elsewhere = ofOtherOwners(cheapest, MAX_FOUND.cheapest);
  const [cheapestOfOthers] =
    elsewhere === null ? [] : await search(cheapestSearch(sought, [...filter, elsewhere]));
  const exactFound = [exact, cheapest, cheapestOfOthers];
  const found = await readFound(lookup, exactFound);
  // Choosing takes long, so it is left out if the result would be discarded.
  const chosen = found.some(({ candidate }) => isLinked(candidate)) ? choose(lookup, query, found) : [];
  const isEnough = chosen.length > 0 && chosen.every(({ listing }) => isLinked(listing));
  if (isEnough) unlinked.delete(products);
  else unlinked.add(products);
  if (isEnough && !explain) return { found, chosen };

  const [similar] = together ? [atOnceSimilar] : await search(similarly);
  const further = ofOtherOwners(similar, MAX_FOUND.similar);
  const [similarOfOthers] = further === null ? [] : await search(similarIn([...filter, further]));
  const all = await readFound(lookup, [...exactFound, similar, similarOfOthers]);
  return { found: all, chosen: isEnough ? chosen : choose(lookup, query, all), similar };
}

/** A filter for the listings of other owners than those whose listings fill a page; null if none do. */
function ofOtherOwners(page: SearchResult | undefined, size: number): QueryClause | null {
  const owners = crowdingOwners(
    (page?.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []),
    size,
  );
  return owners.length === 0 ? null : { bool: { must_not: ownedBy(owners) } };
}

/** Reads the listings that searches found, each of them once. */
async function readFound(
  { rates, read }: Lookup,
  responses: readonly (SearchResult | undefined)[],
): Promise<Found[]> {
  const found = new Map<number, Found>();
  const currency = responses[0]?.hits?.hits?.[0]?._source?.currency ?? null;
  for (const response of responses) {
    for (const { _source: listing, _score: score } of response?.hits?.hits ?? []) {
      if (listing === undefined || found.has(listing.id)) continue;
      const candidate = { ...toCandidate(listing, currency, rates), listing };
      found.set(listing.id, { candidate, ...wordCoverage(score ?? 0) });
    }
  }
  // Reading the profiles, which are remembered, is most of the work of choosing among the listings.
  await mapInSlices([...found.values()], ({ candidate }) => read(candidate));
  return [...found.values()];
}

const choose = ({ read }: Lookup, query: RequestedProduct, found: readonly Found[]): ProductOffer[] =>
  chooseListings(query, found, read).map(({ candidate, confidence }) => ({
    listing: candidate.listing,
    confidence,
  }));

/** The maximum number of chosen listings whose offers under other names are searched for. */
const MAX_REPRESENTATIVES = 3;
/** The maximum number of listings that fit the name of one product. If more fit, the request names a kind of product. */
const MAX_OF_PRODUCT = 20;

/**
 * Selects the chosen listings whose offers under other names are searched for: one of each owner before others, and the
 * listings with the exact name first. The listings of a kind of product are left out unless they are linked or have the exact name, because their matches would have
 * to be compared, which is most of the cost of a best price in a catalogue that is not linked.
 */
const representatives = (
  chosen: readonly ProductOffer[],
  isNamed: (listing: StoredListing) => boolean,
): ProductOffer[] => {
  // The names of one owner's listings may differ in nothing but numbers.
  const different = distinctBy(chosen, ({ listing }) => namedAlikeKey(listing));
  const suitable = different
    .filter(({ listing }) => different.length <= MAX_OF_PRODUCT || isLinked(listing) || isNamed(listing))
    .toSorted((a, b) => Number(isNamed(b.listing)) - Number(isNamed(a.listing)));
  const ofEachOwner = distinctBy(suitable, ({ listing }) => ownerOf(listing));
  return [...new Set([...ofEachOwner, ...suitable])].slice(0, MAX_REPRESENTATIVES);
};

/**
 * Returns a function that tells whether as many owners have chosen listings in another group as in the group of a listing. A
 * listing with the name of one product and the GTIN of another would otherwise bring all offers of the other one.
 */
function outvotedAmong(chosen: readonly ProductOffer[]): (listing: StoredListing) => boolean {
  const owners = new Map<number, Set<string>>();
  for (const { listing } of chosen)
    owners.set(groupOf(listing), (owners.get(groupOf(listing)) ?? new Set()).add(ownerOf(listing)));
  return (listing) => {
    const own = owners.get(groupOf(listing))?.size ?? 0;
    return [...owners].some(([group, { size }]) => group !== groupOf(listing) && size >= own);
  };
}

/**
 * Adds the offers that are linked to a chosen listing, or if it is not linked yet, those that match it, unless they
 * contradict the request. The remaining listings are returned as refused.
 */
async function withLinkedOffers(
  lookup: Lookup,
  query: RequestedProduct,
  found: readonly Found[],
  chosen: readonly ProductOffer[],
): Promise<FoundProduct> {
  const { rates, filter, read } = lookup;
  const known = new Set(chosen.map(({ listing }) => listing.id));
  const isNamed = (listing: StoredListing) => isExactName(listing, query.typed);
  const sought = representatives(chosen, isNamed);
  const ofChosen = sought.map(({ listing }) => listing);
  const unknown: QueryClause[] = ofChosen.every(isLinked)
    ? [{ bool: { must_not: { terms: { id: [...known] } } } }]
    : [];
  const filters = { includeSameSource: true, filter: [...filter, ...unknown] };
  const { matched, decided } =
    sought.length === 0
      ? { matched: [], decided: [] }
      : await findMatches(lookup, { of: ofChosen, filters }, read);
  const ofNamed = decided.filter((_, at) => sought[at] !== undefined && isNamed(sought[at].listing));
  const isSeparated = separatedFrom(ofNamed, chosen, isNamed);
  const same = new Set(decided.flatMap((of) => of.same.map(listingKey)));
  const others = new Map<number, ProductOffer>();
  sought.forEach(({ confidence }, at) => {
    for (const { listing, score } of matched[at] ?? []) {
      if (known.has(listing.id) || isSeparated(listing)) continue;
      const best = others.get(listing.id)?.confidence ?? 0;
      others.set(listing.id, { listing, confidence: Math.max(best, roundScore(confidence * score)) });
    }
  });
  const isOutvoted = outvotedAmong(chosen);
  const asCandidate = (listing: StoredListing) => toCandidate(listing, listing.currency, rates);
  const fitting = offersUnderOtherNames(
    query,
    ofChosen.map(asCandidate),
    [...others.values()].map(({ listing, confidence }) => ({
      ...asCandidate(listing),
      confidence,
      isDecided: same.has(listingKey(listing)),
      isOutvoted: isOutvoted(listing),
    })),
    found.map(({ candidate }) => candidate),
    read,
  );
  const remaining = chosen.filter(({ listing }) => !isSeparated(listing));
  const offers = [...remaining, ...fitting.flatMap(({ id }) => others.get(id) ?? [])];
  const offered = new Set(offers.map(({ listing }) => listing.id));
  const considered = [...found.map(({ candidate }) => candidate), ...others.values()];
  const refused = new Map(
    considered.flatMap(({ listing }) => (offered.has(listing.id) ? [] : [[listing.id, listing] as const])),
  );
  return { offers, refused: [...refused.values()], query };
}

/**
 * Returns a function that tells whether people decided that a listing is another product than the one whose exact name is
 * the request. This also applies to the offers that are linked to such a listing. It may have all words of the request,
 * because its name says more.
 * @param ofNamed the decisions about the listings with this name.
 */
function separatedFrom(
  ofNamed: readonly Decisions[],
  chosen: readonly ProductOffer[],
  isNamed: (listing: StoredListing) => boolean,
): (listing: StoredListing) => boolean {
  const isDecided = (listing: StoredListing) =>
    ofNamed.some(({ different }) => different.has(listingKey(listing)));
  const listings = chosen.map(({ listing }) => listing);
  const groups = new Set(listings.filter((one) => !isNamed(one) && isDecided(one)).map(groupOf));
  for (const one of listings.filter(isNamed)) groups.delete(groupOf(one));
  return (listing) => !isNamed(listing) && (isDecided(listing) || groups.has(groupOf(listing)));
}
