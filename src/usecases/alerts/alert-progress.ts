import type { Client } from '@elastic/elasticsearch';
import { METRIC_READS } from '../../engine/client.js';
import { type LeasedOperation, readLease } from '../../engine/lease.js';
import { storedIndex } from '../../platform/stored.js';
import type { AlertFigures } from '../../telemetry/metrics/catalogue-metrics.js';
import type { AlertStore } from './store.js';
import type { WebhookCipher } from './webhook-secrets.js';

/** What all steps of the process that checks alerts and sends their events need. */
export interface AlertWork {
  store: AlertStore;
  cipher: WebhookCipher;
  now: () => Date;
  signal: AbortSignal;
  /** Whether the process waits for new events and changes, instead of ending when there is nothing left to do. */
  follow: boolean;
}

/** The outcome of sending an event once. `failed`: it is sent again later. `given_up`: it is not. */
export type AttemptOutcome = 'delivered' | 'failed' | 'given_up';

/** How far the alerts have been checked, and what has been done since the first check. */
export interface AlertProgress {
  cursor: string | null;
  /** All changes that were acknowledged before this time are checked, in milliseconds since 1970. */
  checked_at: number | null;
  attempts: Record<AttemptOutcome, number>;
  /** The developers whose alerts wait, because their events of a minute are used up; absent in the state of an earlier version. */
  throttled?: string[];
  /** The alerts that wait until an unusually low price is seen again; absent in the state of an earlier version. */
  unconfirmed?: string[];
}

/** The operation of checking alerts. One process at a time runs it, and the next one continues where that one ended. */
export const ALERTS: LeasedOperation<AlertProgress> = {
  name: 'alerts',
  index: 'leases',
  initial: { cursor: null, checked_at: null, attempts: { delivered: 0, failed: 0, given_up: 0 } },
};

/** Reads how far the alerts have been checked, and the number of active alerts, for metrics. */
export async function alertFigures(es: Client, indexPrefix: string): Promise<AlertFigures> {
  const ofActive = { index: storedIndex(indexPrefix, 'alerts'), query: { term: { state: 'active' } } };
  const [progress, { count: active }] = await Promise.all([
    readLease(es, indexPrefix, ALERTS),
    es.count({ ...ofActive, ignore_unavailable: true }, METRIC_READS),
  ]);
  return { ...progress, active };
}
