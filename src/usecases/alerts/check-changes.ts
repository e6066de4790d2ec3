import type { estypes } from '@elastic/elasticsearch';
import type { AlertMemory } from '../../listing/alerts.js';
import { groupOf } from '../../listing/listing.js';
import { chunksOf } from '../../platform/chunks.js';
import type { Change } from '../../products/changes/change.js';
import { type AlertCheckOptions, checkStoredAlerts } from './check-alert.js';
import type { EventBudget } from './event-budget.js';
import type { StoredAlert } from './store.js';
import { readWatched } from './watched-offers.js';

/** The number of alerts whose ids are read at once. */
const PAGE = 5_000;
/** The number of alerts that are checked and written at once. */
const BATCH = 200;

/** When listings changed, and the products that they belong to now, in milliseconds since 1970. */
interface ChangeTimes {
  listings: ReadonlyMap<number, number>;
  groups: ReadonlyMap<number, number>;
}

type CheckOptions = Omit<AlertCheckOptions, 'refresh' | 'takeEvent'> & {
  budget: EventBudget;
  /** The ids of the alerts that wait until an unusually low price is seen again, which is no change. */
  unconfirmed?: Set<string>;
};

/** The maximum number of alerts that wait; others are checked again only after a change. */
const MAX_UNCONFIRMED = 10_000;

/** Checks the alerts again that wait until a price is seen again. @returns the number of new events. */
export async function checkUnconfirmed(options: CheckOptions): Promise<number> {
  const { unconfirmed = new Set(), now } = options;
  const ids = [...unconfirmed];
  // Alerts that were deleted or paused meanwhile are not checked, and so do not remain here.
  unconfirmed.clear();
  return ids.length === 0 ? 0 : checkAlerts({ terms: { alert_id: ids } }, () => now().getTime(), options);
}

/** Checks the alerts on changed listings, and on their present and former products. @returns the number of new events. */
export async function checkChanges(changes: readonly Change[], options: CheckOptions): Promise<number> {
  if (changes.length === 0) return 0;
  const times = timesOf(changes);
  return checkAlerts(alertsOn(times), (alert) => timeOf(alert, times), options);
}

/** Checks all alerts of the developers whose minute is over after their events were used up. @returns the number of new events. */
export async function checkReleased(options: CheckOptions): Promise<number> {
  const { budget, now } = options;
  const at = now().getTime();
  const developers = budget.release(at);
  return developers.length === 0
    ? 0
    : checkAlerts({ terms: { developer_id: developers } }, () => at, options);
}

/** Checks the active alerts that match a query, those of the developers in turns. */
async function checkAlerts(
  query: estypes.QueryDslQueryContainer,
  timeOfAlert: (alert: StoredAlert) => number,
  { budget, unconfirmed = new Set(), ...options }: CheckOptions,
): Promise<number> {
  const { store, products, now } = options;
  // Alerts that were created or changed just before are found as well.
  await store.es.indices.refresh({ index: store.alerts });
  const owners = await ownersOf(query, options);
  const takeEvent = (developer: string) => budget.take(developer, now().getTime());
  let events = 0;
  for (const batch of chunksOf(inTurns(owners), BATCH)) {
    const ids = batch.flatMap(({ alert_id, developer_id }) =>
      budget.isWaiting(developer_id) ? [] : alert_id,
    );
    const found = (await store.readMany(ids)).flatMap((one) => one ?? []);
    const alerts = found.map(({ alert }) => alert);
    const watched = await readWatched(store.es, products, alerts);
    const checks = found.flatMap((first, i) => {
      const here = watched[i];
      return here === undefined ? [] : { first, at: timeOfAlert(first.alert), isFirst: false, watched: here };
    });
    const outcomes = await checkStoredAlerts(checks, { ...options, refresh: false, takeEvent });
    events += outcomes.filter(({ fires }) => fires).length;
    for (const { alert, waits } of outcomes)
      if (!waits) unconfirmed.delete(alert.alert_id);
      else if (unconfirmed.size < MAX_UNCONFIRMED) unconfirmed.add(alert.alert_id);
  }
  if (events > 0) await store.es.indices.refresh({ index: store.events });
  return events;
}

type Owner = Pick<StoredAlert, 'alert_id' | 'developer_id'> & { memory: Pick<AlertMemory, 'fired_at'> };

/** The active alerts that match a query, with their developers, sorted by id. */
async function ownersOf(
  query: estypes.QueryDslQueryContainer,
  { store, now }: Pick<CheckOptions, 'store' | 'now'>,
): Promise<Owner[]> {
  const filter = [{ term: { state: 'active' } }, query];
  const active = { bool: { filter, must_not: { range: { expires_at: { lte: now().toISOString() } } } } };
  const owners: Owner[] = [];
  const members = ['alert_id', 'developer_id', 'memory.fired_at'];
  for await (const page of store.pages<Owner>(active, PAGE, members)) owners.push(...page);
  return owners;
}

/**
 * Sorts alerts so that the developers take turns. Each begins with the alert that fired the longest time ago, so that all of
 * them fire in the end, even if the developer's events are used up every minute.
 */
function inTurns(owners: readonly Owner[]): Owner[] {
  const firedAt = ({ memory: { fired_at } }: Owner) => fired_at ?? 0;
  const longestFirst = owners.toSorted((a, b) => firedAt(a) - firedAt(b));
  const counts = new Map<string, number>();
  const turns = longestFirst.map((owner) => {
    const turn = counts.get(owner.developer_id) ?? 0;
    counts.set(owner.developer_id, turn + 1);
    return { owner, turn };
  });
  return turns.sort((a, b) => a.turn - b.turn).map(({ owner }) => owner);
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

/** The alerts that watch or watched changed listings. */
function alertsOn({ listings, groups }: ChangeTimes): estypes.QueryDslQueryContainer {
  const ids = [...listings.keys()];
  const ofProduct = {
    bool: { filter: [{ term: { scope: 'product' } }, { terms: { group_id: [...groups.keys()] } }] },
  };
  return { bool: { should: [{ terms: { product_id: ids } }, { terms: { offer_ids: ids } }, ofProduct] } };
}
