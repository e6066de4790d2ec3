import { Type } from 'typebox';
import { endpoint, type Answer, type Context } from '../endpoint.js';
import { badRequest } from '../errors.js';
import { findByText } from '../elasticsearch/find-by-text.js';
import { searchPage, type Selection, type Slice } from '../elasticsearch/pages.js';
import { type Cost, LIGHT } from '../http/load-shedding.js';
import { BY_UPDATE, filterClauses, type Filters } from '../queries/listings.js';
import { costOfPage } from '../reach.js';
import { withItems } from '../results/passthrough.js';
import { pageFrame } from '../results/page.js';
import {
  filterParameters,
  MAX_OFFSET,
  paging,
  platformParameters,
  SearchPageSchema,
} from '../schemas/index.js';

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
  ...platformParameters,
  in_stock: Type.Optional(Type.Boolean({ description: 'true: in stock; false: out of stock; absent: both' })),
  ...paging(20),
});

interface SearchInput extends Filters {
  q?: string;
  match: 'any' | 'all';
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

/** Of a page of a list; what is refused costs nothing more. */
export const costOfList = (slice: Slice): Cost => (slice.offset > MAX_OFFSET ? LIGHT : costOfPage(slice));

async function search({ es, products, config }: Context, input: SearchInput): Promise<Answer> {
  const { q = '', match, limit, offset } = input;
  checkOffset(offset);
  const filter = filterClauses(input);
  const read = (selection: Selection) => searchPage(es, products, selection, { limit, offset });
  const text = q.trim();
  const { total, listings } = await (text === ''
    ? read({ query: { bool: { filter } }, sort: BY_UPDATE })
    : findByText(text, { filter, match }, read));
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
      'With `q` the best match comes first; without it what changed last. `total` is exact, and every offset up to ' +
      `${MAX_OFFSET} works.`,
    query,
    remembered: true,
    cost: ({ query }) => costOfList(query as SearchInput),
    responses: {
      200: { description: 'A page of listings', schema: SearchPageSchema },
      400: { description: 'Price limits that cross, or an offset past the last page' },
    },
    handle: (context, input) => search(context, input.query as SearchInput),
  }),
);
