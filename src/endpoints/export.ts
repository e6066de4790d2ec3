import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { tooManyExports } from '../errors.js';
import { openSnapshot } from '../elasticsearch/snapshot.js';
import { filterClauses } from '../queries/listings.js';
import { EXPORT_FORMATS } from '../results/export.js';
import { filterParameters } from '../schemas/filters.js';
import { paging } from '../schemas/page.js';
import { ProductSchema } from '../schemas/product.js';

const MAX_LIMIT = 10_000;

/** Rows to one piece of text: some 50 kB. */
const ROWS_AT_ONCE = 20;

const query = Type.Object({
  format: Type.Optional(
    Type.Enum(['json', 'csv', 'ndjson'], { default: 'json', description: 'Format of the answer' }),
  ),
  ...filterParameters,
  source: Type.Optional(Type.String({ description: 'Source platform code' })),
  platform: Type.Optional(Type.String({ description: 'Another name for `source`' })),
  ...paging(1000, MAX_LIMIT),
  // Where search ends, export goes on.
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 0,
      description: 'Listings to leave out before the first; any number',
    }),
  ),
});

export const exportListings = endpoint({
  tag: 'Listings',
  summary: 'Listings as JSON, CSV or NDJSON, in the order of their ids',
  description:
    'One request is one consistent snapshot, streamed. `Link: rel="next"` names the request that goes on from here. ' +
    'CSV is UTF-8 with CRLF (RFC 4180): arrays and metadata are JSON text, null is an empty cell, and text that a ' +
    "spreadsheet would run as a formula begins with `'`.",
  query,
  responses: {
    200: {
      description: 'The listings: a bare array, a CSV file, or one JSON object a line',
      content: {
        'application/json': { schema: Type.Array(ProductSchema) },
        'text/csv': { schema: Type.String() },
        'application/x-ndjson': { schema: Type.String() },
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
    400: { description: 'Price limits that cross' },
  },
  async handle({ es, products, config, exports }, { query }) {
    const { format = 'json', limit = 1000, offset = 0, platform, source = platform } = query;
    const filter = filterClauses({ ...query, platform: source });
    const leave = exports.take();
    if (leave === null) throw tooManyExports();
    const snapshot = await openSnapshot(es, products, { bool: { filter } }, { limit, offset }).catch(
      (error: unknown) => {
        leave();
        throw error;
      },
    );
    const { contentType, open, rows, close } = EXPORT_FORMATS[format];

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
        'Content-Disposition': `attachment; filename="products.${format}"`,
        'X-Total-Count': String(snapshot.total),
        ...next,
      },
      body,
      event: { results: snapshot.total },
    };
  },
});

function nextUrl(publicUrl: string, query: Record<string, unknown>, offset: number): string {
  const parameters = Object.entries({ ...query, offset }).map(([name, value]) => [name, String(value)]);
  return `${publicUrl}/v1/products/export?${new URLSearchParams(parameters as [string, string][]).toString()}`;
}
