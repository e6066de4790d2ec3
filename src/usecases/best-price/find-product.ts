import type { estypes } from '@elastic/elasticsearch';
import { LRUCache } from 'lru-cache';
import { searchAll } from '../../engine/multi-search.js';
import { productSearch, type SoughtProduct, wordCoverage } from '../../engine/queries/best-price.js';
import { correctedName } from '../../engine/queries/spelling.js';
import type { MatchFilters } from '../../engine/queries/candidates.js';
import type { QueryClause } from '../../engine/queries/selection.js';
import { withoutKnownWords } from '../../engine/unknown-words.js';
import { gtinOf } from '../../listing/gtin.js';
import { listingKey } from '../../listing/identify.js';
import { groupOf, isLinked, type StoredListing } from '../../listing/listing.js';
import { settersOf } from '../../listing/lineage.js';
import { namedAlikeKey, ownerOf } from '../../listing/owner.js';
import { roundScore } from '../../matching/match.js';
import { createProfileReader, type Profile, type ProfileReader } from '../../matching/profile.js';
import { unrequestedAccessoryWords } from '../../matching/requested/accessories.js';
import type { StoredCandidate } from '../../matching/requested/candidate-listing.js';
import { chooseListings } from '../../matching/requested/choose-listings.js';
import { offersUnderOtherNames } from '../../matching/requested/other-names.js';
import { readRequestedProduct, type RequestedProduct } from '../../matching/requested/requested-product.js';
import { isExactName } from '../../text/exact-name.js';
import { toCandidate } from '../../matching/stored-matches.js';
import { distinctBy } from '../../platform/distinct.js';
import { mapInSlices } from '../../platform/slices.js';
import { findMatches } from '../../matcher/find-matches.js';
import type { Decisions } from '../../matcher/match-request.js';
import type { Context } from '../context.js';

/** A listing of the requested product, and the confidence that it is one, 0 to 1. */
export interface ProductOffer {
  listing: StoredListing;
  confidence: number;
}

/** The result of looking for a requested product, and the wording in which it was found or looked for last. */
export interface FoundProduct extends Wording {
  /** The offers of the product in no particular order, with or without a price; empty if no listing is the product. */
  offers: ProductOffer[];
  /** Listings that a search found and that are not the product, the likeliest first. */
  refused: StoredListing[];
  /** Listings of the product whose prices are above the limit that the text states, as in "tv under 1500". */
  tooExpensive?: StoredListing[];
  /** If no listing is the product: those that are the product in another condition than the wanted one. */
  inOtherCondition?: StoredListing[];
}

/** The price limits and the shops in a text, and the text without them. */
export interface PriceLimits {
  text: string;
  /** The filters by the lower limit, the currency and the shops. */
  filters: Record<'min_price' | 'price_currency', string | undefined> &
    Record<'currency' | 'source', string[]>;
  /** The upper limit, in `price_currency` if it is known, else in the currency of each listing. */
  most: string | undefined;
}

/** One way to read the text of a request (wording). The first wording in which a listing is the product is used. */
export interface Wording {
  /** The requested product. If the text is the URL of a known product page, it is the name of the listing on that page. */
  query: RequestedProduct;
  /** Clauses that listings must match if the product is meant in this wording. */
  filter: readonly QueryClause[];
  /** The price limits in the text, which are not part of the query. Only the upper limit is missing in `filter`. */
  limits: PriceLimits | null;
  /** Whether this wording is tried only if no listing has all words of the other wordings. */
  isSpare?: boolean;
  /** Whether this wording looks for listings in another condition than the wanted one, which are not returned as offers. */
  isOtherCondition?: boolean;
  /** The corrected text, if the shopper's text contained a typo. */
  corrected?: string;
}

/** A listing that a search found, with its price in the currency of the first one, and the names of the clauses that it matches. */
interface Found {
  candidate: StoredCandidate & { listing: StoredListing };
  matched: readonly string[];
}

/** The context of the request, and everything else that all steps of finding one product share. */
interface Lookup extends Context {
  /** Clauses that every found listing must match. */
  filter: readonly QueryClause[];
  /** Returns the profile of a listing for matching, which is read once. */
  read: ProfileReader;
}

/** The maximum number of listings whose profiles are cached. A profile takes about ten kilobytes. */
const CACHED_PROFILES = 2_000;
const profiles = new LRUCache<string, Profile>({ max: CACHED_PROFILES });

/**
 * Returns a reader that caches the profiles of listings across requests, because reading them is most of the work of a best
 * price. Their key contains the inferred maker, because it changes without the time of the last change.
 */
