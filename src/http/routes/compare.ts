import { Type } from 'typebox';
import { CONSIDERED } from '../../matching/considered.js';
import { type Cost, LIGHT } from '../../usecases/shared/cost.js';
import { endpoint } from '../endpoint.js';
import { compareListings } from '../../usecases/shared/find-matches.js';
import { getStoredListing } from '../../engine/documents.js';
import { notFound } from '../../platform/errors.js';
import { CANDIDATE_FIELDS } from '../../engine/queries/candidates.js';
import { ConsideredMatchSchema } from '../../schemas/explain.js';
import { ComparisonSchema, matchFilterParameters } from '../../usecases/compare/schemas.js';
import { isPossibleId } from '../../usecases/shared/product-ids.js';

const ComparedSchema = Type.Object(
  {
    ...ComparisonSchema.properties,
    considered: Type.Optional(
      Type.Array(ConsideredMatchSchema, {
        maxItems: CONSIDERED,
        description: 'With `explain=true`: what was compared and is not a match, the likeliest first',
      }),
    ),
  },
  { $id: 'ExplainedComparison', description: 'Where else a product is on offer' },
);

/** Compares once more, and linked listings with what is like them too. */
const EXPLAINED: Cost = { pool: 'heavy', slots: 2 };

export const compare = endpoint({
  tag: 'Comparison',
  summary: 'The same product on other platforms',
  description:
    'Matches are other listings of the same product: another model, colour, capacity or pack size is another ' +
    'product. The score is a probability, and only what is more likely than not is shown. The price limits apply ' +
    'to the matches alone.',
  query: Type.Object({
    product_id: Type.Integer({ description: 'Product id' }),
    ...matchFilterParameters,
    explain: Type.Optional(
      Type.Boolean({
        description: `The body adds \`considered\`: up to ${CONSIDERED} candidates that are no match, and why`,
      }),
    ),
  }),
  responses: {
    200: { description: 'The matches', schema: ComparedSchema },
    400: { description: 'Price limits that cross' },
    404: { description: 'No listing has this id', example: { detail: 'Product not found' } },
  },
  cached: true,
  cost: ({ query }) => (query.explain === true ? EXPLAINED : LIGHT),
  async handle(context, { query }) {
    const { es, products } = context;
    const { product_id: id, min_price, max_price, include_same_source: includeSameSource = false } = query;
    const listing = isPossibleId(id) ? await getStoredListing(es, products, id, CANDIDATE_FIELDS) : null;
    if (listing === null) throw notFound('Product not found');
    const [body] = await compareListings(context, [listing], {
      min_price,
      max_price,
      includeSameSource,
      explain: query.explain === true,
    });
    return { body };
  },
});
