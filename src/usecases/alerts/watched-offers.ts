import type { Client } from '@elastic/elasticsearch';
import { getListingsById } from '../../engine/documents.js';
import { searchEach } from '../../engine/multi-search.js';
import { groupOf, isLinked, productKeyOf, type StoredListing } from '../../listing/listing.js';
import { chunksOf } from '../../platform/chunks.js';
import { PRODUCT_FIELDS } from '../../schemas/product.js';
import type { StoredAlert } from './store.js';

const INTERNALS = 'price_history observed_at flags owner condition price_from group_id linked_at lineage';

/** The stored fields of listings from which alerts are checked. */
export const OFFER_FIELDS = [...PRODUCT_FIELDS, ...INTERNALS.split(' ').map((name) => `internal.${name}`)];

/** The maximum number of listings of a product group. Linking never forms a larger group. */
const MAX_OFFERS = 200;

/** What an alert watches: the listing, or the listings of its product, and the product group that it belongs to now. */
export interface Watched {
  offers: readonly StoredListing[];
  /** The offers of the product of the listing, if the alert watches only the listing. */
  peers?: readonly StoredListing[];
  group_id: number;
}

type Watching = Pick<StoredAlert, 'product_id' | 'scope' | 'group_id' | 'offer_ids'>;

/** Reads what alerts watch, in the order of the alerts, each listing and each product once. */
export async function readWatched(
  es: Client,
  products: string,
  alerts: readonly Watching[],
): Promise<Watched[]> {
  const ids = alerts.map(({ product_id }) => product_id);
  const listings = await getListingsById(es, products, ids, OFFER_FIELDS);
  // If the listing of an alert was withdrawn, its product is found by the product's other listings.
  const otherIds = alerts.flatMap(({ scope, product_id, offer_ids }) =>
    scope === 'listing' || listings.has(product_id) ? [] : offer_ids,
  );
  const others = await getListingsById(es, products, otherIds, OFFER_FIELDS);
  const found = alerts.map(({ product_id, scope, group_id: before, offer_ids }) => {
    const listing = listings.get(product_id);
    const known = listing ?? offer_ids.map((id) => others.get(id)).find((other) => other !== undefined);
    const group_id = known === undefined ? before : groupOf(known);
    // If all listings of a product were withdrawn, new listings with its id may exist that are not linked yet.
    const keys = known === undefined ? [before, -before] : [productKeyOf(known)];
    // A listing that is not linked has no other offers with which its price could be compared.
    const hasPeers = scope === 'product' || (listing !== undefined && isLinked(listing));
    return { own: listing === undefined ? [] : [listing], group_id, keys: hasPeers ? keys : [] };
  });
  const keys = new Set(found.flatMap((one) => one.keys));
  const offers = await offersByKey(es, products, [...keys]);
  return found.map(({ own, group_id, keys: ownKeys }, i) => {
    const peers = ownKeys.flatMap((key) => offers.get(key) ?? []);
    return alerts[i]?.scope === 'listing' ? { offers: own, peers, group_id } : { offers: peers, group_id };
  });
}

export async function readWatchedOf(es: Client, products: string, alert: Watching): Promise<Watched> {
  const [watched] = await readWatched(es, products, [alert]);
  return watched ?? { offers: [], group_id: alert.group_id };
}

/** The number of products whose offers are read with one request. */
const PRODUCTS = 20;

/** Reads the listings with each of the product keys (`productKeyOf`), sorted by id. */
async function offersByKey(es: Client, index: string, keys: readonly number[]) {
  const offers = new Map<number, StoredListing[]>();
  const linked = { exists: { field: 'internal.linked_at' } };
  for (const some of chunksOf(keys, PRODUCTS)) {
    const queries = some.map((key) => ({
      bool: {
        filter: [{ term: { 'internal.group_id': Math.abs(key) } }, ...(key > 0 ? [linked] : [])],
        must_not: key > 0 ? [] : [linked],
      },
    }));
    const options = { sort: [{ id: 'asc' as const }], size: MAX_OFFERS, source: OFFER_FIELDS };
    const answers = await searchEach(es, index, queries, options);
    for (const [at, key] of some.entries()) offers.set(key, (answers[at]?.listings ?? []) as StoredListing[]);
  }
  return offers;
}
