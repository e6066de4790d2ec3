import type { Client } from '@elastic/elasticsearch';
import { chunksOf } from '../../platform/chunks.js';
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

/** Deletes the oldest pictures if the folder is full. Their listings then have no picture. */
export async function deleteOldest(es: Client, index: string, folder: PictureFolder): Promise<void> {
  for (const some of chunksOf(folder.tooMany(), PICTURES_PER_QUERY)) {
    // The listings of these pictures may just have been written.
    await es.indices.refresh({ index });
    await es.updateByQuery({
      index,
      query: { terms: { [FIELD]: some } },
      script: { source: 'ctx._source.internal.picture = null' },
      conflicts: 'proceed',
    });
    await folder.delete(some);
  }
}
