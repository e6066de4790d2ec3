import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { findByText, type FirstListing } from '../elasticsearch/find-by-text.js';
import { type Found, searchPage } from '../elasticsearch/pages.js';
import type { Selection } from '../queries/selection.js';
import { filterClauses, latestSelection } from '../queries/listings.js';
import { filterParameters, platformParameters } from '../schemas/filters.js';
import { type ListingBytes, withItems } from '../results/passthrough.js';
import { pageFrame } from '../results/page.js';
import { MAX_OFFSET, paging, SearchPageSchema } from '../schemas/page.js';
import { checkOffset, costOfList } from './shared/paging.js';

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

export const search = endpoint({
  tag: 'Listings',
  summary: 'Search listings by text and filters',
  description:
    'With `q` the best match comes first (of a listing’s very name that listing, then other shops’ offers of it); ' +
    'without it what changed last. `total` is exact, and every offset up to ' +
    `${MAX_OFFSET} works.`,
  query,
  cached: true,
  cost: ({ query: { limit = 20, offset = 0 } }) => costOfList({ limit, offset }),
  responses: {
    200: { description: 'A page of listings', schema: SearchPageSchema },
    400: { description: 'Price limits that cross, or an offset past the last page' },
  },
  async handle({ es, products, config }, { query }) {
    const { q = '', match = 'any', limit = 20, offset = 0 } = query;
    checkOffset(offset);
    const read = (selection: Selection) => searchPage(es, products, selection, { limit, offset });
    const look = async (selection: Selection) =>
      ofPage(await searchPage(es, products, selection, { limit: 1, offset: 0 }));
    const text = q.trim();
    const { total, listings } = await (text === ''
      ? read(latestSelection(query))
      : findByText(
          text,
          { filter: filterClauses(query), match },
          read,
          offset === 0 ? { ofPage } : { look },
        ));
    const frame = pageFrame({ total, items: listings.length }, { limit, offset });
    return {
      body: withItems(frame, listings, config),
      event: { ...(text === '' ? {} : { query: q }), results: total },
    };
  },
});

/** What tells whether a text is the name of the first listing of a page. */
const ofPage = ({ listings: [bytes] }: Found<ListingBytes>): FirstListing | null =>
  bytes === undefined ? null : (JSON.parse(bytes.toString()) as FirstListing);

/** The same under another name, as the spec has it. */
export const listProducts = {
  ...search,
  summary: 'List listings; the same parameters and page as search',
};
