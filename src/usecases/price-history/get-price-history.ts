import type { Context } from '../context.js';
import { getStoredListings } from '../../engine/documents.js';
import { dealOf } from '../../listing/deals.js';
import { DAY_MS, parseInstant } from '../../listing/instant.js';
import { includedFields, includedIn } from '../../products/included.js';
import type { StoredListing } from '../../listing/listing.js';
import {
  type HistoryInterval,
  type HistoryWindow,
  POSITION_DAYS,
  priceHistory,
} from '../../listing/price-history.js';
import { badRequest, type ValidationIssue, valueIssue } from '../../platform/errors.js';
import type { Include } from '../../schemas/include.js';
import type { PriceHistoryWithDeal } from '../../schemas/price-history.js';
import { checkInclude } from '../../products/list-requests.js';
import { allKnown, knownListing } from '../../products/product-ids.js';
import { priceHistorySvg, SVG_HEADERS } from './svg.js';

interface HistoryQuery {
  days?: number;
  from?: string;
  to?: string;
  interval?: HistoryInterval;
  include?: Include;
}

export const DEFAULT_DAYS = POSITION_DAYS;
export const MAX_DAYS = 3_650;

export const CROSSED_TIMES = 'from must not be later than to';

/** Reports validation errors: times that cannot be parsed, and the parameter `days` together with `from`. */
export function historyIssues(query: HistoryQuery): ValidationIssue[] {
  const unparsed = (['from', 'to'] as const)
    .filter((name) => query[name] !== undefined && timeOf(query[name]) === null)
    .map((name) => ({
      loc: ['query', name],
      msg: 'Input should be a valid datetime, such as 2026-05-01 or 2026-05-01T08:00:00Z',
      type: 'datetime_parsing',
    }));
  if (query.days === undefined || query.from === undefined) return unparsed;
  return [...unparsed, valueIssue(['query', 'days'], 'days cannot be combined with from')];
}

/** Returns the price history of a listing. @throws ApiError 400 for an invalid time window, 404 for an unknown id. */
export async function getPriceHistory(context: Context, id: number, query: HistoryQuery) {
  const { history } = await historyOf(context, id, query);
  return { body: history };
}

/** Draws the price history of a listing as an SVG image. @throws ApiError as `getPriceHistory` does. */
export async function drawPriceHistory(
  context: Context,
  id: number,
  query: Omit<HistoryQuery, 'interval' | 'include'>,
) {
  const { history, name } = await historyOf(context, id, query);
  return { headers: SVG_HEADERS, body: Buffer.from(priceHistorySvg(history, name)) };
}

/** Returns the price histories in the order of the ids. @throws ApiError 404 for unknown ids. */
export async function getPriceHistories(
  context: Context,
  { product_ids, days, include }: { product_ids: number[]; days?: number; include?: Include },
) {
  await checkInclude(context, include);
  const { es, products, now } = context;
  const at = now();
  const window = windowOf({ days }, at);
  const ids = [...new Set(product_ids)];
  const listings = allKnown(ids, await getStoredListings(es, products, ids, fieldsFor(include)));
  const histories = listings.map((listing) => ({
    ...toPriceHistory(listing, window, at),
    ...includedIn(listing, include, context),
  }));
  return { body: { histories } };
}

async function historyOf(context: Context, id: number, query: HistoryQuery) {
  await checkInclude(context, query.include);
  const at = context.now();
  const window = windowOf(query, at);
  const listing = await knownListing(context, id, fieldsFor(query.include));
  const included = includedIn(listing, query.include, context);
  return { history: { ...toPriceHistory(listing, window, at), ...included }, name: listing.name };
}

/** Returns the requested time window. @throws ApiError 400 if `from` is after `to`, or if the window is too long. */
function windowOf(query: HistoryQuery, now: Date): HistoryWindow {
  const { days = DEFAULT_DAYS, interval = 'day' } = query;
  const to = timeOf(query.to) ?? now.getTime();
  const from = timeOf(query.from) ?? to - days * DAY_MS;
  if (from > to) throw badRequest(CROSSED_TIMES);
  if (to - from > MAX_DAYS * DAY_MS)
    throw badRequest(`from and to must not be more than ${MAX_DAYS} days apart`);
  return { from, to, interval };
}

function timeOf(text: string | undefined): number | null {
  // In a query string, an unescaped plus sign of a time zone offset is decoded as a blank.
  return text === undefined ? null : (parseInstant(text.replace(' ', '+')) ?? parseInstant(text));
}

export function toPriceHistory(
  listing: StoredListing,
  window: HistoryWindow,
  now: Date,
): PriceHistoryWithDeal {
  const { coverage, ...history } = priceHistory(listing, window, now);
  return { ...history, deal: dealOf(listing, now), coverage };
}

const fieldsFor = (include: Include = []): string[] => [...HISTORY_FIELDS, ...includedFields(include)];

const HISTORY_FIELDS = [
  ...['id', 'name', 'price', 'currency', 'last_checked'],
  ...['price_history', 'price_from', 'observed_at', 'first_observed_at'].map((name) => `internal.${name}`),
  ...['list_price', 'price_units', 'reference_units', 'flags', 'judged'].map((name) => `internal.${name}`),
  ...['observed_discount', 'declared_discount'].map((name) => `internal.${name}`),
];
