import { hash } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import { rejectionStatus } from '../../engine/errors.js';
import { checkAlert, observeOffers } from '../../listing/alerts.js';
import { formatInstant } from '../../listing/instant.js';
import type { StoredListing } from '../../listing/listing.js';
import { formatUnits } from '../../listing/price.js';
import { type LinkSettings, toProduct } from '../../listing/product.js';
import {
  alertEventsIndex,
  firstDelivery,
  readAlert,
  replaceAlert,
  type StoredAlert,
  type StoredEvent,
  type VersionedAlert,
} from '../shared/alerts/store.js';

const MAX_CONFLICTS = 20;

interface CheckOptions extends LinkSettings {
  es: Client;
  indexPrefix: string;
  now: () => Date;
  /** Whether searches must find the event and the alert at once; otherwise the caller refreshes. */
  refresh?: boolean;
}

/** What an alert watches: the listing, or the listings of its product, and the product group that it belongs to now. */
export interface Watched {
  offers: readonly StoredListing[];
  group_id: number;
}

/**
 * Checks an alert, and stores its event and what it remembers.
 * @param at the time of the change, in milliseconds since 1970.
 * @param isFirst whether the alert was created, changed or resumed at this time, so that there was no check before.
 * @returns the alert as it is stored now, and whether it fired.
 */
export async function checkStoredAlert(
  first: VersionedAlert,
  { at, isFirst, watchedBy }: { at: number; isFirst: boolean; watchedBy: (alert: StoredAlert) => Watched },
  options: CheckOptions,
): Promise<{ alert: StoredAlert; fires: boolean }> {
  const { es, indexPrefix, refresh = true } = options;
  let current: VersionedAlert | null = first;
  for (let conflicts = 0; current !== null && conflicts < MAX_CONFLICTS; conflicts += 1) {
    const { alert, version }: VersionedAlert = current;
    if (alert.state !== 'active') return { alert, fires: false };
    const { offers, group_id } = watchedBy(alert);
    const observed = observeOffers(offers, alert, at);
    const { memory, fires } = checkAlert(alert, alert.memory, observed);
    const before = isFirst ? null : alert.memory.units;
    // The event is stored first: if this process is killed in between, the next one finds the same event again.
    if (fires)
      await storeEvent(eventOf(alert, offers, { at, units: observed.units, before }, options), options);
    const checked = { ...alert, memory, group_id };
    const isSame = JSON.stringify([memory, group_id]) === JSON.stringify([alert.memory, alert.group_id]);
    if (isSame || (await replaceAlert(es, indexPrefix, { alert: checked, version }, refresh)) !== null)
      return { alert: checked, fires };
    current = await readAlert(es, indexPrefix, alert.alert_id);
  }
  return { alert: first.alert, fires: false };
}

function eventOf(
  alert: StoredAlert,
  offers: readonly StoredListing[],
  { at, units, before }: { at: number; units: number | null; before: number | null },
  { now, ...links }: LinkSettings & Pick<CheckOptions, 'now'>,
): StoredEvent {
  const { alert_id, developer_id, when, product_id, url } = alert;
  const best =
    offers.find(
      ({ price, currency }) => units !== null && currency === alert.currency && price === formatUnits(units),
    ) ??
    offers.find(({ id }) => id === product_id) ??
    offers[0];
  const timestamp = formatInstant(at);
  return {
    event_id: `ev_${hash('sha256', JSON.stringify([alert_id, timestamp, units]), 'hex').slice(0, 24)}`,
    alert_id,
    developer_id,
    type: 'alert.fired',
    ...firstDelivery(url, formatInstant(now().getTime())),
    timestamp,
    when,
    product: best === undefined ? null : toProduct(best, links),
    previous_price: before === null ? null : formatUnits(before),
  };
}

async function storeEvent(
  event: StoredEvent,
  { es, indexPrefix, refresh = true }: CheckOptions,
): Promise<void> {
  const index = alertEventsIndex(indexPrefix);
  try {
    await es.create({ index, id: event.event_id, document: event, refresh });
  } catch (error) {
    // Status 409: an earlier run that was killed has stored the event already.
    if (rejectionStatus(error) !== 409) throw error;
  }
}
