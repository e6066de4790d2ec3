import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@elastic/elasticsearch';
import { schemaVersionOf } from '../../engine/index-versions.js';
import { listingFor, withoutComputed } from '../../listing/derived.js';
import type { ListingInternals, StoredListing } from '../../listing/listing.js';
import { type SampledVersion, readVersions } from '../../engine/index-samples.js';
import { unknownFields, writtenAfter } from './copy.js';
import { chunksOf } from '../../platform/chunks.js';

const PAGE = 250;
const MOST_RECENT = 1_000;

/** Returns the ids of at most 1,000 listings of an index that were written after a sequence number. */
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

/** Compares the number of listings. @returns a finding for the operator if the numbers differ. */
export async function compareCounts(es: Client, from: string, to: string): Promise<string[]> {
  const [before, after] = await Promise.all([from, to].map((index) => es.count({ index })));
  return before?.count === after?.count
    ? []
    : [`${from} has ${before?.count} listings, ${to} has ${after?.count}`];
}

/**
 * Compares listings of two indices by their versions and fields: converted to the schema of the new index or, if that is an
 * earlier one, without the fields that a copy leaves out. @returns findings for the operator.
 */
export async function compareListings(es: Client, from: string, to: string, ids: readonly string[]) {
  const findings: string[] = [];
  const [schema, target] = await Promise.all([schemaVersionOf(es, from), schemaVersionOf(es, to)]);
  const leftOut = new Set(await unknownFields(es, from, to));
  const expected = ({ listing, version }: SampledVersion): SampledVersion => ({
    version,
    listing: schema < target ? listingFor(target, listing) : without(leftOut, listing),
  });
  for (const page of chunksOf(ids, PAGE)) {
    const [before, after] = await Promise.all([from, to].map((index) => readVersions(es, index, page)));
    for (const [position, id] of page.entries()) {
      const old = before?.[position];
      const difference = compare(old ? expected(old) : old, after?.[position]);
      if (difference !== null) findings.push(`listing ${id}: ${difference}`);
    }
  }
  return findings;
}

const without = (fields: ReadonlySet<string>, { internal, ...product }: StoredListing): StoredListing => ({
  ...product,
  internal: Object.fromEntries(
    Object.entries(internal).filter(([field]) => !fields.has(`internal.${field}`)),
  ) as unknown as ListingInternals,
});

/**
 * Compares a listing of two indices, with its computed fields only if the same version of the service computed them in both. The
 * order of the fields counts, because responses have it. @returns how they differ; null if they are equal.
 */
function compare(before: SampledVersion | null | undefined, after: SampledVersion | null | undefined) {
  if (!before || !after) return before || after ? 'is in one index only' : null;
  if (before.version !== after.version) return `version ${before.version} became ${after.version}`;
  const { derivation } = before.listing.internal;
  const isComparable = derivation !== undefined && derivation === after.listing.internal.derivation;
  const fieldsOf = ({ listing }: SampledVersion): object => {
    const { internal, ...product } = isComparable ? listing : withoutComputed(listing);
    return { ...product, ...prefixed(internal) };
  };
  const [old, copied] = [fieldsOf(before), fieldsOf(after)];
  if (JSON.stringify(old) === JSON.stringify(copied)) return null;
  const values = new Map(Object.entries(copied));
  const differs = Object.entries(old).find(([field, value]) => !isDeepStrictEqual(value, values.get(field)));
  return differs === undefined ? 'its fields differ in number or order' : `${differs[0]} differs`;
}

const prefixed = (internal: object): object =>
  Object.fromEntries(Object.entries(internal).map(([field, value]) => [`internal.${field}`, value]));
