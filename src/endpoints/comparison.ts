import type { Client, estypes } from '@elastic/elasticsearch';
import { Type } from 'typebox';
import type { StoredListing } from '../listing/listing.js';
import type { Context } from '../endpoint.js';
import { unavailable } from '../errors.js';
import { candidatesSearch, furtherSearch, siblingsSearch, type MatchFilters } from '../queries/candidates.js';
import { toComparison, type Comparison, type FoundCandidates } from '../comparison/compare.js';
import { Decimal, ProductSchema } from '../schemas/index.js';

/** Parameters of the matches, which the query of `compare` and the body of the matrix share. */
export const matchFilterParameters = {
  min_price: Type.Optional(
    Decimal({
      minimum: 0,
      description: 'Lowest price of a match, inclusive; leaves out those without a price',
    }),
  ),
  max_price: Type.Optional(
    Decimal({
      minimum: 0,
      description: 'Highest price of a match, inclusive; leaves out those without a price',
    }),
  ),
  include_same_source: Type.Optional(
    Type.Boolean({ default: false, description: "Also listings of the product's own platform" }),
  ),
};

const ProductMatchSchema = Type.Object(
  {
    ...ProductSchema.properties,
    match_score: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Probability that it is the same product; 0.5 or more',
    }),
    match_reasons: Type.Array(Type.String(), {
      description: 'What agreed: `gtin`, `model`, `brand`, `name`, `size`, `version`, `colour`, `price`',
    }),
  },
  { $id: 'ProductMatch' },
);

export const ComparisonSchema = Type.Object(
  {
    source_product_id: Type.Integer({ description: 'The product that was asked for' }),
    source_product_name: Type.String(),
    matches: Type.Array(ProductMatchSchema, {
      description:
        'The same product elsewhere: best score first, then lowest price (in one currency), then id',
    }),
    total_matches: Type.Integer({ description: 'Length of `matches`' }),
  },
  { $id: 'Comparison', description: 'Where else a product is on offer' },
);

/** So many listings are looked up at once: while the engine looks for the next, those that it found are compared. */
const BATCH = 5;

/**
 * Compares each listing with what the engine finds for it.
 * @returns one for each listing, in their order.
 * @throws ApiError 400 when the price limits cross.
 */
export async function compareListings(
  { es, products, config, rates }: Pick<Context, 'es' | 'products' | 'config' | 'rates'>,
  listings: readonly StoredListing[],
  filters: MatchFilters,
): Promise<Comparison[]> {
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
  const answers = await searchAll(
    es,
    index,
    listings.flatMap((listing) => [candidatesSearch(listing, filters), siblingsSearch(listing)]),
  );
  const found = listings.map((_, at) => ({
    candidates: answers[2 * at] ?? [],
    siblings: answers[2 * at + 1] ?? [],
  }));
  const further = listings.flatMap((listing, at) => {
    const body = furtherSearch(listing, found[at]?.candidates ?? [], filters);
    return body === null ? [] : [{ body, at }];
  });
  if (further.length === 0) return found;
  const more = await searchAll(
    es,
    index,
    further.map(({ body }) => body),
  );
  further.forEach(({ at }, nth) => found[at]?.candidates.push(...(more[nth] ?? [])));
  return found;
}

async function searchAll(
  es: Client,
  index: string,
  bodies: readonly estypes.SearchSearchRequestBody[],
): Promise<StoredListing[][]> {
  const searches = bodies.flatMap((body) => [{ index, allow_partial_search_results: false }, body]);
  const { responses } = await es.msearch<StoredListing>({ searches, filter_path: FILTER_PATH });
  return responses.map((answer) => {
    // A search that failed is told inside of a 200.
    if ('error' in answer) throw unavailable(answer.error);
    return (answer.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);
  });
}

const FILTER_PATH = ['responses.hits.hits._source', 'responses.error', 'responses.status'];
