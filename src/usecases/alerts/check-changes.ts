import type { estypes } from '@elastic/elasticsearch';
import { groupOf } from '../../listing/listing.js';
import {
  alertEventsIndex,
  alertPages,
  alertsIndex,
  type StoredAlert,
  type VersionedAlert,
} from '../shared/alerts/store.js';
import { readWatched } from '../shared/alerts/watched-offers.js';
import type { Change } from '../shared/changes/change.js';
import { type AlertCheckOptions, checkStoredAlert } from './check-alert.js';

/** The number of alerts that are read at once. */
const PAGE = 500;
/** The number of alerts that are checked at the same time. */
const AT_ONCE = 16;

/** When listings changed, and the products that they belong to now, in milliseconds since 1970. */
interface ChangeTimes {
  listings: ReadonlyMap<number, number>;
  groups: ReadonlyMap<number, number>;
}

/**
 * Checks the alerts on changed listings and on their products. A listing that was withdrawn or has moved to another product
 * is also a change of the product that it has left. @returns the number of new events.
 */
export async function checkChanges(
  changes: readonly Change[],
  options: Omit<AlertCheckOptions, 'refresh'>,
): Promise<number> {
  const { es, indexPrefix, products, now } = options;
  if (changes.length === 0) return 0;
  const times = timesOf(changes);
  // Alerts that were created or changed just before are found as well.
  await es.indices.refresh({ index: alertsIndex(indexPrefix) });
  let events = 0;
  for await (const alerts of alertsOn(times, { es, indexPrefix, now })) {
    const watched = await readWatched(
      es,
      products,
      alerts.map(({ alert }) => alert),
    );
    const checkOne = async (one: VersionedAlert, index: number): Promise<void> => {
      const here = watched[index];
      if (here === undefined) return;
      const check = { at: timeOf(one.alert, times), isFirst: false, watched: here };
      const { fires } = await checkStoredAlert(one, check, { ...options, refresh: false });
      events += fires ? 1 : 0;
    };
    for (let at = 0; at < alerts.length; at += AT_ONCE)
      await Promise.all(alerts.slice(at, at + AT_ONCE).map((one, i) => checkOne(one, at + i)));
    if (events > 0) await es.indices.refresh({ index: alertEventsIndex(indexPrefix) });
  }
  return events;
}

function timesOf(changes: readonly Change[]): ChangeTimes {
  const listings = new Map(changes.map(({ id, at }) => [id, Date.parse(at)]));
  const groups = new Map<number, number>();
  for (const { listing, at } of changes) {
    if (listing === null) continue;
    const group = groupOf(listing);
    groups.set(group, Math.max(groups.get(group) ?? 0, Date.parse(at)));
  }
  return { listings, groups };
}

/** The time of the last change of what an alert watches or watched before. */
function timeOf({ product_id, group_id, offer_ids }: StoredAlert, { listings, groups }: ChangeTimes): number {
  const times = [product_id, ...offer_ids].map((id) => listings.get(id) ?? 0);
  return Math.max(...times, groups.get(group_id) ?? 0);
}

/** Reads the active alerts that watch or watched changed listings, page by page. */
function alertsOn(
  { listings, groups }: ChangeTimes,
  { es, indexPrefix, now }: Pick<AlertCheckOptions, 'es' | 'indexPrefix' | 'now'>,
): AsyncGenerator<VersionedAlert[]> {
  const ids = [...listings.keys()];
  const ofProduct = {
    bool: { filter: [{ term: { scope: 'product' } }, { terms: { group_id: [...groups.keys()] } }] },
  };
  const query: estypes.QueryDslQueryContainer = {
    bool: {
      filter: [
        { term: { state: 'active' } },
        { bool: { should: [{ terms: { product_id: ids } }, { terms: { offer_ids: ids } }, ofProduct] } },
      ],
      must_not: { range: { expires_at: { lte: now().toISOString() } } },
    },
  };
  return alertPages(es, indexPrefix, query, PAGE);
}
