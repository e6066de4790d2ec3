import type { Client } from '@elastic/elasticsearch';
import { toComparison, type FoundCandidates } from '../comparison/compare.js';
import type { StoredListing } from '../listing/listing.js';
import { candidatesSearch, siblingsSearch, type MatchFilters } from '../queries/candidates.js';
import type { ExchangeRates } from '../rates/convert.js';
import type { Links } from '../results/product.js';
import { EngineUnavailableError } from './unavailable.js';

/** So many listings are looked up at once: while the engine looks for the next, those that it found are compared. */
const BATCH = 5;

/** What comparing takes; handlers have it. */
interface Comparing {
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

/** Candidates and siblings of each listing, in one request for all of them. */
async function findCandidates(
  es: Client,
  index: string,
  listings: readonly StoredListing[],
  filters: MatchFilters,
): Promise<FoundCandidates[]> {
  const searches = listings.flatMap((listing) => [
    { index, allow_partial_search_results: false },
    candidatesSearch(listing, filters),
    { index, allow_partial_search_results: false },
    siblingsSearch(listing),
  ]);
  const { responses } = await es.msearch<StoredListing>({
    searches,
    filter_path: FILTER_PATH,
    max_concurrent_searches: AT_ONCE,
  });
  const found = responses.map((answer) => {
    // A search that failed is told inside of a 200.
    if ('error' in answer) throw new EngineUnavailableError(answer.error.type, { cause: answer.error });
    return (answer.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);
  });
  return listings.map((_, at) => ({ candidates: found[2 * at] ?? [], siblings: found[2 * at + 1] ?? [] }));
}

/** Of a batch: a search of somebody else's waits behind no more than these. */
const AT_ONCE = 2;

const FILTER_PATH = ['responses.hits.hits._source', 'responses.error', 'responses.status'];
