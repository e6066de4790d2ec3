import type { estypes } from '@elastic/elasticsearch';
import { Type } from 'typebox';
import type { Product } from '../catalogue/listing.js';
import { endpoint, type Context } from '../endpoint.js';
import { badRequest } from '../errors.js';
import { searchPage, type Found, type Slice } from '../engine.js';
import { BY_RELEVANCE, BY_UPDATE, filterClauses, type Filters } from '../queries/listings.js';
import { searchText } from '../queries/search.js';
import { correctedQuery, correctedText, spellingSuggestion } from '../queries/spelling.js';
import { toPage, type Page } from '../results/page.js';
import { filterParameters, MAX_OFFSET, paging, SearchPageSchema } from '../schemas.js';

const query = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'Words, model numbers or an identifier, in any spelling; without it the latest changes come first',
      examples: ['wireless headphones'],
    }),
  ),
  ...filterParameters,
  platform: Type.Optional(Type.String({ description: 'Source platform code, such as `shopee_sg`' })),
  source: Type.Optional(Type.String({ description: 'Another name for `platform`' })),
  in_stock: Type.Optional(Type.Boolean({ description: 'true: in stock; false: out of stock; absent: both' })),
  ...paging(20),
});

interface SearchInput extends Filters {
  q?: string;
  source?: string;
  limit: number;
  offset: number;
}

/** @throws ApiError 400 for an offset that no page reaches, naming the way that does. */
export function checkOffset(offset: number): void {
  if (offset > MAX_OFFSET) {
    throw badRequest(
      `offset must not exceed ${MAX_OFFSET}; use GET /v1/products/export to read the whole catalogue`,
    );
  }
}

async function search(context: Context, input: SearchInput): Promise<Page> {
  const { q = '', source, platform = source, limit, offset } = input;
  checkOffset(offset);
  const filter = filterClauses({ ...input, platform });
  const found = await findListings(context, q.trim(), filter, { limit, offset });
  return toPage(found, { limit, offset }, context.config);
}

/** One request; a second one only where the first says that a word is unknown and another is a typo away. */
async function findListings(
  { es, products }: Context,
  text: string,
  filter: estypes.QueryDslQueryContainer[],
  slice: Slice,
): Promise<Found<Product>> {
  if (text === '') return searchPage(es, products, { query: { bool: { filter } }, sort: BY_UPDATE }, slice);
  const ranked = (must: estypes.QueryDslQueryContainer) => ({
    query: { bool: { must, filter } },
    sort: BY_RELEVANCE,
  });
  const suggest = spellingSuggestion(text);
  const found = await searchPage(es, products, { ...ranked(searchText(text)), suggest }, slice);
  const corrected = correctedText(text, found.suggest);
  if (corrected === null) return found;
  return searchPage(es, products, ranked(correctedQuery(text, corrected)), slice);
}

/** The same page under two names, as the spec has it. */
const paths = [
  { name: 'search', path: '/v1/search', summary: 'Search listings by text and filters' },
  {
    name: 'products',
    path: '/v1/products',
    summary: 'List listings; the same parameters and page as search',
  },
];

export const searchEndpoints = paths.map((named) =>
  endpoint({
    method: 'get',
    access: 'key',
    tag: 'Listings',
    ...named,
    description:
      'With `q` the best match comes first; without it what changed last. `total` is exact, and every offset up to ' +
      `${MAX_OFFSET} works.`,
    query,
    responses: {
      200: { description: 'A page of listings', schema: SearchPageSchema },
      400: { description: 'Price limits that cross, or an offset past the last page' },
    },
    handle: async (context, input) => ({ body: await search(context, input.query as SearchInput) }),
  }),
);
