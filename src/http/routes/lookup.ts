import { Type } from 'typebox';
import { failure } from '../../schemas/errors.js';
import { endpoint } from '../endpoint.js';
import { IDENTIFIER_TYPES } from '../../engine/queries/lookup.js';
import { includeMember, includeParameter, ListedProductSchema } from '../../schemas/include.js';
import { offsetTooLarge, paging, SearchPageSchema } from '../../schemas/page.js';
import { LIMITS } from '../../schemas/product.js';
import {
  component,
  countParameter,
  documentedAs,
  Enum,
  integer,
  listOf,
  nullable,
  optional,
} from '../../schemas/types.js';
import { lookUp, lookupIssues, lookUpMany } from '../../usecases/lookup.js';

const ORDER =
  'Listings are sorted by availability (in stock or unknown first), then by price in one currency, then by id.';

const identifier = (description: string, maxLength: number, example?: string) =>
  Type.String({
    description,
    minLength: 1,
    maxLength,
    ...(example === undefined ? {} : { examples: [example] }),
  });

const gtin = identifier(
  'A GTIN-8, UPC-12, EAN-13, GTIN-14 or ISBN-10, with or without spaces and hyphens, or a GS1 Digital Link',
  LIMITS.url,
  '2284975697412',
);
const sku = identifier('The SKU as the feed states it', LIMITS.sku);
const model = identifier('A model or part number that the feed states, in any notation', 100);
const url = identifier(
  'The URL of the listing’s page at the shop, with or without tracking parameters. A GS1 Digital Link is looked up as a GTIN',
  LIMITS.url,
);
const source = identifier('With `sku`: the source platform code', LIMITS.source);
const brand = identifier('With `model`: the full brand name. Case and accents are ignored', LIMITS.brand);

const in_store = Type.Optional(
  Type.Literal(true, {
    description:
      'The GTIN is an in-store number (GTIN-13 from 02, 04 and 20 to 29, GTIN-8 from 0 and 2), which every shop assigns to its ' +
      'own goods, so listings of different sources are different products. Absent for all other identifiers',
  }),
);

const LookupPageSchema = component('LookupPage', 'One page of listings that have an identifier', {
  ...SearchPageSchema.properties,
  items: Type.Array(ListedProductSchema),
  match: Type.Literal('exact', { description: 'How the listings were found: by the exact identifier' }),
  in_store,
});

export const lookup = endpoint({
  tag: 'Listings',
  summary: 'Look up listings by GTIN, SKU, model number or URL',
  description: `Give exactly one of \`gtin\`, \`sku\`, \`model\` and \`url\`. ${ORDER}`,
  query: Type.Object({
    gtin: Type.Optional(gtin),
    sku: Type.Optional(sku),
    model: Type.Optional(model),
    url: Type.Optional(url),
    source: Type.Optional(source),
    brand: Type.Optional(brand),
    include: includeParameter(),
    ...paging(20),
  }),
  check: lookupIssues,
  cached: true,
  responses: {
    200: { description: 'The listings that have the identifier', schema: LookupPageSchema },
    400: offsetTooLarge,
    404: failure('No listing has the identifier', 'No listing has this identifier'),
  },
  handle: (context, { query }) => lookUp(context, query),
});

const MAX_IDENTIFIERS = 50;
const MAX_ITEMS = 20;

const IdentifierSchema = Type.Object(
  {
    type: Enum(IDENTIFIER_TYPES, { description: 'The type of the identifier' }),
    // An integer is accepted as well, but not documented, because a union of types breaks typed clients.
    value: documentedAs(
      Type.Unsafe<string | number>({
        type: ['string', 'integer'],
        minLength: 1,
        maxLength: LIMITS.url,
        description: 'The identifier, in any notation',
      }),
      { type: 'string' },
    ),
    source: Type.Optional(source),
    brand: Type.Optional(brand),
  },
  { $id: 'Identifier', examples: [{ type: 'gtin', value: '2284975697412' }] },
);

const LookupResultsSchema = component('LookupResults', {
  results: listOf(
    Type.Object({
      input: IdentifierSchema,
      match: Enum(['exact', 'none'], { description: 'Whether any listing has the identifier' }),
      normalised: nullable(
        'string',
        'The identifier in the normalised form that was searched for; null if it is not valid',
        { examples: ['02284975697412'] },
      ),
      reason: optional.text('Why the identifier is not valid; absent for a valid identifier'),
      total: integer('Exact number of listings that have the identifier'),
      in_store,
      items: listOf(ListedProductSchema, 'The first of these listings'),
    }),
    'One result for each identifier, in request order',
  ),
  found: integer('The number of identifiers that at least one listing has'),
  missing: integer('The number of identifiers that no listing has', 0),
});

export const lookupMany = endpoint({
  tag: 'Listings',
  summary: `Look up as many as ${MAX_IDENTIFIERS} identifiers at once`,
  description: `Invalid identifiers and identifiers that no listing has get a result with \`match: "none"\`; the status is 200 all the same. ${ORDER}`,
  body: Type.Object({
    identifiers: Type.Array(IdentifierSchema, {
      minItems: 1,
      maxItems: MAX_IDENTIFIERS,
      description: `1 to ${MAX_IDENTIFIERS} identifiers`,
      examples: [
        [
          { type: 'gtin', value: '2284975697412' },
          { type: 'sku', value: 'SPEE-204817', source: 'shopee_sg' },
        ],
      ],
    }),
    limit: countParameter(MAX_ITEMS, 5, 'The maximum number of listings returned for each identifier'),
    include: includeMember,
  }),
  cached: true,
  responses: { 200: { description: 'A result for each identifier', schema: LookupResultsSchema } },
  handle: (context, { body }) => lookUpMany(context, body),
});
