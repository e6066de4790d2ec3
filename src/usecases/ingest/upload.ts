import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { Backoff } from '../../engine/backoff.js';
import { FeedError, type FeedItem, NOT_UTF8, PackingError, readFeed } from '../../feeds/read/feed.js';
import type { AffiliateTemplates } from '../../listing/product.js';
import { quote } from '../../listing/field-reader.js';
import { readKey } from '../../listing/validate.js';
import { DiskFullError } from '../../engine/errors.js';
import {
  ApiError,
  diskFull,
  invalidValue,
  notAWriter,
  unavailable,
  unsupportedCoding,
} from '../../platform/errors.js';
import { newRunId } from '../../sources/runs.js';
import type { ListingUpload, UploadChecks, UploadResult } from '../context.js';
import { type ClearedField, ClearedFields, DEFAULT_MAX_CLEARED, describeCleared } from './cleared-fields.js';
import { LoadError, loadRecords, type LoadOptions } from './load-records.js';
import { surveyRecords } from './survey.js';

/** The maximum size of one record, in bytes. The texts of a valid one are much shorter. */
const MAX_RECORD_BYTES = 512 * 1024;
const MAX_RECORDS = 10_000;
const MAX_FOREIGN = 5;
const GIVE_UP_AFTER_MS = 5_000;
/** The maximum number of records that are loaded without a check of which fields they clear. */
const UNGUARDED_RECORDS = 50;

/** The maximum size of an upload after decompression, and of one without compression. */
const MAX_UNPACKED_BYTES = 10 * 1024 * 1024;

/** The size in bytes of the pieces in which an upload is parsed. Other requests are handled between two pieces. */
const PIECE_BYTES = 64 * 1024;

export function createListingUpload(parts: {
  indexPrefix: string;
  affiliateTemplates: AffiliateTemplates;
  now: () => Date;
  onWritten?: LoadOptions['onWritten'];
  brands: LoadOptions['brands'];
  shops: LoadOptions['shops'];
}): ListingUpload {
  return async (es, body, checks) => {
    const where = { es, ...parts };
    // The body is read twice: first to check it without storing a record, then to load it.
    const counts = await countRecords(body, checks);
    await guardFields(body, counts, where, checks.maxCleared);
    await checks.chargeQuotas(counts.sources);
    const results: UploadResult[] = [];
    const warnings = new Map<number, string[]>();
    try {
      await loadRecords({
        ...where,
        records: numbered(records(body)),
        giveUpAfterMs: GIVE_UP_AFTER_MS,
        // Partners upload current prices. Past prices in an upload could not be verified.
        declaredHistory: true,
        together: checks.together,
        // For an upload, lineage records the positions of records in the body instead of line numbers.
        run: `api-${newRunId(where.now())}`,
        gently: true,
        onReject: ({ line: index, reasons }) => void results.push({ index, outcome: 'rejected', reasons }),
        onOutcome: (index, outcome) => void results.push({ index, outcome }),
        onUnknown: (index, names) => void warnings.set(index, warningsOf(names)),
      });
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      throw error.cause instanceof DiskFullError ? diskFull() : unavailable(error.cause);
    }
    for (const result of results) {
      const own = warnings.get(result.index);
      if (own !== undefined) result.warnings = own;
    }
    return bounded(results.sort((a, b) => a.index - b.index));
  };
}

/** @throws ApiError 422 if an upload would clear a field in too many listings, 503 if Elasticsearch is unavailable. */
async function guardFields(
  body: Buffer,
  { count, sources }: { count: number; sources: ReadonlyMap<string, number> },
  { es, indexPrefix, now }: { es: Client; indexPrefix: string; now: () => Date },
  maxCleared = DEFAULT_MAX_CLEARED,
): Promise<void> {
  if (count <= UNGUARDED_RECORDS) return;
  const backoff = new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS });
  const cleared = new ClearedFields({ es, indexPrefix, backoff }, { maxCleared });
  let excessive: ClearedField[];
  try {
    if (!(await cleared.areAnyStored([...sources.keys()]))) return;
    await surveyRecords(records(body), { cleared, findsRepeats: false, seenAt: now, now });
    excessive = await cleared.excessive();
  } catch (error) {
    throw unavailable(error);
  }
  if (excessive.length === 0) return;
  throw invalidValue(
    ['query', 'max_cleared'],
    `the request would clear ${describeCleared(excessive).join(' and ')}, more than ${maxCleared} per cent; nothing was loaded`,
  );
}

const MAX_WARNINGS = 20;
const warningsOf = (names: readonly string[]): string[] =>
  names.slice(0, MAX_WARNINGS).map((name) => `${quote(name)} is not a field of a listing and was not loaded`);

/** When all reasons and warnings together have this number of characters, each further record gets only one of each kind. */
const MAX_NOTES = 1_000_000;
/** The maximum length of a reason or warning, because Elasticsearch may quote long values in its errors. */
const MAX_NOTE = 300;

function bounded(results: UploadResult[]): UploadResult[] {
  let notes = 0;
  const within = (texts: readonly string[]): string[] => {
    const kept = texts
      .slice(0, notes > MAX_NOTES ? 1 : texts.length)
      .map((text) => text.slice(0, MAX_NOTE).toWellFormed());
    for (const { length } of kept) notes += length;
    return kept;
  };
  return results.map(({ reasons, warnings, ...result }) => ({
    ...result,
    ...(reasons && { reasons: within(reasons) }),
    ...(warnings && { warnings: within(warnings) }),
  }));
}

const records = (body: Buffer): AsyncGenerator<FeedItem> =>
  readFeed(pieces(body), {
    onlyJson: true,
    document: true,
    maxRecordBytes: MAX_RECORD_BYTES,
    maxBytes: MAX_UNPACKED_BYTES,
  });

/** Counts the records of an upload by source. @throws ApiError 400, 403 or 415 if the upload cannot be loaded. */
async function countRecords(body: Buffer, { mayWrite }: Pick<UploadChecks, 'mayWrite'>) {
  const sources = new Map<string, number>();
  const foreign = new Set<string>();
  let count = 0;
  try {
    for await (const { value } of records(body)) {
      count += 1;
      if (count > MAX_RECORDS) throw unreadable(`more than ${MAX_RECORDS.toLocaleString('en-US')} records`);
      const source = readKey({ sku: 'any', ...(typeof value === 'object' ? value : {}) })?.source;
      if (source === undefined) continue;
      if (mayWrite(source)) sources.set(source, (sources.get(source) ?? 0) + 1);
      else if (foreign.size < MAX_FOREIGN) foreign.add(source);
    }
  } catch (error) {
    if (error instanceof PackingError) throw unsupportedCoding(error.message);
    if (error instanceof FeedError) throw unreadable(error.message);
    throw error;
  }
  if (foreign.size > 0) throw notAWriter([...foreign]);
  if (count === 0) throw unreadable('the body contains no record');
  return { count, sources };
}

const unreadable = (reason: string) => new ApiError(400, `The body cannot be read: ${reason}`);

async function* numbered(items: AsyncIterable<FeedItem>): AsyncGenerator<FeedItem> {
  let index = 0;
  for await (const item of items) {
    // The usual reason names an option for the encoding, which uploads do not have: they must be UTF-8.
    const reason = item.error === NOT_UTF8 ? { error: 'record: is not UTF-8' } : {};
    yield { ...item, line: index++, ...reason };
  }
}

async function* pieces(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    yield body.subarray(at, at + PIECE_BYTES);
    await nextTurn();
  }
}
