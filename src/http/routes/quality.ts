import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { filterParameters } from '../../engine/queries/filters.js';
import { includeParameter, ListedProductSchema } from '../../schemas/include.js';
import { offsetTooLarge, paging, SearchPageSchema } from '../../schemas/page.js';
import { AssessmentSchema, FLAG_NAMES } from '../../schemas/quality.js';
import { component, Enum, integer, listOf, text } from '../../schemas/types.js';
import { listFlagged, reportQuality } from '../../usecases/quality/report.js';

const QualitySchema = component('Quality', 'The data quality of the listings', {
  all: AssessmentSchema,
  sources: listOf(
    component('SourceQuality', { source: text('Source platform code'), ...AssessmentSchema.properties }),
    'Each source, sorted by the number of listings, the highest first',
  ),
  total: integer('The number of sources'),
});

const FlaggedPageSchema = component('FlaggedPage', 'One page of listings with a quality flag', {
  ...SearchPageSchema.properties,
  items: Type.Array(
    component('Flagged', 'A listing with a quality flag', {
      ...ListedProductSchema.properties,
      reason: text('Why the listing has the flag'),
    }),
  ),
});

const { source, platform } = filterParameters;

const UPDATES =
  'Some flags depend on other listings: prices compared with other offers of the product, GTINs that another brand has, and ' +
  'duplicates. They are updated after each `npm run ingest`, a few seconds after listings are sent to `POST /v1/listings`, and ' +
  'once a day for all listings.';

export const quality = endpoint({
  tag: 'Listings',
  summary: 'Report the data quality of each source',
  description: UPDATES,
  query: Type.Object({ source, platform }),
  responses: { 200: { description: 'All sources, or the requested ones', schema: QualitySchema } },
  handle: (context, { query }) => reportQuality(context, query),
});

export const flagged = endpoint({
  tag: 'Listings',
  summary: 'List the listings with a quality flag',
  description:
    'Listings are sorted by id. The flags are: `price_placeholder`: the price is at most 5 % of the listing’s own median price of ' +
    'the 90 days before, or of the median price of the product; or it is at most 2.00, and at least three listings and 2 % of the ' +
    'listings of the source have the same price. `price_outlier`: the price is above four times or below a quarter of the median ' +
    'price of the product. The median price of a product is that of its shops, of which at least three are needed; several sources of ' +
    'one shop count once. `price_disputed`: the product has two shops, and the price is as far from that of the other one. ' +
    '`price_low`: the price is below half of the median price of the product. ' +
    '`gtin_check`: the check digit of the GTIN is wrong. `gtin_conflict`: at least as many shops use the GTIN for another brand. `duplicate`: ' +
    'another listing of the source has the same name, price and currency. `condition_conflict`: the feed states new, and the name says ' +
    'used or refurbished. `stale`: last seen more than 7 days ago. `no_brand`, ' +
    '`no_category`, `no_image`, `no_price`: the field is missing. `short_name`: the name has fewer than ten letters and digits; a ' +
    `Chinese or Japanese character counts as three. ${UPDATES}`,
  pathParameters: Type.Object({ flag: Enum(FLAG_NAMES, { description: 'The quality flag' }) }),
  query: Type.Object({ source, platform, include: includeParameter(), ...paging(20) }),
  responses: {
    200: { description: 'A page of listings, each with the reason for the flag', schema: FlaggedPageSchema },
    400: offsetTooLarge,
  },
  handle: (context, { path, query }) => listFlagged(context, path.flag, query),
});
