import { changesWithTime } from '../../engine/queries/filters.js';
import { sortChangesWithTime } from '../../engine/queries/sorts.js';
import { ATTRIBUTE_FACETS } from '../../schemas/facets.js';
import { FoundPageSchema } from '../../schemas/search.js';
import { meansDiscount } from '../../usecases/search/interpret.js';
import { searchIssues, type SearchParameters, searchParameters } from '../../usecases/search/parameters.js';
import { answerSearch } from '../../usecases/search/search.js';
import { type Cost, costOfList, estimatedWords, slotsForSpelling } from '../../usecases/shared/cost.js';
import { endpoint } from '../endpoint.js';

export const search = endpoint({
  tag: 'Listings',
  summary: 'Search listings by text and filters',
  description:
    'With `q`, the best match comes first. If `q` is the exact name of a listing, that listing comes first, followed by the ' +
    'offers of other shops. If `q` is an identifier or model number, the listings that have it come first, followed by the ' +
    'other offers that `npm run link` linked to them, which count in `total`, facets and pages like all others; listings ' +
    'that only mention it come last. Without `q`, the listings that changed last come first. Merchandising rules of the ' +
    'operator may pin listings (they come first, but must pass all filters), hide or boost them. `total` is exact.',
  query: searchParameters,
  check: searchIssues,
  // A response may be cached even if words of `q` name sources, because the sources change only with the
  // listings.
  cached: (query) =>
    !changesWithTime(query) &&
    !(query.sort !== undefined && sortChangesWithTime(query.sort)) &&
    query.cursor === undefined &&
    !meansDiscount(query),
  cost: ({ query }) => costOfSearch(query),
  responses: {
    200: { description: 'A page of listings', schema: FoundPageSchema },
    400: { description: 'The minimum price exceeds the maximum price, or the offset is too large' },
    410: { description: 'The cursor has expired' },
  },
  handle: (context, { query }, caller) => answerSearch(context, query, caller),
});

/** `GET /v1/products`: the search endpoint under the path that the original specification uses for lists. */
export const listProducts = {
  ...search,
  summary: 'List listings, with the same parameters and page as search',
};

/**
 * A search needs one more concurrency slot for each of these numbers of highlighted listings, of explained
 * listings, and of facets.
 */
const PER_SLOT = { highlighted: 25, explained: 25, facets: 10 };

/**
 * Highlighting or explaining a listing takes twice as long for a query text of this many words, three times
 * as long for twice as many, and so on.
 */
const WORDS_PER_LISTING = 20;

function costOfSearch(query: SearchParameters): Cost {
  const { q, limit = 20, offset = 0, highlight, explain, facets = [] } = query;
  const { pool, slots } = costOfList({ limit, offset });
  const attributes = facets.includes('attributes') ? ATTRIBUTE_FACETS.most : 0;
  const counted = Math.floor((facets.length + attributes) / PER_SLOT.facets);
  const listings = limit * (1 + Math.floor(estimatedWords(q) / WORDS_PER_LISTING));
  const highlighted = highlight === true ? Math.floor(listings / PER_SLOT.highlighted) : 0;
  const explained = explain === true ? Math.floor(listings / PER_SLOT.explained) : 0;
  return { pool, slots: slots + slotsForSpelling(q) + counted + highlighted + explained };
}
