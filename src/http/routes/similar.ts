import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { filterParameters, withAttributeFilters } from '../../engine/queries/filters.js';
import { changesWithTime } from '../../engine/queries/refinements.js';
import { includeParameter, ListedProductSchema } from '../../schemas/include.js';
import { paging, SearchPageSchema } from '../../schemas/page.js';
import { component, listOf, optional } from '../../schemas/types.js';
import { filterIssues } from '../../products/list-requests.js';
import { noSuchProduct, productPath } from '../../products/product-ids.js';
import { listCompatible, listSimilar } from '../../usecases/similar.js';

const RelatedListingSchema = component('RelatedListing', 'A listing, and why it is related to another one', {
  ...ListedProductSchema.properties,
  reasons: listOf(
    Type.String(),
    'What the listing has in common with the one in the request, and how its price differs; at least one reason. The ' +
      'texts contain words of the listings. Attributes of the offer, such as stock, reviews and shop, are not reasons',
    ['same kind: headphones', 'both have: 40 mm', '12 % cheaper', 'other maker: Auralis'],
  ),
});

const RelatedPageSchema = component('RelatedPage', 'One page of listings that are related to a listing', {
  ...SearchPageSchema.properties,
  items: Type.Array(RelatedListingSchema),
});

const shared = {
  tag: 'Comparison',
  pathParameters: productPath,
  check: filterIssues,
  responses: {
    200: { description: 'A page of listings', schema: RelatedPageSchema },
    400: { description: 'The minimum price exceeds the maximum price, or the offset is too large' },
    404: noSuchProduct,
  },
};

export const similar = endpoint({
  ...shared,
  summary: 'Find listings that can replace a listing',
  description:
    'Returns other products of the same kind, which the nouns of names and the categories determine; a noun counts only if a ' +
    'category of the catalogue contains it, unless none does. Listings with the same sizes, attributes and words in the name, ' +
    'and with a similar price, come first. The brand may differ. Other offers of the same product are excluded if they are linked ' +
    '(`npm run link`), state the same GTIN or model number, or have a name with the same meaning. Only the most similar listings ' +
    'are returned, so `total` is at most 80, with `sort=price_asc` at most 30.',
  query: withAttributeFilters({
    sort: optional.Enum(['similarity', 'price_asc'], {
      default: 'similarity',
      description:
        '`similarity`: the most similar first. `price_asc`: the lowest price first, among the 30 most similar listings. ' +
        'Listings without the first size in the name of the original come last; prices in other currencies are not compared',
    }),
    ...filterParameters,
    include: includeParameter(),
    ...paging(20),
  }),
  cached: (query) => !changesWithTime(query),
  handle: (context, { path, query }) => listSimilar(context, path.product_id, query),
});

export const compatible = endpoint({
  ...shared,
  summary: 'Find listings that are compatible with a listing',
  description:
    'Returns listings whose names state the product, such as accessories for it, or that share codes such as sockets and ' +
    'standards with it. A name must state the line, model and tier of the product, and no other maker. Codes that few listings ' +
    'have count most; quantities such as `128GB`, years and sizes such as `A4` are not codes. With `q`, such as ' +
    '`CPU`, listings that share only attributes, sizes or colours are included as well, unless they state that they go with ' +
    'something else. Listings of the same kind of product are excluded, unless `q` names that kind. All pages together contain ' +
    'at most 200 listings. The service does not verify compatibility: `reasons` states what names and attributes say.',
  query: withAttributeFilters({
    q: optional.String({
      maxLength: 1_000,
      description: 'What to look for. Listings must contain at least one of these words',
    }),
    ...filterParameters,
    include: includeParameter(),
    ...paging(20),
  }),
  cached: (query) => !changesWithTime(query),
  handle: (context, { path, query }) => listCompatible(context, path.product_id, query),
});
