import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { attributeParameters, changesWithTime, filterParameters } from '../../engine/queries/filters.js';
import { includedMembers, includeParameter } from '../../schemas/include.js';
import { paging, SearchPageSchema } from '../../schemas/page.js';
import { ProductSchema } from '../../schemas/product.js';
import { Enum } from '../../schemas/types.js';
import { costOfList } from '../../usecases/shared/cost.js';
import { filterIssues } from '../../usecases/shared/list-requests.js';
import { noSuchProduct, productPath } from '../../usecases/shared/product-ids.js';
import { listCompatible, listSimilar } from '../../usecases/similar.js';

const RelatedListingSchema = Type.Object(
  {
    ...ProductSchema.properties,
    ...includedMembers,
    reasons: Type.Array(Type.String(), {
      description:
        'What the listing has in common with the one in the request, and how its price differs; at least one reason. The ' +
        'texts contain words of the listings. Attributes of the offer, such as stock, reviews and shop, are not reasons',
      examples: [['same kind: headphones', 'both have: 40 mm', '12 % cheaper', 'other maker: Auralis']],
    }),
  },
  { $id: 'RelatedListing', description: 'A listing, and why it is related to another one' },
);

const RelatedPageSchema = Type.Object(
  { ...SearchPageSchema.properties, items: Type.Array(RelatedListingSchema) },
  { $id: 'RelatedPage', description: 'One page of listings that are related to a listing' },
);

const MAX_LIMIT = 50;

const shared = {
  tag: 'Comparison',
  pathParameters: productPath,
  check: filterIssues,
  cost: ({ query: { limit = 20, offset = 0 } }: { query: { limit?: number; offset?: number } }) =>
    costOfList({ limit, offset }),
  responses: {
    200: { description: 'A page of listings', schema: RelatedPageSchema },
    400: { description: 'The minimum price exceeds the maximum price, or the offset is too large' },
    404: noSuchProduct,
  },
};

export const similar = endpoint({
  ...shared,
  summary: 'Listings that can replace a listing',
  description:
    'Listings of the same kind, by the nouns of their names and by their categories; a noun counts if a category of the ' +
    'catalogue has it, unless none has. Those come first that share sizes, attributes ' +
    'and words of the name and have a similar price. The maker may differ. Other offers of the same product are left out if ' +
    'they are linked (`npm run link`), state the same GTIN or model number, or have a name of the same meaning. `total` ' +
    'counts the most similar listings only, at most 80.',
  query: Type.Object(
    {
      sort: Type.Optional(
        Enum(['similarity', 'price_asc'], {
          default: 'similarity',
          description:
            '`price_asc`: the lowest price first, among the most similar listings; those that lack the first size of the name come last',
        }),
      ),
      ...filterParameters,
      include: includeParameter,
      ...paging(20, MAX_LIMIT),
    },
    attributeParameters,
  ),
  cached: (query) => !changesWithTime(query),
  handle: (context, { path, query }) => listSimilar(context, path.product_id, query),
});

export const compatible = endpoint({
  ...shared,
  summary: 'Listings that fit a listing',
  description:
    'Listings that name the product of the listing, such as accessories for it, or that share codes such as sockets and ' +
    'standards with it. Codes that few listings have count most; quantities such as `128GB` are not codes. `q` says what is ' +
    'wanted, such as `CPU`: then listings that share only attributes, sizes or colours are included. Listings ' +
    'of the same kind are left out, unless `q` names it. The service does not know what fits: `reasons` says what ' +
    'names and attributes state.',
  query: Type.Object(
    {
      q: Type.Optional(
        Type.String({
          maxLength: 1_000,
          description: 'Words for what is wanted. Listings must have one of them',
          examples: ['CPU'],
        }),
      ),
      ...filterParameters,
      include: includeParameter,
      ...paging(20, MAX_LIMIT),
    },
    attributeParameters,
  ),
  cached: (query) => !changesWithTime(query),
  handle: (context, { path, query }) => listCompatible(context, path.product_id, query),
});
