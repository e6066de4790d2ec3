import { Type } from 'typebox';
import { failure } from '../../schemas/errors.js';
import { endpoint } from '../endpoint.js';
import { includeMember, includeParameter } from '../../schemas/include.js';
import { IntervalSchema, PriceHistoriesSchema, PriceHistorySchema } from '../../schemas/price-history.js';
import { countParameter, documentedAs, ListedId, optional } from '../../schemas/types.js';
import { EXAMPLE_NAME, exampleHistory } from '../../usecases/price-history/example.js';
import {
  CROSSED_TIMES,
  DEFAULT_DAYS,
  drawPriceHistory,
  getPriceHistories,
  getPriceHistory,
  historyIssues,
  MAX_DAYS,
} from '../../usecases/price-history/get-price-history.js';
import { noSuchProduct, productPath } from '../../products/product-ids.js';
import { priceHistorySvg, SVG_HEADERS } from '../../usecases/price-history/svg.js';

const TIME =
  'ISO 8601: a date (`2026-05-01`, which means midnight) or a date and time (`2026-05-01T08:00:00Z`), in UTC unless it has an offset';

/** The documented pattern is not validated, because a time in another form is reported as `datetime_parsing`. */
const timeParameter = (description: string) =>
  Type.Optional(
    documentedAs(Type.String({ maxLength: 64, description }), {
      pattern:
        '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])' +
        '([Tt ]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d([.]\\d{1,9})?)?([Zz]|[+-]([01]\\d|2[0-3]):?[0-5]\\d)?)?$',
    }),
  );

// The schema states no default, because `historyIssues` has to know whether the request has `days`.
const days = optional.Integer({
  minimum: 1,
  maximum: MAX_DAYS,
  description: `The number of days before \`to\`; ${DEFAULT_DAYS} by default. It cannot be combined with \`from\``,
});
const from = timeParameter(
  `The start, inclusive, at most ${MAX_DAYS} days before \`to\`. It cannot be combined with \`days\`. ${TIME}`,
);
const to = timeParameter(`The end, inclusive; the current time by default. ${TIME}`);

const DESCRIPTION =
  'The history consists of the prices in the listing’s current currency that this service observed or that its operator loaded. ' +
  'A price counts until the next observation. If there is none for more than 14 days, the time until it is a gap: it is listed in ' +
  '`coverage.gaps`, and excluded from mean, median and percentile; points within it repeat the last price. `lowest`, `highest`, ' +
  '`lowest_30d` and `lowest_90d` exclude its price unless it was observed in their period. A history has at most 1,000 points: more days are combined into weeks, and of more `raw` points the latest are returned.';

const responses = {
  400: {
    description: `\`from\` is later than \`to\`, or more than ${MAX_DAYS} days before it`,
    example: { detail: CROSSED_TIMES },
  },
  404: noSuchProduct,
};

/** An example with few points, because the document is limited in size. */
const history = exampleHistory('week');
const example = { ...history, points: history.points.slice(-3) };

export const priceHistory = endpoint({
  tag: 'Prices',
  summary: 'Retrieve the price history of a listing, with a verdict on its current price',
  description: DESCRIPTION,
  pathParameters: productPath,
  query: Type.Object({
    days,
    from,
    to,
    interval: Type.Optional(IntervalSchema),
    include: includeParameter(),
  }),
  check: historyIssues,
  responses: { 200: { description: 'The price history', schema: PriceHistorySchema, example }, ...responses },
  handle: (context, { path, query }) => getPriceHistory(context, path.product_id, query),
});

export const priceHistoryPicture = endpoint({
  tag: 'Prices',
  summary: 'Retrieve the price history of a listing as an image',
  description:
    'An SVG image of 720 × 260 pixels without scripts and external resources. It follows the light or dark colour scheme of the ' +
    'viewer. Gaps without observations are dashed.\n\n![A price history](/docs/price-history.svg)',
  pathParameters: productPath,
  query: Type.Object({ days, from, to }),
  check: historyIssues,
  responses: {
    200: { description: 'The image', content: { 'image/svg+xml': { schema: Type.String() } } },
    304: { description: 'The image has not changed since the response whose `ETag` is in `If-None-Match`' },
    ...responses,
  },
  handle: (context, { path, query }) => drawPriceHistory(context, path.product_id, query),
});

export const examplePicture = {
  type: SVG_HEADERS['Content-Type'],
  headers: { ...SVG_HEADERS, 'Cache-Control': 'public, max-age=86400' },
  content: priceHistorySvg(exampleHistory('day'), EXAMPLE_NAME),
};

const MAX_HISTORIES = 20;

export const priceHistories = endpoint({
  tag: 'Prices',
  summary: `Retrieve the price histories of up to ${MAX_HISTORIES} listings`,
  description: `Each history is the same as that of \`GET /v1/products/{product_id}/price-history\` with \`interval=day\`. ${DESCRIPTION}`,
  body: Type.Object({
    product_ids: Type.Array(ListedId, {
      minItems: 1,
      maxItems: MAX_HISTORIES,
      description: `1 to ${MAX_HISTORIES} product ids. Repeated ids are ignored`,
      examples: [[4503599627370496]],
    }),
    days: countParameter(MAX_DAYS, DEFAULT_DAYS, 'The number of days before the current time'),
    include: includeMember,
  }),
  responses: {
    200: { description: 'The price histories, in request order', schema: PriceHistoriesSchema },
    404: failure('At least one of the ids does not exist', 'Product not found: 12'),
  },
  handle: (context, { body }) => getPriceHistories(context, body),
});
