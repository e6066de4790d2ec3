import type { Client, estypes } from '@elastic/elasticsearch';
import { toComparison, type FoundCandidates } from '../comparison/compare.js';
import type { StoredListing } from '../listing/listing.js';
import { comparisonSearches, furtherSearch, type MatchFilters } from '../queries/candidates.js';
import type { ExchangeRates } from '../rates/convert.js';
import type { Links } from '../results/product.js';
import { searchAll } from './search-all.js';

/** So many listings are looked up at once: while the engine looks for the next, those that it found are compared. */
const BATCH = 5;

/** What comparing takes; handlers have it. */
export interface Comparing {
  es: Client;
  /** The alias of the product index. */
  products: string;
  config: Links;
  rates: ExchangeRates;
}

/**
 * Compares each listing with what the engine finds for it.
 * @returns one for each listing, in their order.
 * @throws QueryError when the price limits cross.
 */
export async function compareListings(
  { es, products, config, rates }: Comparing,
  listings: readonly StoredListing[],
  filters: MatchFilters,
) {
  const batches = Array.from({ length: Math.ceil(listings.length / BATCH) }, (_, at) =>
    listings.slice(at * BATCH, (at + 1) * BATCH),
  );
  const compared = await Promise.all(
    batches.map(async (batch) => {
      const found = await findCandidates(es, products, batch, filters);
      return batch.map((listing, at) =>
        toComparison(listing, found[at] ?? { candidates: [], siblings: [] }, { rates, links: config }),
      );
    }),
  );
  return compared.flat();
}

/** Candidates and siblings of each listing, in one request for all of them; in a second what more shares a GTIN with one. */
export async function findCandidates(
  es: Client,
  index: string,
  listings: readonly StoredListing[],
  filters: MatchFilters,
): Promise<FoundCandidates[]> {
  const answers = await listingsOf(es, index, comparisonSearches(listings, filters));
  const found = listings.map((_, at) => ({
    candidates: answers[2 * at] ?? [],
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
  const answers = await searchAll(es, index, bodies);
  return answers.map(({ hits }) => (hits?.hits ?? []).flatMap(({ _source }) => _source ?? []));
}
