import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@elastic/elasticsearch';
import { checkAlert, observeOffers } from '../../listing/alerts.js';
import { formatInstant } from '../../listing/instant.js';
import type { StoredListing } from '../../listing/listing.js';
import { formatUnits, toUnits } from '../../listing/price.js';
import { type LinkSettings, toProduct } from '../../listing/product.js';
import { readAlert, replaceAlert, type StoredAlert, type VersionedAlert } from '../shared/alerts/store.js';
import { readWatchedOf, type Watched } from '../shared/alerts/watched-offers.js';
import { storeOpenEvent, withEvent } from './open-event.js';

const MAX_CONFLICTS = 20;

export interface AlertCheckOptions extends LinkSettings {
  es: Client;
  indexPrefix: string;
  products: string;
  now: () => Date;
  /** Whether searches must find the event and the alert at once; otherwise the caller refreshes. */
  refresh?: boolean;
}

interface AlertCheck {
  /** The time of the change, in milliseconds since 1970. */
  at: number;
  /** Whether the alert was created, changed or resumed at this time, so that there was no check before. */
  isFirst: boolean;
  /** What the alert watches, read after the alert. */
  watched: Watched;
}

/**
 * Checks an alert, and stores its event and what it remembers. If several processes check an alert at the same time, the one
 * that replaces the version it has read decides; the others read the alert and what it watches again.
 * @returns the alert as it is stored now, and whether it fired.
 */
export async function checkStoredAlert(
  first: VersionedAlert,
  check: AlertCheck,
  options: AlertCheckOptions,
): Promise<{ alert: StoredAlert; fires: boolean }> {
  const { es, indexPrefix, products, refresh = true } = options;
  let current: VersionedAlert | null = first;
  let { watched } = check;
  for (let conflicts = 0; current !== null && conflicts < MAX_CONFLICTS; conflicts += 1) {
    if (current.alert.state !== 'active') return { alert: current.alert, fires: false };
    // Events are read in their order, so the former one must be stored before the next one.
    const open: VersionedAlert | null = await storeOpenEvent(es, indexPrefix, current, false);
    if (open !== null) {
      const { alert, fires } = afterCheck(open.alert, { ...check, watched }, options);
      if (isDeepStrictEqual(alert, open.alert)) return { alert, fires };
      const versioned = { alert, version: open.version };
      const stored = await replaceAlert(es, indexPrefix, versioned, refresh && !fires);
      if (stored !== null) {
        await storeOpenEvent(es, indexPrefix, stored, refresh);
        return { alert, fires };
      }
    }
    current = await readAlert(es, indexPrefix, first.alert.alert_id);
    if (current !== null) watched = await readWatchedOf(es, products, current.alert);
  }
  return { alert: first.alert, fires: false };
}

/** Returns an alert as it is after a check, with its event if it fires. */
function afterCheck(
  alert: StoredAlert,
  { at, isFirst, watched: { offers, group_id } }: AlertCheck,
  { now, ...links }: AlertCheckOptions,
): { alert: StoredAlert; fires: boolean } {
  const observed = observeOffers(offers, alert, at);
  const { memory, fires } = checkAlert(alert, alert.memory, observed);
  const checked = { ...alert, memory, group_id, offer_ids: offers.map(({ id }) => id) };
  if (!fires) return { alert: checked, fires };
  const before = isFirst ? null : alert.memory.units;
  const offer = offerOf(alert, offers, observed.units);
  const event = {
    type: 'alert.fired' as const,
    timestamp: formatInstant(at),
    product: offer === null ? null : toProduct(offer, links),
    previous_price: before === null ? null : formatUnits(before, alert.currency),
  };
  return { alert: withEvent(checked, event, now()), fires };
}

/** The offer that an event shows: the one with the observed price, or else the listing of the alert, or else any. */
function offerOf(
  { product_id, currency: wanted }: StoredAlert,
  offers: readonly StoredListing[],
  units: number | null,
): StoredListing | null {
  const isBest = ({ price, currency }: StoredListing) =>
    price !== null && currency === wanted && toUnits(price) === units;
  return offers.find(isBest) ?? offers.find(({ id }) => id === product_id) ?? offers[0] ?? null;
}
