import type { Client } from '@elastic/elasticsearch';
import { chunksOf } from '../../platform/chunks.js';
import type { StoredListing } from '../../listing/listing.js';
import type { PictureFolder } from '../../platform/pictures.js';

const FIELD = 'internal.picture';
const PICTURES_PER_QUERY = 1_000;

/** Deletes those of the pictures that no listing has any more. The index must be refreshed. */
export async function deleteUnused(
  es: Client,
  index: string,
  folder: PictureFolder,
  pictures: readonly string[],
): Promise<void> {
  for (const some of chunksOf([...new Set(pictures)], PICTURES_PER_QUERY)) {
    const { aggregations } = await es.search<unknown, { used: { buckets: { key: string }[] } }>({
      index,
      size: 0,
      query: { terms: { [FIELD]: some } },
      aggs: { used: { terms: { field: FIELD, include: some, size: some.length } } },
    });
    const used = new Set(aggregations?.used.buckets.map(({ key }) => key));
    await folder.delete(some.filter((picture) => !used.has(picture)));
  }
}

/** Deletes pictures while their folder is too full: the oldest ones of the owner with the most. Their listings lose them. */
export async function deleteExcess(es: Client, index: string, folder: PictureFolder): Promise<void> {
  while (folder.isFull) {
    // Listings with these pictures may have been written just now, and must be found by the updates.
    await es.indices.refresh({ index });
    const ofLargest = folder.tooMany(await oldestOfLargestOwner(es, index));
    const excess = ofLargest.length > 0 ? ofLargest : folder.tooMany();
    for (const some of chunksOf(excess, PICTURES_PER_QUERY)) {
      await es.updateByQuery({
        index,
        query: { terms: { [FIELD]: some } },
        script: { source: 'ctx._source.internal.picture = null' },
        conflicts: 'proceed',
      });
      await folder.delete(some);
    }
  }
}

/** The oldest pictures of the owner with the most listings that have one. An index of an earlier schema has no owners. */
async function oldestOfLargestOwner(es: Client, index: string): Promise<string[]> {
  const hasPicture = { exists: { field: FIELD } };
  const { aggregations } = await es.search<unknown, { owners: { buckets: { key: string }[] } }>({
    index,
    size: 0,
    query: hasPicture,
    aggs: { owners: { terms: { field: 'internal.owner', size: 1 } } },
  });
  const [largest] = aggregations?.owners.buckets ?? [];
  if (largest === undefined) return [];
  const { hits } = await es.search<Pick<StoredListing, 'internal'>>({
    index,
    size: PICTURES_PER_QUERY,
    query: { bool: { filter: [hasPicture, { term: { 'internal.owner': largest.key } }] } },
    sort: [{ 'internal.image.seen_at': 'asc' }, { id: 'asc' }],
    _source: [FIELD],
  });
  return hits.hits.flatMap(({ _source }) => _source?.internal.picture ?? []);
}
