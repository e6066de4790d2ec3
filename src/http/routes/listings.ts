import { Type } from 'typebox';
import { failure } from '../../schemas/errors.js';
import { endpoint, header } from '../endpoint.js';
import { UPLOAD_FORMATS } from '../../feeds/read/feed.js';
import { EnumOf, integer, listOf, optional } from '../../schemas/types.js';
import { DEFAULT_MAX_CLEARED } from '../../usecases/ingest/cleared-fields.js';
import { writeListings } from '../../usecases/write-listings.js';

const OUTCOMES = {
  created: 'a new listing',
  price_moved: 'the price of the listing changed',
  price_cleared: 'the listing had a price, and the record states none',
  changed: 'something other than the price changed',
  checked: 'only the time of the last check changed',
  history: 'the record is older than the listing, and was added to its price history only',
  unchanged: 'nothing changed',
  repeated: 'a later record of the request replaces this one',
  rejected: 'the record was not loaded; see `reasons`',
};

const ResultSchema = Type.Object({
  index: Type.Integer({ description: 'The position of the record in the request, from 0', minimum: 0 }),
  outcome: EnumOf<string>(OUTCOMES),
  reasons: optional.Array(Type.String(), {
    description:
      'Why the record was rejected: the first 20 reasons, of at most 300 characters each. Once the reasons and warnings of a ' +
      'response exceed 1,000,000 characters, only the first reason of each further record is returned',
    maxItems: 20,
  }),
  warnings: optional.Array(Type.String(), {
    description:
      'Members of the record that were ignored because they are not fields of a listing. Limited in the same way as `reasons`',
    maxItems: 20,
  }),
});

const LoadedSchema = Type.Object(
  {
    records: integer('The number of records in the request'),
    rejected: integer('The number of records that were rejected'),
    results: listOf(
      ResultSchema,
      'The outcome of each record, in request order. If a response was larger than 64 kB, its replay contains only rejected ' +
        'records, at most 1,000',
    ),
    results_truncated: optional.flag('true if `results` contains only rejected records; otherwise absent'),
  },
  {
    $id: 'Loaded',
    examples: [
      {
        records: 2,
        rejected: 1,
        results: [
          {
            index: 0,
            outcome: 'price_moved',
            warnings: ['"colour" is not a field of a listing and was not loaded'],
          },
          { index: 1, outcome: 'rejected', reasons: ['price: "free" is not a positive decimal number'] },
        ],
      },
    ],
  },
);

const MEDIA_TYPES = UPLOAD_FORMATS.map(({ mediaType }) => mediaType);

export const writeListingsRoute = endpoint({
  tag: 'Listings',
  summary: 'Create or update listings of a source',
  description:
    'For keys with the scope `write:SOURCE`. The body contains the same records as a feed of `npm run ingest`, as ' +
    `${UPLOAD_FORMATS.map(({ name }) => name).join(' or as ')}, optionally compressed with gzip: ` +
    'at most 10 MB uncompressed, 10,000 records, and 512 kB per record. A rejected record does not ' +
    'affect the others, but a record of a source that the key may not write rejects the whole request. ' +
    'Searches find the listings after about one second. A few seconds later, the flags of these and related listings are updated, and ' +
    'suggestions of new brands, categories and models are added; suggestions of phrases follow when the operator rebuilds them. ' +
    'Requests count in a separate rate limit window of 30 requests per minute, and against the daily quotas of each source ' +
    '(see `GET /v1/usage`). A request that repeats an `Idempotency-Key` within 24 hours is answered as before and not loaded again. ' +
    'Past prices (`price_history`, and a price whose `last_checked` is more than a day old or earlier than that of the ' +
    'listing) are stored as declared; deals, statistics and flags do not use them.',
  query: Type.Object({
    max_cleared: optional.Decimal({
      minimum: 0,
      maximum: 100,
      default: DEFAULT_MAX_CLEARED,
      description:
        'For requests with more than fifty records: the maximum share, in percent, of the listings of a source with a price ' +
        'that may lose it; likewise the availability, URL, picture, brand, category and currency, and the list price if no ' +
        'record states one. Otherwise the response is 422, and nothing was loaded. 100 allows everything. Listings that are unavailable and not in the request do not count, and ' +
        'one or two listings may always lose a field, unless the share is 0',
    }),
  }),
  upload: { types: MEDIA_TYPES },
  idempotent: true,
  responses: {
    200: { description: 'The outcome of each record', schema: LoadedSchema },
    400: failure(
      'The body cannot be read: it is truncated, has no records, or has too many',
      'The body cannot be read: the body contains no record',
    ),
    403: failure(
      'The key may not write listings, or not those of this source; nothing was loaded',
      'This key may not write listings of shop_b; nothing was loaded',
    ),
    415: {
      description:
        'The body is not JSON, or its compression is not supported. `Accept-Encoding` lists the supported content codings. A gzip ' +
        'file without `Content-Encoding` is accepted as well; zstd, zip archives and workbooks are not',
      example: { detail: 'Only plain or gzip JSON is read here, not zstd, zip archives or workbooks.' },
      headers: { 'Accept-Encoding': header('The supported content codings, if the compression was refused') },
    },
  },
  pool: 'load',
  handle: (context, { query }, caller) => writeListings(context, query, caller),
});
