import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Tier } from '../../platform/access/tiers.js';
import { endpoint } from '../endpoint.js';
import { badRequest, tooManyOwnExports } from '../../platform/errors.js';
import { openSnapshot } from '../../engine/snapshot.js';
import { filterClauses } from '../../engine/queries/listings.js';
import { PARTNER_SOURCE, PUBLIC_SOURCE } from '../../engine/queries/pages.js';
import {
  EXPORT_FORMATS,
  EXPORT_REPORTS,
  EXTENSIONS,
  STATED_FIELDS,
  STATED_FORMATS,
} from '../../usecases/export/formats.js';
import { attributeParameters, filterParameters } from '../../schemas/filters.js';
import { paging } from '../../schemas/page.js';
import { PRODUCT_FIELDS, ProductSchema } from '../../schemas/product.js';
import { Enum, List, nullable } from '../../schemas/types.js';
import { checkFilters, filterIssues } from '../../usecases/shared/filters.js';
import { costOfPage } from '../../usecases/shared/paging.js';

const MAX_LIMIT = 10_000;

/** Exports at once of one key. */
const EXPORTS_PER_KEY: Record<Tier, number> = { free: 2, basic: 2, standard: 2, premium: 4 };

/** Rows to one piece of text: some 50 kB. */
const ROWS_AT_ONCE = 20;

const ExportedSchema = Type.Object(
  {
    ...ProductSchema.properties,
    gtin: Type.Optional(
      Type.Unsafe<string | string[] | null>({
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
        description: 'With `include=stated`: as the feed states it, beside what `metadata` has',
      }),
    ),
    list_price: Type.Optional(
      nullable('string', 'With `include=stated`: the "was" price that the feed declares'),
    ),
  },
  { $id: 'ExportedProduct', description: 'A listing as an export has it' },
);

const query = Type.Object(
  {
    format: Type.Optional(
      Enum(['json', 'csv', 'ndjson', 'google', 'openai'], {
        default: 'json',
        description: 'Format of the answer; `google` and `openai` are feeds as these take them',
      }),
    ),
    report: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Of `google` and `openai`: instead of the feed, what they would refuse, and why',
      }),
    ),
    include: Type.Optional(
      List(',', Enum(['stated']), {
        maxItems: 20,
        description:
          '`stated` adds `gtin` and `list_price` as the feed states them, so that a catalogue loaded from the export has ' +
          'the same identifiers and products; for `json`, `ndjson` and `csv`',
      }),
    ),
    ...filterParameters,
    ...paging(1000, MAX_LIMIT),
    // Where search ends, export goes on.
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 0,
        description: 'Listings to leave out before the first; any number',
      }),
    ),
  },
  attributeParameters,
);

export const exportListings = endpoint({
  tag: 'Listings',
  summary: 'Listings as JSON, CSV or NDJSON, in the order of their ids',
  description:
    'One request is one consistent snapshot, streamed. `Link: rel="next"` names the request that goes on from here. ' +
    'Two at once for a key (`premium`: four); one that is read at less than 8 kB a second, lasts longer than ten ' +
    'minutes, or whose key is revoked, is cut. ' +
    'CSV is UTF-8 with CRLF (RFC 4180): arrays and metadata are JSON text, null is an empty cell, and text that a ' +
    "spreadsheet would run as a formula begins with `'`. " +
    '`google` (Merchant Center, tabs) and `openai` (JSON lines) leave out the listings that these would refuse, for want of ' +
    'a picture, say; `report=true` lists those instead, each with its reasons. Both name listings by their id.',
  query,
  check: filterIssues,
  responses: {
    200: {
      description: 'The listings: a bare array, a CSV file, or one JSON object a line',
      content: {
        'application/json': { schema: Type.Array(ExportedSchema) },
        'text/csv': { schema: Type.String() },
        'application/x-ndjson': { schema: Type.String() },
        'text/tab-separated-values': { schema: Type.String() },
      },
      headers: {
        'X-Total-Count': {
          description: 'Listings that match, in this and other requests',
          schema: { type: 'integer' },
        },
        Link: { description: '`rel="next"` where there is more', schema: { type: 'string' } },
        'Content-Disposition': { description: 'A file name', schema: { type: 'string' } },
      },
    },
    400: { description: 'Price limits that cross; a report of a format that has none' },
    429: { description: 'Too many requests in this minute, or too many exports at once for this key' },
    503: { description: 'Something that the service needs is away, or there are too many exports in all' },
  },
  cost: ({ query: { limit = 1000, offset = 0 } }) => costOfPage({ limit, offset }),
  async handle(context, { query }, { key }) {
    const { es, products, config, exports, now } = context;
    const { format = 'json', report = false, include = [], limit = 1000, offset = 0 } = query;
    const isFeed = format === 'google' || format === 'openai';
    if (report && !isFeed) throw badRequest('report goes with format=google or format=openai');
    if (include.length > 0 && isFeed) throw badRequest('include goes with format=json, csv or ndjson');
    await checkFilters(context, query);
    const filter = filterClauses(query, now());
    const { id: client = '', tier = 'free' } = key ?? {};
    if (exports.heldBy(client) >= EXPORTS_PER_KEY[tier]) throw tooManyOwnExports(EXPORTS_PER_KEY[tier]);
    const leave = await exports.acquire({ client, slots: 1 });
    const stated = include.includes('stated');
    const withStated = [...PRODUCT_FIELDS, ...STATED_FIELDS];
    const source = isFeed ? PARTNER_SOURCE : stated ? withStated : PUBLIC_SOURCE;
    const slice = { limit, offset };
    const snapshot = await openSnapshot(es, products, { bool: { filter } }, slice, source).catch(
      (error: unknown) => {
        leave();
        throw error;
      },
    );
    const formats = stated ? { ...EXPORT_FORMATS, ...STATED_FORMATS } : EXPORT_FORMATS;
    const { contentType, open, rows, close } = report && isFeed ? EXPORT_REPORTS[format] : formats[format];

    async function* text() {
      let first = true;
      yield open;
      for await (const listings of snapshot.pages) {
        // Out of the page as they are written: what a slow client has taken is not kept for it.
        while (listings.length > 0) {
          yield rows(listings.splice(0, ROWS_AT_ONCE), config, first);
          first = false;
        }
      }
      yield close;
    }

    const body = Readable.from(text(), { objectMode: false });
    // However the reading ends, or if it never begins: nothing stays open in the engine.
    body.once('close', () => {
      leave();
      void snapshot.close();
    });
    const next: Record<string, string> =
      offset + limit < snapshot.total
        ? { Link: `<${nextUrl(config.publicUrl, query, offset + limit)}>; rel="next"` }
        : {};
    return {
      headers: {
        'Content-Type': contentType,
        'Content-Disposition': `attachment; filename="${report ? `refused-${format}.ndjson` : `products.${EXTENSIONS[format] ?? format}`}"`,
        'X-Total-Count': String(snapshot.total),
        ...next,
      },
      body,
      event: { results: snapshot.total },
    };
  },
});

function nextUrl(publicUrl: string, query: Record<string, unknown>, offset: number): string {
  const parameters = Object.entries({ ...query, offset }).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join('|') : String(value),
  ]);
  return `${publicUrl}/v1/products/export?${new URLSearchParams(parameters as [string, string][]).toString()}`;
}
