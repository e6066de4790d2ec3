import { Type } from 'typebox';
import { GROUPS_SCHEMA } from '../../listing/derived.js';
import { endpoint } from '../endpoint.js';
import { badRequest } from '../../platform/errors.js';
import { foldValue } from '../../text/fold.js';
import { brandsRequest } from '../../engine/queries/sources.js';
import { pageFrame } from '../../usecases/shared/paging.js';
import { paging, SearchPageSchema } from '../../schemas/page.js';
import { LIMITS } from '../../schemas/product.js';
import { documentedAs } from '../../schemas/types.js';
import { checkSchema } from '../../usecases/shared/filters.js';

/** Who wants the rest asks by how they begin. */
const MOST = 10_000;

const BrandPageSchema = Type.Object(
  {
    ...SearchPageSchema.properties,
    total: Type.Integer({ description: 'Number of brands that begin so' }),
    items: Type.Array(
      Type.Object({
        brand: Type.String({ description: 'As it is written most often' }),
        listings: Type.Integer({ description: 'Listings of it' }),
      }),
    ),
  },
  { $id: 'BrandPage', description: 'One page of brands' },
);

/** What the engine says of one brand. */
interface Bucket {
  key: string;
  doc_count: number;
  written: { buckets: { key: string }[] };
}

export const brands = endpoint({
  tag: 'Listings',
  summary: 'Brands with their number of listings, most listings first',
  description: 'Spellings that differ in case and accents alone are one brand.',
  query: Type.Object({
    q: Type.Optional(
      Type.String({
        maxLength: LIMITS.brand,
        description: 'How a brand begins, but for case and accents',
        examples: ['so'],
      }),
    ),
    limit: paging(20).limit,
    // The engine counts no further than this; beyond it the answer is 400, as it is for listings, and not 422.
    offset: Type.Optional(
      documentedAs(
        Type.Integer({
          minimum: 0,
          default: 0,
          description: `Brands to leave out before the page; \`offset\` and \`limit\` together may not exceed ${MOST}`,
        }),
        { maximum: MOST - 1 },
      ),
    ),
  }),
  cached: true,
  responses: {
    200: { description: 'A page of brands', schema: BrandPageSchema },
    400: { description: `A page that ends past the first ${MOST} brands` },
  },
  async handle(context, { query }) {
    const { q = '', limit = 20, offset = 0 } = query;
    if (offset + limit > MOST) {
      throw badRequest(`offset and limit must not exceed ${MOST} together; use q to ask for fewer brands`);
    }
    await checkSchema(context, { 'the list of brands': GROUPS_SCHEMA });
    const answer = await context.es.search<
      unknown,
      { brands: { buckets: Bucket[] }; distinct: { value: number } }
    >({ index: context.products, ...brandsRequest(foldValue(q), { limit, offset }) });
    const items = (answer.aggregations?.brands.buckets ?? []).map(
      ({ key, doc_count: listings, written }) => ({ brand: written.buckets[0]?.key.trim() ?? key, listings }),
    );
    const total = answer.aggregations?.distinct.value ?? 0;
    return { body: { ...pageFrame({ total, items: items.length }, { limit, offset }), items } };
  },
});
