import { isDeepStrictEqual } from 'node:util';
import { checkAlert, observeOffers } from '../../listing/alerts.js';
import { formatInstant } from '../../listing/instant.js';
import type { StoredListing } from '../../listing/listing.js';
import { formatUnits, toUnits } from '../../listing/price.js';
import { type LinkSettings, toProduct } from '../../listing/product.js';
import { withEvent } from './events.js';
import type { AlertStore, StoredAlert, VersionedAlert } from './store.js';
import { readWatched, type Watched } from './watched-offers.js';

const MAX_CONFLICTS = 20;

export interface AlertCheckOptions extends LinkSettings {
  store: AlertStore;
  products: string;
  now: () => Date;
  /** Whether a search must find the stored events and alerts at once. If false, the caller refreshes the indices. */
  refresh?: boolean;
  /** Takes an event from a developer's budget. If it returns false, the alert is not changed. By default, all are stored. */
  takeEvent?: (developer_id: string) => boolean;
}

export interface AlertCheck {
  first: VersionedAlert;
  /** The time of the change, in milliseconds since 1970. */
  at: number;
  /** Whether the alert was created, changed or resumed at this time, so that there was no check before. */
  isFirst: boolean;
  /** The offers that the alert watches, as they were when they were read after the alert. */
  watched: Watched;
}

/** An alert as it is stored after a check, whether it fired, and whether it has to be checked again when a price is seen again. */
export interface CheckedAlert {
  alert: StoredAlert;
  fires: boolean;
  waits: boolean;
}

/**
 * Checks alerts, with one request of each kind for all. If several processes check one, that which replaces the version it has read
 * decides; the others read the alert and what it watches again. @returns the outcomes in the order of the checks.
 */
export async function checkStoredAlerts(checks: readonly AlertCheck[], options: AlertCheckOptions) {
  const { store, refresh = true } = options;
  const outcomes = new Map<string, CheckedAlert>();
  let open = [...checks];
  for (let conflicts = 0; open.length > 0 && conflicts < MAX_CONFLICTS; conflicts += 1) {
    // Clients read events in their order, so the previous event of an alert must be stored before its next one.
    const firsts = open.map(({ first }) => first);
    const ready = await store.storeOpenEvents(firsts, false);
    const decided = open.flatMap((check, i) => {
      const versioned = ready[i] ?? null;
      if (versioned === null) return [];
      const checked = afterCheck(versioned.alert, check, options);
      const isChanged = !isDeepStrictEqual(checked.alert, versioned.alert);
      return { ...checked, version: versioned.version, isChanged };
    });
    const changed = decided.filter(({ isChanged }) => isChanged);
    const isLast = !changed.some(({ fires }) => fires);
    const written = await store.replaceMany(changed, refresh && isLast);
    const stored = written.flatMap((one) => one ?? []);
    await store.storeOpenEvents(stored, refresh);
    const ids = new Set(stored.map(({ alert }) => alert.alert_id));
    for (const { alert, fires, waits, isChanged } of decided)
      if (!isChanged || ids.has(alert.alert_id)) outcomes.set(alert.alert_id, { alert, fires, waits });
    // Alerts that somebody else has changed meanwhile are read again.
    const lost = open.flatMap(({ first: { alert }, ...check }) =>
      outcomes.has(alert.alert_id) ? [] : { ...check, alert_id: alert.alert_id },
    );
    open = await readChecks(lost, options);
  }
  return checks.map(
    ({ first: { alert } }) => outcomes.get(alert.alert_id) ?? { alert, fires: false, waits: false },
  );
}

/** Reads the alerts of checks, and what they watch. Deleted alerts are left out. */
export async function readChecks(
  wanted: readonly (Pick<AlertCheck, 'at' | 'isFirst'> & { alert_id: string })[],
  { store, products }: Pick<AlertCheckOptions, 'store' | 'products'>,
): Promise<AlertCheck[]> {
  const stored = await store.readMany(wanted.map(({ alert_id }) => alert_id));
  const found = wanted.flatMap(({ at, isFirst }, i) => {
    const first = stored[i] ?? null;
    return first === null ? [] : { first, at, isFirst };
  });
  const alerts = found.map(({ first }) => first.alert);
  const watched = await readWatched(store.es, products, alerts);
  return found.flatMap((check, i) => (watched[i] === undefined ? [] : { ...check, watched: watched[i] }));
}

/** Returns an active alert as it is after a check, with its event if it fires. */
function afterCheck(
  alert: StoredAlert,
  { at, isFirst, watched: { offers, peers, group_id } }: AlertCheck,
  { now, takeEvent, ...links }: AlertCheckOptions,
): CheckedAlert {
  if (alert.state !== 'active') return { alert, fires: false, waits: false };
  const observed = observeOffers(offers, alert, at, peers);
  const { waits } = observed;
  const { memory, fires } = checkAlert(alert, alert.memory, observed);
  const checked = { ...alert, memory, group_id, offer_ids: offers.map(({ id }) => id) };
  if (!fires) return { alert: checked, fires, waits };
  if (takeEvent?.(alert.developer_id) === false) return { alert, fires: false, waits };
  const before = isFirst ? null : alert.memory.units;
  const offer = offerOf(alert, offers, observed.units);
  const event = {
    type: 'alert.fired' as const,
    timestamp: formatInstant(at),
    product: offer === null ? null : toProduct(offer, links),
    previous_price: before === null ? null : formatUnits(before, alert.currency),
  };
  return { alert: withEvent(checked, event, now()), fires, waits };
}

/** The offer that an event shows: the one with the observed price, otherwise the listing of the alert, otherwise any offer. */
function offerOf(
  { product_id, currency: wanted }: StoredAlert,
  offers: readonly StoredListing[],
  units: number | null,
): StoredListing | null {
  const isBest = ({ price, currency }: StoredListing) =>
    price !== null && currency === wanted && toUnits(price) === units;
  return offers.find(isBest) ?? offers.find(({ id }) => id === product_id) ?? offers[0] ?? null;
}
