import type { Client } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';

/** The fields of a search result by which the results of two indices are compared. */
export type SearchHit = Pick<StoredListing, 'id' | 'source' | 'sku' | 'name'>;

/** Returns the first page of a text search as the service would answer it from this index. */
export type FirstPage = (index: string, query: string) => Promise<SearchHit[]>;

/** Returns the ids of random listings of an index that were written up to a sequence number. */
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

export interface SampledVersion {
  version: number;
  listing: StoredListing;
}

/** Returns listings with their versions in the order of the ids; null for a listing that does not exist. */
export async function readVersions(
  es: Client,
  index: string,
  ids: string[],
): Promise<(SampledVersion | null)[]> {
  const { docs } = await es.mget<StoredListing>({ index, ids });
  return docs.map((doc) => {
    if ('error' in doc) throw new Error(`${index} cannot be read: ${doc.error.type}`);
    return doc.found && doc._source !== undefined
      ? { version: doc._version ?? 0, listing: doc._source }
      : null;
  });
}