export function readerOf({ products }: Pick<Context, 'products'>): ProfileReader {
  const readStored = createProfileReader<StoredCandidate, string>(
    profiles,
    ({ id, updated_at: changed, internal: { maker } }) => `${products} ${id} ${changed} ${maker ?? ''}`,
  );
  return (listing) => readStored(listing as StoredCandidate);
}

/**
 * Finds the offers of the product that a text names: listings with all words of one of its wordings (the likeliest first), and
 * those linked to them, with two searches in a linked catalogue. Otherwise listings with some of the words are searched for too,
 * and the candidates of those that are chosen.
 */
export async function findProduct(
  context: Context,
  wordings: readonly [Wording, ...Wording[]],
  { filter, explain = false }: { filter: readonly QueryClause[]; explain?: boolean | undefined },
): Promise<FoundProduct> {
  const { es, products, isSplit } = context;
  const lookup: Lookup = { ...context, filter, read: readerOf(context) };
  const search = async (
    tried: readonly Wording[],
    options: { someWordsIn?: number; suggestFor?: string },
  ) => {
    const request = productSearch(tried.map(soughtBy), { filter, ...options });
    return (await searchAll(es, products, [request]))[0] as SearchResult;
  };
  const first = wordings.filter(({ isSpare }) => isSpare !== true);
  // The wording without price limits has the fewest words that do not belong to the product's name.
  const plain = first.at(-1) ?? wordings[0];
  const exact = await search(first, { suggestFor: plain.query.text });
  const found = await readFound(lookup, [exact]);
  // Choosing takes long, so it is left out if a second search follows in any case.
  const mayBeEnough = found.some(({ candidate }) => isLinked(candidate));
  const chosen = mayBeEnough ? chooseAmong(lookup, first, found) : null;
  const isEnough = chosen?.offers.every(({ listing }) => isLinked(listing)) ?? false;
  if (chosen !== null && isEnough && !explain) return withLinkedOffers(lookup, chosen, found);

  const corrected = correctedName(
    plain.query.text,
    await withoutKnownWords(es, { index: products }, exact.suggest, isSplit),
  );
  const meant =
    corrected === null
      ? []
      : [{ ...plain, corrected, query: { ...readRequestedProduct(corrected), identifiers: [] } }];
  const all = [...first, ...wordings.filter((one) => !first.includes(one)), ...meant];
  const similar = await search(all, { someWordsIn: await lookup.schemaVersion() });
  // Both searches use the same names for the clauses of the first wordings, so their results can be combined.
  const further = await readFound(lookup, [exact, similar]);
  const best = isEnough ? chosen : chooseAmong(lookup, all, further);
  if (best !== null && best.wording.isOtherCondition !== true) return withLinkedOffers(lookup, best, further);
  const inOtherCondition = best?.offers.map(({ listing }) => listing) ?? [];
  const refused = further.map(({ candidate }) => candidate.listing);
  return {
    ...(meant[0] ?? plain),
    offers: [],
    refused: refused.filter((listing) => !inOtherCondition.includes(listing)),
    inOtherCondition,
  };
}

type SearchResult = Awaited<ReturnType<typeof searchAll<StoredListing>>>[number];

/** Returns the parts of a wording that the searches for it need. */
export const soughtBy = ({ query, filter }: Pick<Wording, 'query' | 'filter'>): SoughtProduct => ({
  ...query,
  accessoryWords: unrequestedAccessoryWords(query),
  filter,
});

/** The listings that were chosen as the product, and the wording in which they are. */
interface Choice {
  wording: Wording;
  offers: ProductOffer[];
}

/** When a load set the address of the page of a listing; 0 if it was not recorded. */
const addressSetAt = ({ candidate: { internal } }: Found): number =>
  Date.parse(settersOf(internal.lineage ?? [], ['buy_url']).get('buy_url')?.at ?? '1970-01-01');

/** Chooses the listings that are the product in the first wording in which some are; null if there is none. */
function chooseAmong({ read }: Lookup, wordings: readonly Wording[], found: readonly Found[]): Choice | null {
  for (const [at, wording] of wordings.entries()) {
    const { url } = wording.query;
    const pages = found.filter(({ candidate }) => url !== null && candidate.internal.url === url);
    // Any shop may state the address of a page of another one, which stated it first.
    const [page] = pages.toSorted((a, b) => addressSetAt(a) - addressSetAt(b));
    if (page !== undefined) {
      const { listing } = page.candidate;
      return {
        wording: { ...wording, query: readRequestedProduct(listing.name) },
        offers: [{ listing, confidence: 1 }],
      };
    }
    const among = found.map(({ candidate, matched }) => ({ candidate, ...wordCoverage(matched, at) }));
    const meant = among.filter(({ isMeant }) => isMeant);
    const chosen = chooseListings(wording.query, meant, read);
    const offers = chosen.map(({ candidate: { listing }, confidence }) => ({ listing, confidence }));
    if (offers.length > 0) return { wording, offers: withoutForeignGtins(wording.query, offers) };
  }
  return null;
}

