import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { searchPage } from '../elasticsearch/pages.js';
import { invalid, notFound } from '../errors.js';
import { type Identifier, readIdentifier } from '../queries/lookup.js';
import { byStockAndPrice } from '../queries/price-order.js';
import { pageFrame } from '../results/page.js';
import { withItems } from '../results/passthrough.js';
import { paging, SearchPageSchema } from '../schemas/page.js';
import { checkSchema, identifierParameters, LOOKUP_ORDER } from './shared/lookup.js';
import { checkOffset, costOfList } from './shared/paging.js';

const LookupPageSchema = Type.Object(
  {
    ...SearchPageSchema.properties,
    match: Type.Literal('exact', { description: 'How the listings were found: by the identifier itself' }),
  },
  { $id: 'LookupPage', description: 'One page of listings that have an identifier' },
);

const NAMES = ['gtin', 'sku', 'model', 'url'] as const;
/** What goes with one of them alone. */
const COMPANIONS = { source: 'sku', brand: 'model' } as const;

export const lookup = endpoint({
  tag: 'Listings',
  summary: 'Listings by GTIN, SKU, model number or URL',
  description: `Exactly one of \`gtin\`, \`sku\`, \`model\` and \`url\`. ${LOOKUP_ORDER}`,
  query: Type.Object({
    ...(Object.fromEntries(
      Object.entries(identifierParameters).map(([name, schema]) => [name, Type.Optional(schema)]),
    ) as { [name in keyof typeof identifierParameters]: ReturnType<typeof Type.Optional<Type.TString>> }),
    ...paging(20),
  }),
  cached: true,
  cost: ({ query: { limit = 20, offset = 0 } }) => costOfList({ limit, offset }),
  responses: {
    200: { description: 'The listings that have it', schema: LookupPageSchema },
    400: { description: 'An offset past the last page' },
    404: { description: 'No listing has it', example: { detail: 'No listing has this identifier' } },
  },
  async handle(context, { query }) {
    const { es, products, config, rates } = context;
    const { limit = 20, offset = 0 } = query;
    const identifier = onlyOne(query);
    const read = readIdentifier(identifier);
    if ('wrong' in read) {
      throw invalid([{ loc: ['query', identifier.type], msg: read.wrong, type: 'value_error' }]);
    }
    checkOffset(offset);
    const selection = { query: read.query, sort: byStockAndPrice(rates) };
    const { total, listings } = await searchPage(es, products, selection, { limit, offset });
    const event = { results: total };
    if (total === 0) {
      await checkSchema(context, [read]);
      throw notFound('No listing has this identifier', event);
    }
    const frame = {
      ...pageFrame({ total, items: listings.length }, { limit, offset }),
      match: 'exact' as const,
    };
    return { body: withItems(frame, listings, config), event };
  },
});

/** @throws ApiError 422 with every finding, unless exactly one identifier is given, alone or with what goes with it. */
function onlyOne(query: { [name in keyof typeof identifierParameters]?: string | undefined }): Identifier {
  const [first, ...others] = NAMES.filter((name) => query[name] !== undefined);
  const choice = `exactly one of ${NAMES.join(', ')}`;
  const issues = others.map((name) => ({
    ...{ loc: ['query', name], msg: `Value error, give ${choice}`, type: 'value_error' },
  }));
  if (first === undefined) {
    issues.push({ loc: ['query', 'gtin'], msg: `Field required: ${choice}`, type: 'missing' });
  }
  for (const [name, beside] of Object.entries(COMPANIONS)) {
    if (query[name as keyof typeof COMPANIONS] === undefined || first === undefined || first === beside)
      continue;
    issues.push({ loc: ['query', name], msg: `Value error, goes with ${beside} alone`, type: 'value_error' });
  }
  if (first === undefined || issues.length > 0) throw invalid(issues);
  const { source, brand } = query;
  return { type: first, value: query[first] ?? '', source, brand };
}
