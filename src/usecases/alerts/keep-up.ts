import { compositeBuckets } from '../../engine/search-pages.js';
import { DAY_MS, formatInstant } from '../../listing/instant.js';
import type { KeyRecord } from '../../platform/access/key.js';
import { isExpired } from '../../platform/access/key-records.js';
import { pause } from '../../platform/pause.js';
import type { AlertWork } from './alert-progress.js';
import type { EventBudget } from './event-budget.js';
import type { AlertStore, StoredAlert } from './store.js';
import { isStale, openSecret, storedSecret } from './webhook-secrets.js';

const PAUSE_MS = 60_000;
/** The number of events of a developer that are kept, so that no key can fill the disk with alerts that always fire. */
const MAX_EVENTS = 100_000;
/** The maximum number of events of a developer that are deleted at once. The others are deleted in the next passes. */
const MAX_DELETED = 10_000;
const PAGE = 1_000;

export interface KeepUpOptions extends AlertWork {
  /** For how many days events can be read. */
  changesRetentionDays: number;
  /** Lists all API keys; null if Redis is not configured. */
  listKeys: (() => Promise<readonly KeyRecord[]>) | null;
  /** Receives the tiers of the developers, which bound their events. */
  budget: EventBudget;
  maxEvents?: number;
  report: (line: string) => void;
}

/** Encrypts secrets with the current key, then maintains events and alerts, every minute if `follow` is set. Failed steps are repeated. */
export async function keepUp(options: KeepUpOptions): Promise<void> {
  const { signal, follow, report } = options;
  if (options.listKeys === null)
    report('REDIS_URL is not set: alerts whose keys were revoked are not stopped.');
  const attempt = (step: (options: KeepUpOptions) => Promise<void>) =>
    step(options).catch((error: unknown) => {
      if (!signal.aborted) report(`Alerts: ${(error as Error).message}`);
    });
  await attempt(encryptAgain);
  do {
    for (const step of [storeEventsOfKilled, deleteOldEvents, stopAlertsWithoutKey]) await attempt(step);
    if (follow) await pause(PAUSE_MS, signal);
  } while (follow && !signal.aborted);
}

/** Encrypts the secrets that are not encrypted, or with a former key, so that the former JWT_SECRET can be removed afterwards. */
async function encryptAgain(options: KeepUpOptions): Promise<void> {
  const { store, cipher, report } = options;
  if (cipher === null) return;
  const counts = { encrypted: 0, lost: 0, current: 0 };
  for await (const page of store.pages({ match_all: {} }, PAGE))
    for (const { alert_id, secrets } of page)
      if (secrets.some(({ secret }) => isStale(secret, alert_id, cipher)))
        counts[await encryptSecretsOf(alert_id, options)] += 1;
  if (counts.encrypted > 0)
    report(`The secrets of ${counts.encrypted} alerts are encrypted with JWT_SECRET.`);
  if (counts.lost > 0)
    report(
      `The secrets of ${counts.lost} alerts were encrypted with another JWT_SECRET: set JWT_SECRET_PREVIOUS to it.`,
    );
}

/** Encrypts the secrets of an alert with the current key, and once more if the alert changes at the same time. */
async function encryptSecretsOf(id: string, { store, cipher }: KeepUpOptions) {
  for (;;) {
    const found = await store.read(id);
    if (found === null || !found.alert.secrets.some(({ secret }) => isStale(secret, id, cipher)))
      return 'current';
    const { alert, version } = found;
    const secrets = alert.secrets.flatMap(({ secret: stored, until }) => {
      const secret = openSecret(stored, id, cipher);
      return secret === null ? [] : [{ secret: storedSecret(secret, id, cipher), until }];
    });
    if (secrets.length < alert.secrets.length) return 'lost';
    if ((await store.replace({ alert: { ...alert, secrets }, version }, false)) !== null) return 'encrypted';
  }
}

