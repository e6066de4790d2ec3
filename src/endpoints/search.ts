import { Type } from 'typebox';
import { endpoint, type Answer, type Context } from '../endpoint.js';
import { badRequest } from '../errors.js';
import { findByText, type FirstListing } from '../elasticsearch/find-by-text.js';
import { searchPage, type Found, type Selection } from '../elasticsearch/pages.js';
import { BY_UPDATE, filterClauses, type Filters } from '../queries/listings.js';
import { withItems, type ListingBytes } from '../results/passthrough.js';
import { pageFrame } from '../results/page.js';
import { filterParameters, MAX_OFFSET, paging, SearchPageSchema } from '../schemas/index.js';

const query = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'Words, model numbers or an identifier, in any spelling; without it the latest changes come first',
      examples: ['wireless headphones'],
    }),
  ),
  match: Type.Optional(
    Type.Enum(['any', 'all'], {
      default: 'any',
      description:
        'any: listings with any word of `q`, those with all of them first; all: only those with all of them',
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
  match: 'any' | 'all';
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

async function search({ es, products, config }: Context, input: SearchInput): Promise<Answer> {
  const { q = '', match, source, platform = source, limit, offset } = input;
  checkOffset(offset);
  const filter = filterClauses({ ...input, platform });
  const read = (selection: Selection) => searchPage(es, products, selection, { limit, offset });
  const ofPage = ({ listings: [bytes] }: Found<ListingBytes>): FirstListing | null =>
    bytes === undefined ? null : (JSON.parse(bytes.toString()) as FirstListing);
  const look = async (selection: Selection) =>
    ofPage(await searchPage(es, products, selection, { limit: 1, offset: 0 }));
  const text = q.trim();
  const { total, listings } = await (text === ''
    ? read({ query: { bool: { filter } }, sort: BY_UPDATE })
    : findByText(text, { filter, match }, read, offset === 0 ? { ofPage } : { look }));
  const frame = pageFrame({ total, items: listings.length }, { limit, offset });
  return {
    body: withItems(frame, listings, config),
    event: { ...(text === '' ? {} : { query: q }), results: total },
  };
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
      'With `q` the best match comes first (of a listing’s very name that listing, then other shops’ offers of it); ' +
      'without it what changed last. `total` is exact, and every offset up to ' +
      `${MAX_OFFSET} works.`,
    query,
    remembered: true,
    responses: {
      200: { description: 'A page of listings', schema: SearchPageSchema },
      400: { description: 'Price limits that cross, or an offset past the last page' },
    },
    handle: (context, input) => search(context, input.query as SearchInput),
  }),
);
