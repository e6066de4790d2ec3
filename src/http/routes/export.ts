import { Type } from 'typebox';
import { endpoint, header } from '../endpoint.js';
import { filterParameters, unitPer, withAttributeFilters } from '../../engine/queries/filters.js';
import { paging } from '../../schemas/page.js';
import { INCLUDE_DESCRIPTION, INCLUDED, includedMembers } from '../../schemas/include.js';
import { ProductSchema } from '../../schemas/product.js';
import { component, Enum, flagParameter, optional } from '../../schemas/types.js';
import { exportListings } from '../../usecases/export/export-listings.js';
import { filterIssues } from '../../products/list-requests.js';

const MAX_LIMIT = 10_000;

const ExportedSchema = component('ExportedProduct', 'A listing in an export', {
  ...ProductSchema.properties,
  gtin: Type.Optional(
    Type.Unsafe<string | string[] | null>({
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
      description:
        'With `include=stated`: the GTIN as the feed states it, in addition to those in `metadata`',
    }),
  ),
  ...includedMembers,
  list_price: optional.nullable(
    'string',
    'With `include=stated`: the list price ("was" price) as the feed states it',
  ),
});

export const exportRoute = endpoint({
  tag: 'Listings',
  summary: 'Export listings as JSON, NDJSON, CSV or a partner feed',
  description:
    'Streams listings from one consistent snapshot of the catalogue, sorted by id. If there are more, `Link: rel="next"` has the ' +
    'URL of the next request. A key can run two exports at once (`premium`: four). The connection is closed if it is read at ' +
    'less than 8 kB per second, after ten minutes, or when the key is revoked. ' +
    'CSV is UTF-8 with CRLF line ends (RFC 4180): arrays and metadata are written as JSON, null as an empty cell, and text that a ' +
    "spreadsheet would run as a formula is prefixed with `'`. " +
    '`google` (tab-separated, for Google Merchant Center) and `openai` (JSON lines) omit the listings that the partner would ' +
    'refuse, for example because they have no image; `report=true` lists those instead, with the reasons. Both formats use the ' +
    'product id as the item id.',
  query: withAttributeFilters({
    format: optional.Enum(['json', 'csv', 'ndjson', 'google', 'openai'], {
      default: 'json',
      description: 'The format of the export. `google` and `openai` are product feeds for these partners',
    }),
    report: flagParameter(
      'With `google` or `openai`: return the listings that the partner would refuse, with the reasons, instead of the feed',
    ),
    include: optional.List(',', Enum(['stated', ...INCLUDED]), {
      maxItems: 20,
      description:
        '`stated` adds `gtin` and `list_price` as the feed states them, so that a catalogue loaded from the export has the ' +
        `same identifiers and products. ${INCLUDE_DESCRIPTION}; loads ignore these members, except \`delivery\`. Only for \`json\`, \`ndjson\` and \`csv\``,
    }),
    ...filterParameters,
    unit_per: unitPer,
    ...paging(1000, MAX_LIMIT),
    // Other endpoints limit the offset. An export does not, so it has a parameter of its own.
    offset: optional.Integer({
      minimum: 0,
      default: 0,
      description: 'The number of listings to skip; not limited',
    }),
  }),
  check: filterIssues,
  responses: {
    200: {
      description: 'The listings: a JSON array, a CSV file, or one JSON object per line',
      content: {
        'application/json': { schema: Type.Array(ExportedSchema) },
        'text/csv': { schema: Type.String() },
        'application/x-ndjson': { schema: Type.String() },
        'text/tab-separated-values': { schema: Type.String() },
      },
      headers: {
        'X-Total-Count': header('The number of listings that match the filters', 'integer'),
        Link: header('The URL of the next request with `rel="next"`, if there are more listings'),
        'Content-Disposition': header('The suggested file name'),
      },
    },
    400: {
      description:
        'The minimum price exceeds the maximum price, or `report` or `include` does not fit the format',
    },
    429: { description: 'The rate limit is exceeded, or the key is running too many exports' },
    503: { description: 'A service that is needed is unavailable, or too many exports are running' },
  },
  handle: (context, { query }, caller) => exportListings(context, query, caller),
});
