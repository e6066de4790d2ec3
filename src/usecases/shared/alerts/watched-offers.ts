import type { Client } from '@elastic/elasticsearch';
import type { StoredListing } from '../../../listing/listing.js';
import { PRODUCT_FIELDS } from '../../../schemas/product.js';

/** The stored fields of listings from which alerts are checked. */
export const OFFER_FIELDS = [
  ...PRODUCT_FIELDS,
  ...['price_history', 'observed_at', 'flags', 'group_id'].map((name) => `internal.${name}`),
];

/** The maximum number of listings of a product group, which linking ensures. */
const MAX_OFFERS = 200;

/** Reads the listings of a product group, sorted by id. */
export async function offersOf(es: Client, index: string, group_id: number): Promise<StoredListing[]> {
  const { hits } = await es.search<StoredListing>({
    index,
    query: { term: { 'internal.group_id': group_id } },
    sort: [{ id: 'asc' }],
    size: MAX_OFFERS,
    track_total_hits: false,
    allow_partial_search_results: false,
    _source: OFFER_FIELDS,
  });
  return hits.hits.flatMap(({ _source }) => _source ?? []);
}
