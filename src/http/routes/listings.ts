import { Type } from 'typebox';
import { writableSources } from '../../platform/access/scopes.js';
import type { Taken } from '../../usecases/context.js';
import { endpoint } from '../endpoint.js';
import { DiskFullError } from '../../engine/unavailable.js';
import {
  ApiError,
  diskFull,
  invalid,
  notAWriter,
  unavailable,
  unsupportedCoding,
} from '../../platform/errors.js';
import { Enum } from '../../schemas/types.js';

const OUTCOMES = {
  created: 'new',
  price_moved: 'its price moved',
  changed: 'changed otherwise',
  checked: 'seen again',
  history: 'older than what is known: for the price history alone',
  unchanged: 'as it was',
  repeated: 'a later record of the same listing counts',
  rejected: 'not loaded, see `reasons`',
};

const ResultSchema = Type.Object({
  index: Type.Integer({ description: 'Which record of the request, from 0', minimum: 0 }),
  outcome: Enum(Object.keys(OUTCOMES), {
    description: Object.entries(OUTCOMES)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join('; '),
  }),
  reasons: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Why it was rejected: the first 20 reasons, each of at most 300 characters. Once the reasons and warnings of an ' +
        'answer exceed 1,000,000 characters, each further record has only its first reason',
      maxItems: 20,
    }),
  ),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'What was ignored in it: members that a listing does not have. The first 20, bounded as `reasons` are',
      maxItems: 20,
    }),
  ),
});

const LoadedSchema = Type.Object(
  {
    records: Type.Integer({ description: 'How many records the request held' }),
    rejected: Type.Integer({ description: 'How many of them did not land' }),
    results: Type.Optional(
      Type.Array(ResultSchema, {
        description:
          'One for each record, in their order; left out where an earlier request is answered again',
      }),
    ),
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

const MAX_KEY = 200;

/** A name of the client's for one request. @throws ApiError 422 */
function idempotencyName(name: string | undefined): string | undefined {
  if (name === undefined || (name.length <= MAX_KEY && name !== '')) return name;
  const msg = `The header Idempotency-Key should have 1 to ${MAX_KEY} characters`;
  throw invalid([{ loc: ['header', 'Idempotency-Key'], msg, type: 'string_too_long' }]);
}

export const writeListings = endpoint({
  tag: 'Listings',
  summary: 'Load listings of a source that the key may write',
  description:
    'For small partners: records as `npm run ingest` takes them, as NDJSON or a JSON array, plain or gzip, at most 10 MB ' +
    'unpacked and 10,000 records, for keys with a scope `write:SOURCE`. A rejected record does not keep the others from ' +
    'being loaded; a record of another source refuses the whole request. Searches find the listings within a second ' +
    'or so. Their flags follow some seconds later, those of related listings included, and so do suggestions of new brands, ' +
    'categories and models; suggestions of words in names follow when the operator next makes all suggestions. Counts in a ' +
    'window of its own, of 30 requests a minute, and against daily quotas of each source (`/v1/usage`). With ' +
    '`Idempotency-Key`, the same request again within a day is not loaded again. What a record says of the past is stored as ' +
    'declared, and no deal, statistic or flag uses it: `price_history`, and a price whose `last_checked` is more than a ' +
    'day old or earlier than what the listing shows.',
  upload: { types: ['application/x-ndjson', 'application/json'] },
  responses: {
    200: {
      description: 'What became of each record',
      schema: LoadedSchema,
      headers: {
        'Idempotency-Replayed': {
          description: 'Whether this answers an earlier request again',
          schema: { type: 'string', enum: ['true', 'false'] },
        },
      },
    },
    400: { description: 'The body as a whole cannot be read: it is cut off, or holds no record or too many' },
    403: {
      description: 'The key may not write, or not this source; nothing was loaded',
      example: { detail: 'This key may not write listings of shop_b; nothing was loaded' },
    },
    415: {
      description:
        'The body is not JSON, or its compression is not accepted. `Accept-Encoding` lists the accepted content codings; a ' +
        'file compressed with gzip is accepted as the body, too. zstd, zip archives and workbooks are not',
      example: { detail: 'Only plain or gzip JSON is read here, not zstd, zip archives or workbooks.' },
      headers: {
        'Accept-Encoding': {
          description: 'The accepted content codings, where the compression was refused',
          schema: { type: 'string' },
        },
      },
    },
    409: {
      description: 'The same `Idempotency-Key` is under way',
      example: { detail: 'A request with this Idempotency-Key is under way' },
    },
  },
  cost: () => ({ pool: 'load', slots: 1 }),
  async handle({ intake, access, now }, _input, { key, upload, idempotencyKey }) {
    const sources = key === null ? new Set<string>() : writableSources(key);
    if (key === null || upload === null) throw notAWriter();
    const name = idempotencyName(idempotencyKey);
    const admission = {
      mayWrite: (source: string) => sources.has(source),
      admit: (counts: ReadonlyMap<string, number>) =>
        access.quotas.charge(key, { sources: counts, bytes: upload.length, now: now() }),
    };
    const load = async () => resultsOf(await intake(upload, admission));
    const count = (results: Results) => ({
      records: results.length,
      rejected: results.filter(({ outcome }) => outcome === 'rejected').length,
    });
    if (name === undefined) {
      const results = await load();
      return { headers: replay(false), body: { ...count(results), results } };
    }
    let results: Results | undefined;
    const { outcome, replayed } = await access.idempotency.once(
      { keyId: key.id, name, content: upload },
      async () => {
        results = await load();
        // Without the results: what is kept of each request has to be short.
        return count(results);
      },
    );
    return { headers: replay(replayed), body: { ...outcome, ...(results === undefined ? {} : { results }) } };
  },
});

const replay = (replayed: boolean) => ({ 'Idempotency-Replayed': String(replayed) });

type Results = Extract<Taken, { results: unknown }>['results'];

/** @throws ApiError where nothing was loaded, or not all. */
function resultsOf(taken: Taken): Results {
  if ('foreign' in taken) throw notAWriter(taken.foreign);
  if ('unreadable' in taken) throw new ApiError(400, `The body cannot be read: ${taken.unreadable}`);
  if ('unsupported' in taken) throw unsupportedCoding(taken.unsupported);
  if ('unavailable' in taken) {
    const { unavailable: cause } = taken;
    throw cause instanceof DiskFullError ? diskFull() : unavailable(cause);
  }
  return taken.results;
}
