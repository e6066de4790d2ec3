import { Type, type Static } from 'typebox';
import type { Context } from '../../usecases/context.js';
import { getStoredListing, getStoredListings } from '../../engine/documents.js';
import { endpoint } from '../endpoint.js';
import { badRequest, notFound, type ValidationIssue } from '../../platform/errors.js';
import { parseInstant } from '../../listing/instant.js';
import type { StoredListing } from '../../listing/listing.js';
import type { Window } from '../../listing/price-history.js';
import { EXAMPLE_NAME, exampleHistory } from '../../usecases/price-history/example.js';
import { priceHistorySvg, SVG_HEADERS } from '../../usecases/price-history/svg.js';
import { HISTORY_SOURCE, toPriceHistory } from '../../usecases/price-history/shown-history.js';
import { IntervalSchema, PriceHistoriesSchema, PriceHistorySchema } from '../../schemas/price-history.js';
import { allKnown, isPossibleId } from '../../usecases/shared/product-ids.js';
import { documentedAs } from '../../schemas/types.js';

const DAY_MS = 86_400_000;
const MAX_DAYS = 3_650;
const DEFAULT_DAYS = 90;

const daysOf = { minimum: 1, maximum: MAX_DAYS };

const TIME =
  'ISO 8601: a date (`2026-05-01`, meaning its midnight) or a date and time (`2026-05-01T08:00:00Z`), in UTC unless it has an offset';

/** A time. The documents state its form; text of another form is a `datetime_parsing` error. */
const timeParameter = (options: { description: string; examples: string[] }) =>
  documentedAs(Type.String({ maxLength: 64, ...options }), {
    pattern:
      '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])' +
      '([Tt ]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d([.]\\d{1,9})?)?([Zz]|[+-]([01]\\d|2[0-3]):?[0-5]\\d)?)?$',
  });

// It has no default, so that a `days` that was sent together with `from` can be seen.
const days = Type.Optional(
  Type.Integer({
    ...daysOf,
    description: `The number of days up to \`to\`; ${DEFAULT_DAYS} unless \`from\` is given. It cannot be given together with \`from\``,
  }),
);

const query = Type.Object({
  days,
  from: Type.Optional(
    timeParameter({
      description: `The start, inclusive, instead of \`days\`; at most ${MAX_DAYS} days before \`to\`. ${TIME}`,
      examples: ['2026-05-01'],
    }),
  ),
  to: Type.Optional(
    timeParameter({
      description: `The end, inclusive; now by default. ${TIME}`,
      examples: ['2026-08-01T08:00:00Z'],
    }),
  ),
  interval: Type.Optional(IntervalSchema),
});

const pathParameters = Type.Object({ product_id: Type.Integer({ description: 'Product id' }) });

const DESCRIPTION =
  'Only observed prices in the currency of today count: those that the service recorded itself, or that its operator ' +
  'loaded. A price holds until the next observation; more than 14 days without one are a gap (`coverage.gaps`), which is ' +
  'in no mean, median, percentile, `lowest_30d` or `lowest_90d`. Points within a gap repeat the last price before it. An ' +
  'answer has at most 1,000 points: beyond that, days become weeks.';

const CROSSED = 'from must not be later than to';
const responses = {
  400: {
    description: 'Times that cross, or that are more than ten years apart',
    example: { detail: CROSSED },
  },
  404: { description: 'No listing has this id', example: { detail: 'Product not found' } },
};

type Times = Pick<Static<typeof query>, 'days' | 'from' | 'to'>;

function instantOf(text: string | undefined): number | null {
  // A plus sign in a URL is a blank, and part of a time with an offset.
  return text === undefined ? null : (parseInstant(text.replace(' ', '+')) ?? parseInstant(text));
}

/** Texts that are not times, and `days` together with `from`. */
function issuesOf(times: Times): ValidationIssue[] {
  const unreadable = (['from', 'to'] as const)
    .filter((name) => times[name] !== undefined && instantOf(times[name]) === null)
    .map((name) => ({
      loc: ['query', name],
      msg: 'Input should be a valid datetime, such as 2026-05-01 or 2026-05-01T08:00:00Z',
      type: 'datetime_parsing',
    }));
  if (times.days === undefined || times.from === undefined) return unreadable;
  const msg = 'Value error, days and from exclude each other';
  return [...unreadable, { loc: ['query', 'days'], msg, type: 'value_error' }];
}

