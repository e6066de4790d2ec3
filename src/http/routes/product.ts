import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { notFound } from '../../platform/errors.js';
import { productBytes } from '../../engine/listing-bytes.js';
import { productWith } from '../../products/included.js';
import { readName } from '../../matching/reading.js';
import {
  includeParameter,
  ListedProductSchema,
  positionMember,
  readingMember,
} from '../../schemas/include.js';
import { checkInclude } from '../../products/list-requests.js';
import { isPossibleId, knownListing, noSuchProduct, productPath } from '../../products/product-ids.js';
import { component, optional } from '../../schemas/types.js';

const ExplainedProductSchema = component(
  'ExplainedProduct',
  'A listing, with the members that parameters add',
  { ...ListedProductSchema.properties, ...positionMember, ...readingMember },
);

export const product = endpoint({
  tag: 'Listings',
  summary: 'Retrieve a listing',
  description: 'Returns the listing as its source last stated it.',
  pathParameters: productPath,
  query: Type.Object({
    include: includeParameter('position', 'reading'),
    explain: optional.flag('Adds `reading`, without the condition and the tokens'),
  }),
  responses: { 200: { description: 'The listing', schema: ExplainedProductSchema }, 404: noSuchProduct },
  async handle(context, { path, query }) {
    const { readListing, config, now } = context;
    const id = path.product_id;
    const { explain = false, include = [] } = query;
    await checkInclude(context, include);
    if (explain || include.length > 0) {
      const listing = await knownListing(context, id);
      const body = productWith(include, listing, context, now());
      const isRead = explain && !include.includes('reading');
      return { body: isRead ? { ...body, reading: readName({ ...listing, comparablePrice: null }) } : body };
    }
    const listing = isPossibleId(id) ? await readListing(id) : null;
    if (listing === null) throw notFound('Product not found');
    return { body: productBytes(listing, config) };
  },
});
