import type { Client } from '@elastic/elasticsearch';
import { getListingsById } from '../../../engine/documents.js';
import { groupOf, productKeyOf, type StoredListing } from '../../../listing/listing.js';
import { PRODUCT_FIELDS } from '../../../schemas/product.js';
import type { StoredAlert } from './store.js';

/** The stored fields of listings from which alerts are checked. */
export const OFFER_FIELDS = [
  ...PRODUCT_FIELDS,
  ...['price_history', 'observed_at', 'flags', 'owner', 'group_id', 'linked_at'].map(
    (name) => `internal.${name}`,
  ),
];

/** The maximum number of listings of a product group, which linking ensures. */
const MAX_OFFERS = 200;

/** What an alert watches: the listing, or the listings of its product, and the product group that it belongs to now. */
export interface Watched {
  offers: readonly StoredListing[];
  /** The offers of the product of the listing, if the alert watches only the listing. */
  peers?: readonly StoredListing[];
  group_id: number;
}

type Watching = Pick<StoredAlert, 'product_id' | 'scope' | 'group_id' | 'offer_ids'>;

/**
 * Reads what alerts watch, each listing and each product once.
 * @returns what each alert watches, in the order of the alerts.
 */
export async function readWatched(
  es: Client,
  products: string,
  alerts: readonly Watching[],
): Promise<Watched[]> {
  const ids = alerts.map(({ product_id }) => product_id);
  const listings = await getListingsById(es, products, ids, OFFER_FIELDS);
  // The product of a listing that was withdrawn is that of its other offers.
  const otherIds = alerts.flatMap(({ scope, product_id, offer_ids }) =>
    scope === 'listing' || listings.has(product_id) ? [] : offer_ids,
  );
  const others = await getListingsById(es, products, otherIds, OFFER_FIELDS);
  const offersByKey = new Map<number, StoredListing[]>();
  const watched: Watched[] = [];
  for (const { product_id, scope, group_id: before, offer_ids } of alerts) {
    const listing = listings.get(product_id);
    const known = listing ?? offer_ids.map((id) => others.get(id)).find((other) => other !== undefined);
    const group_id = known === undefined ? before : groupOf(known);
    const key = known === undefined ? before : productKeyOf(known);
    const peers = offersByKey.get(key) ?? (await offersOf(es, products, key));
    offersByKey.set(key, peers);
    const own = listing === undefined ? [] : [listing];
    watched.push(scope === 'listing' ? { offers: own, peers, group_id } : { offers: peers, group_id });
  }
  return watched;
}

/** Reads what one alert watches. */
export async function readWatchedOf(es: Client, products: string, alert: Watching): Promise<Watched> {
  const [watched] = await readWatched(es, products, [alert]);
  return watched ?? { offers: [], group_id: alert.group_id };
}

/** Reads the listings with a product key (`productKeyOf`), sorted by id. */
async function offersOf(es: Client, index: string, key: number): Promise<StoredListing[]> {
  const linked = { exists: { field: 'internal.linked_at' } };
  const { hits } = await es.search<StoredListing>({
    index,
    query: {
      bool: {
        filter: [{ term: { 'internal.group_id': Math.abs(key) } }, ...(key > 0 ? [linked] : [])],
        must_not: key > 0 ? [] : [linked],
      },
    },
    sort: [{ id: 'asc' }],
    size: MAX_OFFERS,
    track_total_hits: false,
    allow_partial_search_results: false,
    _source: OFFER_FIELDS,
  });
  return hits.hits.flatMap(({ _source }) => _source ?? []);
}
