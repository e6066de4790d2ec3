import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@elastic/elasticsearch';
import { listingFor } from '../../src/listing/derived.js';
import { schemaVersionOf } from '../../src/engine/schema-version.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { writtenAfter } from './copy.js';

const PAGE = 250;
const MOST_RECENT = 1_000;

/** Ids of random listings of an index that were written up to a sequence number. */
export async function sampleIds(
  es: Client,
  index: string,
  { size, seed, upTo }: { size: number; seed: number; upTo: number },
): Promise<string[]> {
  const { hits } = await es.search({
    index,
    size,
    query: {
      function_score: {
        query: { range: { _seq_no: { lte: upTo } } },
        functions: [{ random_score: { seed, field: '_seq_no' } }],
      },
    },
    _source: false,
    track_total_hits: false,
  });
  return hits.hits.flatMap(({ _id }) => _id ?? []);
}

/** Ids of listings that were written after a sequence number, up to a thousand. */
export async function recentIds(es: Client, index: string, after: number): Promise<string[]> {
  const { hits } = await es.search({
    index,
    size: MOST_RECENT,
    query: writtenAfter(after),
    _source: false,
    track_total_hits: false,
  });
  return hits.hits.flatMap(({ _id }) => _id ?? []);
}

/** @returns what is wrong, for people; nothing: both have as many listings. */
export async function compareCounts(es: Client, from: string, to: string): Promise<string[]> {
  const [before, after] = await Promise.all([from, to].map((index) => es.count({ index })));
  return before?.count === after?.count
    ? []
    : [`${from} has ${before?.count} listings, ${to} has ${after?.count}`];
}

/** Compares listings field by field as the new index's schema has them, and their versions. @returns what is wrong, for people. */
export async function compareListings(
  es: Client,
  from: string,
  to: string,
  ids: readonly string[],
): Promise<string[]> {
  const findings: string[] = [];
  const [schema, todays] = await Promise.all([from, to].map((index) => schemaVersionOf(es, index)));
  const expected = ({ listing, version }: Read): Read => ({
    version,
    listing: schema === todays || todays === undefined ? listing : listingFor(todays, listing),
  });
  for (let start = 0; start < ids.length; start += PAGE) {
    const page = ids.slice(start, start + PAGE);
    const [before, after] = await Promise.all([from, to].map((index) => read(es, index, page)));
    for (const [position, id] of page.entries()) {
      const old = before?.[position];
      const difference = compare(old ? expected(old) : old, after?.[position]);
      if (difference !== null) findings.push(`listing ${id}: ${difference}`);
    }
  }
  return findings;
}

interface Read {
  version: number;
  listing: StoredListing;
}

async function read(es: Client, index: string, ids: string[]): Promise<(Read | null)[]> {
  const { docs } = await es.mget<StoredListing>({ index, ids });
  return docs.map((doc) => {
    if ('error' in doc) throw new Error(`${index} cannot be read: ${doc.error.type}`);
    return doc.found && doc._source !== undefined
      ? { version: doc._version ?? 0, listing: doc._source }
      : null;
  });
}

/** The order of the fields counts: answers show it. */
function compare(before: Read | null | undefined, after: Read | null | undefined): string | null {
  if (!before || !after) return before || after ? 'is in one index alone' : null;
  if (before.version !== after.version) return `version ${before.version} became ${after.version}`;
  if (JSON.stringify(before.listing) === JSON.stringify(after.listing)) return null;
  const fields = Object.keys(before.listing) as (keyof StoredListing)[];
  const differs = fields.find((field) => !isDeepStrictEqual(before.listing[field], after.listing[field]));
  return differs === undefined ? 'its fields differ in number or order' : `${differs} differs`;
}