/** Stores the events of alerts whose process was killed before it could do so. */
async function storeEventsOfKilled({ store }: KeepUpOptions): Promise<void> {
  for await (const page of store.pages({ exists: { field: 'open_event.event_id' } }, PAGE)) {
    const alerts = await store.readMany(page.map(({ alert_id }) => alert_id));
    const existing = alerts.flatMap((one) => one ?? []);
    await store.storeOpenEvents(existing, false);
  }
}

/** Deletes the events that can no longer be read, and the oldest ones of developers with too many. */
async function deleteOldEvents(options: KeepUpOptions): Promise<void> {
  const { changesRetentionDays, maxEvents = MAX_EVENTS, now, report } = options;
  const { es, events: index } = options.store;
  const before = formatInstant(now().getTime() - changesRetentionDays * DAY_MS);
  const query = { range: { timestamp: { lt: before } } };
  await es.deleteByQuery({ index, query, conflicts: 'proceed', refresh: true });
  const terms = { field: 'developer_id', size: PAGE, min_doc_count: maxEvents + 1 };
  const { aggregations } = await es.search<
    unknown,
    { developers: { buckets: { key: string; doc_count: number }[] } }
  >({ index, size: 0, aggs: { developers: { terms } } });
  for (const { key: developer_id, doc_count } of aggregations?.developers.buckets ?? []) {
    const size = Math.min(doc_count - maxEvents, MAX_DELETED);
    const ofDeveloper = { index, query: { term: { developer_id } }, size, _source: false };
    const oldest = await es.search({ ...ofDeveloper, sort: [{ timestamp: 'asc' }] });
    const values = oldest.hits.hits.flatMap(({ _id }) => _id ?? []);
    await es.deleteByQuery({ index, query: { ids: { values } }, conflicts: 'proceed' });
    report(
      `The ${size} oldest events of ${developer_id} are deleted, because it has more than ${maxEvents}.`,
    );
  }
}

/** Pauses the alerts of revoked keys, and those of developers without a usable key. Alerts of rotated keys continue. */
async function stopAlertsWithoutKey(options: KeepUpOptions): Promise<void> {
  const { store, listKeys, budget, now, report } = options;
  if (listKeys === null) return;
  const keys = await listKeys();
  // A Redis without any key is most likely not the Redis of the service, so no alert is paused.
  if (keys.length === 0) return;
  const revoked = new Set(keys.flatMap(({ id, revokedAt }) => (revokedAt === null ? [] : [id])));
  const isUsable = ({ revokedAt, expiresAt }: KeyRecord) =>
    revokedAt === null && !isExpired(expiresAt, now());
  const usable = keys.filter(isUsable);
  budget.setKeys(usable);
  const developers = new Set(usable.map(({ developerId }) => developerId));
  for await (const { key } of activeOwners(store)) {
    const { key_id, developer_id } = key;
    if (!revoked.has(key_id) && developers.has(developer_id)) continue;
    const filter = [{ term: { state: 'active' } }, { term: { key_id } }, { term: { developer_id } }];
    const { updated = 0 } = await store.es.updateByQuery({
      index: store.alerts,
      query: { bool: { filter } },
      script: { source: "ctx._source.state = 'paused'" },
      conflicts: 'proceed',
      refresh: true,
    });
    report(
      `${updated} alerts of the key ${key_id} are paused, because it was revoked or its developer has no key.`,
    );
  }
}

type Owner = Pick<StoredAlert, 'key_id' | 'developer_id'>;

/** Yields the id of each API key that has an active alert, with the developer of the key. */
function activeOwners({ es, alerts: index }: AlertStore): AsyncGenerator<{ key: Owner }> {
  const sources = ['key_id', 'developer_id'].map((field) => ({ [field]: { terms: { field } } }));
  const aggs = { owners: { composite: { size: PAGE, sources } } };
  const request = { index, size: 0, query: { term: { state: 'active' } }, aggs };
  return compositeBuckets(es, request, 'owners');
}
