import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { searchStored } from '../../engine/pages.js';
import { reasonsOf } from '../../listing/flags.js';
import { flaggedSelection, qualityRequest } from '../../engine/queries/quality.js';
import { pageFrame } from '../../usecases/shared/page.js';
import { toProduct } from '../../listing/to-product.js';
import { type AssessedSources, toQuality } from '../../usecases/quality/assessment.js';
import { filterParameters } from '../../schemas/filters.js';
import { FLAG_NAMES } from '../../schemas/flags.js';
import { paging } from '../../schemas/page.js';
import { FlaggedPageSchema, QualitySchema } from '../../schemas/quality.js';
import { checkSchema } from '../../usecases/shared/filters.js';
import { checkOffset, costOfList } from '../../usecases/shared/paging.js';
import { Enum } from '../../schemas/types.js';

const { source, platform } = filterParameters;

/** Ages are told from the last full minute on, so that what many ask for is worked out once. */
const MINUTE_MS = 60_000;

const SETTLED =
  'Flags that depend on other listings (prices beside the other offers of the product, GTINs that another brand has, ' +
  'duplicates) are updated after each `npm run ingest`, by `npm run quality`, and for listings that were sent to ' +
  '`POST /v1/listings` some seconds later.';

export const quality = endpoint({
  tag: 'Listings',
  summary: 'How far the listings of each source can be trusted',
  description: SETTLED,
  query: Type.Object({ source, platform }),
  cost: () => ({ pool: 'heavy', slots: 1 }),
  responses: { 200: { description: 'All sources, or those asked for', schema: QualitySchema } },
  async handle(context, { query }) {
    const { es, products, now } = context;
    const minute = new Date(Math.floor(now().getTime() / MINUTE_MS) * MINUTE_MS);
    await checkSchema(context, ['quality']);
    const request = { index: products, ...qualityRequest(query, minute) };
    const { aggregations } = await es.search<unknown, AssessedSources>(request);
    if (aggregations === undefined) throw new Error('the engine left the aggregations out');
    return { body: toQuality(aggregations) };
  },
});

export const flagged = endpoint({
  tag: 'Listings',
  summary: 'Listings that something may be wrong with, and why',
  description:
    '`price_placeholder`: a twentieth or less of its own median of 90 days, or of that of the other offers, or a value of ' +
    '2.00 or less that 2 % of the source’s listings share. `price_outlier`: beyond four times the median of the product’s ' +
    'offers, either way, from three sources or more. `gtin_check`: a wrong check digit. `gtin_conflict`: more listings of ' +
    'another brand have the GTIN. `duplicate`: the same source, name and price. `stale`: not checked for 7 days. The others ' +
    `are missing, or a name of fewer than ten letters. By id. ${SETTLED}`,
  pathParameters: Type.Object({ flag: Enum(FLAG_NAMES, { description: 'What may be wrong' }) }),
  query: Type.Object({ source, platform, ...paging(20) }),
  cost: ({ query: { limit = 20, offset = 0 } }) => costOfList({ limit, offset }),
  responses: {
    200: { description: 'A page of listings with their reasons', schema: FlaggedPageSchema },
    400: { description: 'An offset past the last page' },
  },
  async handle(context, { path: { flag }, query }) {
    const { es, products, config, now } = context;
    const { limit = 20, offset = 0 } = query;
    checkOffset(offset);
    await checkSchema(context, ['quality']);
    const at = now();
    const selection = flaggedSelection(flag, query, at);
    const { total, listings } = await searchStored(es, products, selection, { limit, offset });
    const items = listings.map((listing) => ({
      ...toProduct(listing, config),
      reason: reasonsOf(listing, at)[flag] ?? 'changed since it was found',
    }));
    const frame = pageFrame({ total, items: items.length }, { limit, offset });
    return { body: { ...frame, items }, event: { results: total } };
  },
});
