import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { searchEach } from '../../engine/search-each.js';
import { IDENTIFIER_TYPES, readIdentifier } from '../../engine/queries/lookup.js';
import { byStockAndPrice } from '../../engine/queries/price-order.js';
import { toProduct } from '../../listing/to-product.js';
import { LIMITS, ProductSchema } from '../../schemas/product.js';
import { checkSchema, identifierParameters, LOOKUP_ORDER } from '../../usecases/lookup/lookup.js';
import { documentedAs, Enum } from '../../schemas/types.js';

const MAX_IDENTIFIERS = 50;
const MAX_ITEMS = 20;

/** So many look-ups are about as much work as one search by words. */
const LOOKUPS_OF_A_SEARCH = 5;

const IdentifierSchema = Type.Object(
  {
    type: Enum(IDENTIFIER_TYPES, { description: 'What kind of identifier it is' }),
    // An id or GTIN that is sent as a JSON integer is read too; a union of types would fail in typed clients.
    value: documentedAs(
      Type.Unsafe<string | number>({
        type: ['string', 'integer'],
        minLength: 1,
        maxLength: LIMITS.url,
        description: 'The identifier as people write it',
      }),
      { type: 'string' },
    ),
    source: Type.Optional(identifierParameters.source),
    brand: Type.Optional(identifierParameters.brand),
  },
  { $id: 'Identifier', examples: [{ type: 'gtin', value: '4006381333931' }] },
);

const LookupResultsSchema = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        input: IdentifierSchema,
        match: Enum(['exact', 'none'], { description: 'Whether any listing has it' }),
        normalised: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: 'The identifier as it was looked for; null: it is not valid',
          examples: ['04006381333931'],
        }),
        reason: Type.Optional(
          Type.String({ description: 'Only for an identifier that is not valid: what is wrong with it' }),
        ),
        total: Type.Integer({ description: 'Exact number of listings that have it' }),
        items: Type.Array(ProductSchema, { description: 'The first of them' }),
      }),
      { description: 'One for each identifier, in request order' },
    ),
    found: Type.Integer({ description: 'Identifiers that a listing has' }),
    missing: Type.Integer({ description: 'Identifiers that none has', examples: [0] }),
  },
  { $id: 'LookupResults' },
);

export const lookupMany = endpoint({
  tag: 'Listings',
  summary: `Up to ${MAX_IDENTIFIERS} identifiers at once`,
  description: `Always 200: what nobody has, or is no identifier, has \`match: "none"\`. ${LOOKUP_ORDER}`,
  body: Type.Object({
    identifiers: Type.Array(IdentifierSchema, {
      minItems: 1,
      maxItems: MAX_IDENTIFIERS,
      description: `1 to ${MAX_IDENTIFIERS} identifiers`,
      examples: [
        [
          { type: 'gtin', value: '4006381333931' },
          { type: 'sku', value: 'SPEE-204817', source: 'shopee_sg' },
        ],
      ],
    }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_ITEMS,
        default: 5,
        description: 'Most items for each identifier',
      }),
    ),
  }),
  cached: true,
  cost: ({ body }) => ({ pool: 'heavy', slots: Math.ceil(body.identifiers.length / LOOKUPS_OF_A_SEARCH) }),
  responses: { 200: { description: 'What each of them finds', schema: LookupResultsSchema } },
  async handle(context, { body: { identifiers, limit = 5 } }) {
    const { es, products, config, rates } = context;
    const inputs = identifiers.map((one) => ({ ...one, value: String(one.value) }));
    const reads = inputs.map(readIdentifier);
    const queries = reads.map((read) => ('query' in read ? read.query : null));
    const found = await searchEach(es, products, queries, { sort: byStockAndPrice(rates), size: limit });
    const unknown = reads.filter((_, i) => found[i]?.total === 0);
    await checkSchema(context, unknown);
    const results = inputs.map((input, i) => {
      const read = reads[i] ?? { wrong: '' };
      const { total, listings } = found[i] ?? { total: 0, listings: [] };
      return {
        input,
        match: total > 0 ? ('exact' as const) : ('none' as const),
        ...('wrong' in read ? { normalised: null, reason: read.wrong } : { normalised: read.normalised }),
        total,
        items: listings.map((listing) => toProduct(listing, config)),
      };
    });
    const hits = results.filter(({ total }) => total > 0).length;
    return { body: { results, found: hits, missing: results.length - hits }, event: { results: hits } };
  },
});