/** Reads the listings that searches found, each of them once. */
async function readFound({ rates, read }: Lookup, results: readonly SearchResult[]): Promise<Found[]> {
  const found = new Map<number, Found>();
  const hits = results.flatMap((result) => [...(result.hits?.hits ?? []), ...cheapestIn(result)]);
  const currency = hits[0]?._source?.currency ?? null;
  for (const { _source: listing, matched_queries: names = [] } of hits) {
    if (listing === undefined) continue;
    const matched = [...(found.get(listing.id)?.matched ?? []), ...(names as string[])];
    const known = found.get(listing.id)?.candidate;
    const candidate = known ?? { ...toCandidate(listing, currency, rates), listing };
    found.set(listing.id, { candidate, matched });
  }
  // Reading the profiles, which are remembered, is most of the work of choosing among the listings.
  await mapInSlices([...found.values()], ({ candidate }) => read(candidate));
  return [...found.values()];
}

const cheapestIn = ({ aggregations = {} }: SearchResult): estypes.SearchHit<StoredListing>[] =>
  Object.values(
    aggregations as unknown as Record<string, { listings: estypes.AggregationsTopHitsAggregate }>,
  ).flatMap(({ listings }) => listings.hits.hits as estypes.SearchHit<StoredListing>[]);

/** The maximum number of chosen listings whose offers under other names are searched for. */
const MAX_REPRESENTATIVES = 3;
/** The maximum number of listings that fit the name of one product. If more fit, the request names a kind of product. */
const MAX_OF_PRODUCT = 20;

/**
 * Selects the chosen listings whose offers under other names are searched for: one of each owner and those with the exact name
 * first. Those of a kind of product must be linked or have the exact name, because comparing matches would be most of the cost.
 */
const representatives = (
  chosen: readonly ProductOffer[],
  isNamed: (listing: StoredListing) => boolean,
): ProductOffer[] => {
  // Listings of one owner whose names differ only in numbers, such as sizes, count as one.
  const different = distinctBy(chosen, ({ listing }) => namedAlikeKey(listing));
  const suitable = different
    .filter(({ listing }) => different.length <= MAX_OF_PRODUCT || isLinked(listing) || isNamed(listing))
    .toSorted((a, b) => Number(isNamed(b.listing)) - Number(isNamed(a.listing)));
  const ofEachOwner = distinctBy(suitable, ({ listing }) => ownerOf(listing));
  return [...new Set([...ofEachOwner, ...suitable])].slice(0, MAX_REPRESENTATIVES);
};

/**
 * Tells whether as many owners have chosen listings in another group as in that of a listing. A listing with the name of
 * one product and the GTIN of another would otherwise bring all offers of the other one.
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
 * Leaves out the listings that state the requested GTIN, but were linked to no listing of the product that more owners offer with
 * it: they are something else, such as another pack or a bait.
 */
function withoutForeignGtins({ identifiers }: RequestedProduct, chosen: ProductOffer[]): ProductOffer[] {
  if (!identifiers.some((one) => gtinOf(one) !== null)) return chosen;
  const isOutvoted = outvotedAmong(chosen);
  const own = chosen.filter(({ listing }) => !isLinked(listing) || !isOutvoted(listing));
  return own.length === 0 ? chosen : own;
}

/** Adds the offers that are linked to a chosen listing or match it, unless they contradict the request. The others are refused. */
async function withLinkedOffers(
  lookup: Lookup,
  { wording, offers: chosen }: Choice,
  found: readonly Found[],
): Promise<FoundProduct> {
  const { rates, read } = lookup;
  const { query, filter } = wording;
  const known = new Set(chosen.map(({ listing }) => listing.id));
  const isNamed = (listing: StoredListing) => isExactName(listing, query.typed);
  const sought = representatives(chosen, isNamed);
  const ofChosen = sought.map(({ listing }) => listing);
  const unknown: QueryClause[] = ofChosen.every(isLinked)
    ? [{ bool: { must_not: { terms: { id: [...known] } } } }]
    : [];
  const filters: MatchFilters = {
    includeSameSource: true,
    filter: [...lookup.filter, ...filter, ...unknown],
  };
  const { matched, decided } =
    sought.length === 0
      ? { matched: [], decided: [] }
      : await findMatches(lookup, { of: ofChosen, filters, isJoint: true }, read);
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
  return { ...wording, offers, refused: [...refused.values()] };
}

/**
 * Tells whether people decided that a listing, or one linked to it, is another product than the one with exactly the requested
 * name.
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
