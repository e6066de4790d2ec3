import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { notFound } from '../../platform/errors.js';
import { getStoredListing } from '../../engine/documents.js';
import { productBytes } from '../../engine/listing-bytes.js';
import { toProduct } from '../../listing/product.js';
import { readName } from '../../matching/reading.js';
import { ProductSchema } from '../../schemas/product.js';
import { ReadingSchema } from '../../schemas/reading.js';
import { isPossibleId, noSuchProduct, productPath } from '../../usecases/shared/product-ids.js';

const ExplainedProductSchema = Type.Object(
  { ...ProductSchema.properties, reading: Type.Optional(ReadingSchema) },
  { $id: 'ExplainedProduct', description: 'A listing. `explain=true` adds `reading`' },
);

export const product = endpoint({
  tag: 'Listings',
  summary: 'Retrieve a listing',
  pathParameters: productPath,
  query: Type.Object({
    explain: Type.Optional(
      Type.Boolean({
        description: 'Adds `reading`: how matching and best price understand the name of the listing',
      }),
    ),
  }),
  responses: { 200: { description: 'The listing', schema: ExplainedProductSchema }, 404: noSuchProduct },
  async handle({ es, products, readListing, config }, { path, query }) {
    const id = path.product_id;
    if (query.explain === true && isPossibleId(id)) {
      const listing = await getStoredListing(es, products, id);
      if (listing === null) throw notFound('Product not found');
      const reading = readName({ ...listing, comparablePrice: null });
      return { body: { ...toProduct(listing, config), reading } };
    }
    const listing = isPossibleId(id) ? await readListing(id) : null;
    if (listing === null) throw notFound('Product not found');
    return { body: productBytes(listing, config) };
  },
});
