import { Type } from 'typebox';
import { changesWithTime } from '../../engine/queries/refinements.js';
import { sortChangesWithTime } from '../../engine/queries/sorts.js';
import { includeChangesWithTime } from '../../schemas/include.js';
import { FoundPageSchema, SelectedPageSchema, UncountedPageSchema } from '../../schemas/search.js';
import { meansDiscount } from '../../usecases/search/interpret.js';
import { searchIssues, searchParameters } from '../../usecases/search/parameters.js';
import { answerSearch } from '../../usecases/search/search.js';
import { endpoint } from '../endpoint.js';

export const search = endpoint({
  tag: 'Listings',
  summary: 'Search listings by text and filters',
  description:
    'With `q`, the best match comes first. If `q` is the exact name of a listing, that listing comes first, followed by the ' +
    'offers of other shops. If `q` is an identifier or model number, the listings that have it come first, followed by the ' +
    'other offers that `npm run link` linked to them, which count in `total`, facets and pages like all others; listings ' +
    'that only mention it come last. Without `q`, the listings that changed last come first. Merchandising rules of the ' +
    'operator may pin listings (they come first, but must pass all filters), hide or boost them.',
  query: searchParameters,
  check: searchIssues,
  // The words of `q` may name sources, but these change only with the listings, so such answers can be cached.
  cached: (query) =>
    !changesWithTime(query) &&
    !(query.sort !== undefined && sortChangesWithTime(query.sort)) &&
    !includeChangesWithTime(query.include) &&
    query.cursor === undefined &&
    !meansDiscount(query),
  responses: {
    200: {
      description: 'A page of listings',
      schema: Type.Union([FoundPageSchema, SelectedPageSchema, UncountedPageSchema]),
    },
    400: { description: 'The minimum price exceeds the maximum price, or the offset is too large' },
    410: { description: 'The cursor has expired' },
  },
  handle: (context, { query }, caller) => answerSearch(context, query, caller),
});

/** `GET /v1/products`: the search endpoint under the path that the original specification uses for lists. */
export const listProducts = {
  ...search,
  summary: 'List listings, with the same parameters and page as search',
  description: 'The same as `GET /v1/search`, whose description states the order of the listings.',
};