/** @throws ApiError 400 for times that do not go together. */
function windowOf(
  { days = DEFAULT_DAYS, interval = 'day', ...times }: Static<typeof query>,
  now: Date,
): Window {
  const to = instantOf(times.to) ?? now.getTime();
  const from = instantOf(times.from) ?? to - days * DAY_MS;
  if (from > to) throw badRequest(CROSSED);
  if (to - from > MAX_DAYS * DAY_MS)
    throw badRequest(`from and to must not be more than ${MAX_DAYS} days apart`);
  return { from, to, interval };
}

/** @throws ApiError 404 */
async function historyListing({ es, products }: Context, id: number): Promise<StoredListing> {
  const listing = isPossibleId(id) ? await getStoredListing(es, products, id, HISTORY_SOURCE) : null;
  if (listing === null) throw notFound('Product not found');
  return listing;
}

export const priceHistory = endpoint({
  tag: 'Prices',
  summary: 'What a listing cost, and whether its price is a good one',
  description: DESCRIPTION,
  pathParameters,
  query,
  check: issuesOf,
  responses: {
    200: { description: 'The history', schema: PriceHistorySchema, example: exampleHistory('week') },
    ...responses,
  },
  async handle(context, { path, query }) {
    const now = context.now();
    const window = windowOf(query, now);
    const listing = await historyListing(context, path.product_id);
    return { body: toPriceHistory(listing, window, now) };
  },
});

export const priceHistoryPicture = endpoint({
  tag: 'Prices',
  summary: 'The same as a picture',
  description:
    'An SVG of 720 × 260 without scripts; it fetches nothing, and is light or dark as its reader prefers. Dashed where ' +
    'nobody looked.\n\n![A price history](/docs/price-history.svg)',
  pathParameters,
  query: Type.Object({ days, from: query.properties.from, to: query.properties.to }),
  check: issuesOf,
  responses: {
    200: { description: 'The picture', content: { 'image/svg+xml': { schema: Type.String() } } },
    304: { description: 'Unchanged since the answer with the `ETag` that `If-None-Match` names' },
    ...responses,
  },
  async handle(context, { path, query }) {
    const now = context.now();
    const window = windowOf(query, now);
    const listing = await historyListing(context, path.product_id);
    return {
      headers: SVG_HEADERS,
      body: Buffer.from(priceHistorySvg(toPriceHistory(listing, window, now), listing.name)),
    };
  },
});

/** What the documents show of it. */
export const examplePicture = {
  type: SVG_HEADERS['Content-Type'],
  headers: { ...SVG_HEADERS, 'Cache-Control': 'public, max-age=86400' },
  content: priceHistorySvg(exampleHistory('day'), EXAMPLE_NAME),
};

const MAX_HISTORIES = 20;

/** So many of the longest histories are about as much work as one search. */
const HISTORIES_OF_A_SEARCH = 2;

export const priceHistories = endpoint({
  tag: 'Prices',
  summary: `The histories of up to ${MAX_HISTORIES} listings`,
  description: `Each is what \`GET /v1/products/{product_id}/price-history\` answers. ${DESCRIPTION}`,
  body: Type.Object({
    product_ids: Type.Array(Type.Integer({ description: 'Product id' }), {
      minItems: 1,
      maxItems: MAX_HISTORIES,
      description: `1 to ${MAX_HISTORIES} product ids; one that is named again counts once`,
      examples: [[4503599627370496]],
    }),
    days: Type.Optional(
      Type.Integer({ ...daysOf, default: DEFAULT_DAYS, description: 'The number of days up to now' }),
    ),
  }),
  responses: {
    200: {
      description: 'The histories, in request order',
      schema: PriceHistoriesSchema,
      example: { histories: [exampleHistory('week')] },
    },
    404: { description: 'An id that no listing has', example: { detail: 'Product not found: 12' } },
  },
  cost: ({ body }) => ({ pool: 'heavy', slots: Math.ceil(body.product_ids.length / HISTORIES_OF_A_SEARCH) }),
  async handle({ es, products, now }, { body }) {
    const at = now();
    const window = windowOf({ days: body.days }, at);
    const ids = [...new Set(body.product_ids)];
    const listings = allKnown(ids, await getStoredListings(es, products, ids, HISTORY_SOURCE));
    return { body: { histories: listings.map((listing) => toPriceHistory(listing, window, at)) } };
  },
});
