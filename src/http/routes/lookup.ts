import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { searchPage } from '../../engine/pages.js';
import { notFound, type ValidationIssue } from '../../platform/errors.js';
import { type Identifier, readIdentifier } from '../../engine/queries/lookup.js';
import { byStockAndPrice } from '../../engine/queries/price-order.js';
import { pageFrame } from '../../usecases/shared/page.js';
import { withItems } from '../../engine/passthrough.js';
import { paging, SearchPageSchema } from '../../schemas/page.js';
import { checkSchema, identifierParameters, LOOKUP_ORDER } from '../../usecases/lookup/lookup.js';
import { checkOffset, costOfList } from '../../usecases/shared/paging.js';

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
  check: issuesOf,
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
    const read = readIdentifier(identifierOf(query, namesIn(query)[0] ?? 'gtin'));
    if ('wrong' in read) throw new Error(read.wrong);
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

type Query = { [name in keyof typeof identifierParameters]?: string | undefined };

const namesIn = (query: Query) => NAMES.filter((name) => query[name] !== undefined);

const identifierOf = (query: Query, type: (typeof NAMES)[number]): Identifier => ({
  type,
  value: query[type] ?? '',
  source: query.source,
  brand: query.brand,
});

/** Exactly one identifier is to be given, a right one, alone or with what goes with it. */
function issuesOf(query: Query): ValidationIssue[] {
  const [first, ...others] = namesIn(query);
  const choice = `exactly one of ${NAMES.join(', ')}`;
  if (first === undefined) {
    return [{ loc: ['query', 'gtin'], msg: `Field required: ${choice}`, type: 'missing' }];
  }
  const wrong = (name: string, msg: string) => ({ loc: ['query', name], msg, type: 'value_error' });
  const strangers = (['source', 'brand'] as const).filter(
    (name) => query[name] !== undefined && COMPANIONS[name] !== first,
  );
  const read = readIdentifier(identifierOf(query, first));
  return [
    // An empty one is too short already.
    ...('wrong' in read && query[first] !== '' ? [wrong(first, read.wrong)] : []),
    ...others.map((name) => wrong(name, `Value error, give ${choice}`)),
    ...strangers.map((name) => wrong(name, `Value error, goes with ${COMPANIONS[name]} alone`)),
  ];
}
