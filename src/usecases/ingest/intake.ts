import { setImmediate as turn } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { FeedError, type FeedItem, PackingError, readFeed } from '../../feeds/read/feed.js';
import type { AffiliateTemplates } from '../../listing/affiliate.js';
import { quote, readKey } from '../../listing/validate.js';
import type { Intake, IntakeResult, Taken } from '../context.js';
import { LoadError, loadFeed, type LoadOptions } from './load.js';

/** A valid record is at most a few times as long as its longest texts. */
const MAX_RECORD_BYTES = 512 * 1024;
export const MAX_RECORDS = 10_000;
const MAX_FOREIGN = 5;
const GIVE_UP_AFTER_MS = 5_000;

/** A file that is packed may be no longer than one that is not: all of it has to be looked at. */
const MAX_UNPACKED_BYTES = 10 * 1024 * 1024;

/** Between pieces so long, other requests have their turn. */
const PIECE_BYTES = 64 * 1024;

export function createIntake(where: {
  /** With deadlines for bulk work. */
  es: Client;
  indexPrefix: string;
  affiliateTemplates: AffiliateTemplates;
  now: () => Date;
  onWritten?: LoadOptions['onWritten'];
}): Intake {
  return async (body, { mayWrite, admit }) => {
    // Once to judge, without keeping a record; then to load.
    const sources = new Map<string, number>();
    const refused = await judge(body, mayWrite, sources);
    if (refused !== null) return refused;
    await admit(sources);
    const results: IntakeResult[] = [];
    const warnings = new Map<number, string[]>();
    try {
      await loadFeed({
        ...where,
        records: numbered(records(body)),
        giveUpAfterMs: GIVE_UP_AFTER_MS,
        // A partner states the prices of today; what it says of the past is not proven.
        declaredHistory: true,
        refresh: false,
        gently: true,
        onReject: ({ line: index, reasons }) => void results.push({ index, outcome: 'rejected', reasons }),
        onOutcome: (index, outcome) => void results.push({ index, outcome }),
        onUnknown: (index, names) => void warnings.set(index, warningsOf(names)),
      });
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      return { unavailable: error.cause };
    }
    for (const result of results) {
      const own = warnings.get(result.index);
      if (own !== undefined) result.warnings = own;
    }
    return { results: bounded(results.sort((a, b) => a.index - b.index)) };
  };
}

const MAX_WARNINGS = 20;
const warningsOf = (names: readonly string[]): string[] =>
  names.slice(0, MAX_WARNINGS).map((name) => `${quote(name)} is not a field of a listing and was not loaded`);

/** Once reasons and warnings of an answer have this many characters, each further record has only the first of each. */
const MAX_NOTES = 1_000_000;
/** The engine may quote a value at length. */
const MAX_NOTE = 300;

function bounded(results: IntakeResult[]): IntakeResult[] {
  let notes = 0;
  const within = (texts: readonly string[]): string[] => {
    const shown = texts
      .slice(0, notes > MAX_NOTES ? 1 : texts.length)
      .map((text) => text.slice(0, MAX_NOTE).toWellFormed());
    for (const { length } of shown) notes += length;
    return shown;
  };
  return results.map(({ reasons, warnings, ...result }) => ({
    ...result,
    ...(reasons === undefined ? {} : { reasons: within(reasons) }),
    ...(warnings === undefined ? {} : { warnings: within(warnings) }),
  }));
}

const records = (body: Buffer): AsyncGenerator<FeedItem> =>
  readFeed(pieces(body), {
    jsonAlone: true,
    document: true,
    maxRecordBytes: MAX_RECORD_BYTES,
    maxBytes: MAX_UNPACKED_BYTES,
  });

/** @param sources gets the number of records of each source that may be written. */
async function judge(
  body: Buffer,
  mayWrite: (source: string) => boolean,
  sources: Map<string, number>,
): Promise<Taken | null> {
  const foreign = new Set<string>();
  let count = 0;
  try {
    for await (const { value } of records(body)) {
      count += 1;
      if (count > MAX_RECORDS)
        return { unreadable: `more than ${MAX_RECORDS.toLocaleString('en-US')} records` };
      const source = readKey({ sku: 'any', ...(typeof value === 'object' ? value : {}) })?.source;
      if (source === undefined) continue;
      if (mayWrite(source)) sources.set(source, (sources.get(source) ?? 0) + 1);
      else if (foreign.size < MAX_FOREIGN) foreign.add(source);
    }
  } catch (error) {
    if (error instanceof PackingError) return { unsupported: error.message };
    if (error instanceof FeedError) return { unreadable: error.message };
    throw error;
  }
  if (foreign.size > 0) return { foreign: [...foreign] };
  return count === 0 ? { unreadable: 'the body holds no record' } : null;
}

async function* numbered(items: AsyncIterable<FeedItem>): AsyncGenerator<FeedItem> {
  let index = 0;
  for await (const item of items) yield { ...item, line: index++ };
}

async function* pieces(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    yield body.subarray(at, at + PIECE_BYTES);
    await turn();
  }
}
