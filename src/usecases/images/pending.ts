import type { Client, estypes } from '@elastic/elasticsearch';
import type { SeenImage, StoredListing } from '../../listing/listing.js';
import { isHarmful } from './failure.js';

/** Listings passed by, and among them those whose image is to be looked at. */
export interface Batch {
  passed: number;
  pending: { id: number; url: string }[];
}

export interface Walk {
  es: Client;
  /** The alias of the product index. */
  index: string;
  /** One source alone. */
  source?: string | undefined;
  /** Look at every image again, hashed or failed. */
  again?: boolean;
  now: Date;
}

const BATCH_SIZE = 200;
/** What failed may work some days later; asking sooner only bothers the shop's server. */
const RETRY_AFTER_MS = 3 * 24 * 60 * 60 * 1000;

export function listingsOf(source: string | undefined): estypes.QueryDslQueryContainer {
  return source === undefined ? { match_all: {} } : { term: { source } };
}

/**
 * Every listing in order of its id. Nothing is held open between two batches, however long the first one's images
 * take, and each batch is the state of its own moment: a listing that another run has just done is passed by.
 */
export async function* pendingImages({ es, index, source, again = false, now }: Walk): AsyncGenerator<Batch> {
  let after: estypes.SortResults | undefined;
  do {
    const { hits } = await es.search<Pick<StoredListing, 'id' | 'image_url' | 'internal'>>({
      index,
      query: listingsOf(source),
      sort: [{ id: 'asc' }],
      size: BATCH_SIZE,
      ...(after === undefined ? {} : { search_after: after }),
      _source: ['id', 'image_url', 'internal.image'],
      track_total_hits: false,
      allow_partial_search_results: false,
    });
    const listings = hits.hits.flatMap(({ _source }) => (_source === undefined ? [] : [_source]));
    yield {
      passed: listings.length,
      pending: listings.flatMap(({ id, image_url, internal }) =>
        image_url !== null && (again || isPending(image_url, internal?.image, now))
          ? [{ id, url: image_url }]
          : [],
      ),
    };
    after = hits.hits.at(-1)?.sort;
  } while (after !== undefined);
}

function isPending(url: string, image: SeenImage | null | undefined, now: Date): boolean {
  if (!image || image.url !== url) return true;
  return (
    image.hash === null &&
    !isHarmful(image.failure) &&
    now.getTime() - Date.parse(image.seen_at) >= RETRY_AFTER_MS
  );
}
