import type { Client, estypes } from '@elastic/elasticsearch';
import { DAY_MS, formatInstant } from '../../listing/instant.js';
import type { KeyRecord } from '../../platform/access/key.js';
import { isExpired } from '../../platform/access/key-records.js';
import { alertPages, readAlert, readAlerts, replaceAlert, type StoredAlert } from './store.js';
import type { EventBudget } from './event-budget.js';
import { storeOpenEvents } from './open-event.js';
import { isStale, openSecret, storedSecret, type WebhookCipher } from './webhook-secrets.js';
import { pause } from '../../platform/pause.js';
import { storedIndex } from '../../platform/stored.js';

const PAUSE_MS = 60_000;
/** The number of events of a developer that are kept, so that no key can fill the disk with alerts that always fire. */
const MAX_EVENTS = 100_000;
/** The number of events above this that are deleted at once. */
const MAX_DELETED = 10_000;
const PAGE = 1_000;

interface KeepUpOptions {
  es: Client;
  indexPrefix: string;
  cipher: WebhookCipher;
  /** For how many days events can be read. */
  changesRetentionDays: number;
  /** Lists all API keys; null if Redis is not configured. */
  listKeys: (() => Promise<readonly KeyRecord[]>) | null;
  /** Receives the tiers of the developers, which bound their events. */
  budget: EventBudget;
  now: () => Date;
  signal: AbortSignal;
  follow: boolean;
  maxEvents?: number;
  /** Receives a note for the operator. */
  report: (line: string) => void;
}

/**
 * Encrypts secrets with the current key, and then, every minute if `follow` is set, stores the events of processes that were
 * killed, deletes old events and stops alerts without a key. A failure is reported and tried again.
 */
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
  const { es, indexPrefix, cipher, report } = options;
  if (cipher === null) return;
  const counts = { encrypted: 0, lost: 0, current: 0 };
  for await (const { alert_id, secrets } of alertsWith({ match_all: {} }, es, indexPrefix))
    if (secrets.some(({ secret }) => isStale(secret, alert_id, cipher)))
      counts[await encryptSecretsOf(alert_id, options)] += 1;
  if (counts.encrypted > 0)
    report(`The secrets of ${counts.encrypted} alerts are encrypted with JWT_SECRET.`);
  if (counts.lost > 0)
    report(
      `The secrets of ${counts.lost} alerts were encrypted with another JWT_SECRET: set JWT_SECRET_PREVIOUS to it.`,
    );
}

/**
 * Encrypts the secrets of an alert with the current key. If a delivery or a check changes the alert at the same time, its
 * secrets are read and encrypted once more, because no later step would encrypt them.
 */
async function encryptSecretsOf(
  id: string,
  { es, indexPrefix, cipher }: KeepUpOptions,
): Promise<'encrypted' | 'lost' | 'current'> {
  for (;;) {
    const found = await readAlert(es, indexPrefix, id);
    if (found === null || !found.alert.secrets.some(({ secret }) => isStale(secret, id, cipher)))
      return 'current';
    const { alert, version } = found;
    const secrets = alert.secrets.flatMap(({ secret: stored, until }) => {
      const secret = openSecret(stored, id, cipher);
      return secret === null ? [] : [{ secret: storedSecret(secret, id, cipher), until }];
    });
    if (secrets.length < alert.secrets.length) return 'lost';
    if ((await replaceAlert(es, indexPrefix, { alert: { ...alert, secrets }, version }, false)) !== null)
      return 'encrypted';
  }
}

/** Stores the events of alerts whose process was killed before it could do so. */
async function storeEventsOfKilled({ es, indexPrefix }: KeepUpOptions): Promise<void> {
  const isOpen = { exists: { field: 'open_event.event_id' } };
  for await (const page of alertPages(es, indexPrefix, isOpen, PAGE)) {
    const alerts = await readAlerts(
      es,
      indexPrefix,
      page.map(({ alert_id }) => alert_id),
    );
    await storeOpenEvents(
      es,
      indexPrefix,
      alerts.flatMap((one) => one ?? []),
      false,
    );
  }
}

async function* alertsWith(
  query: estypes.QueryDslQueryContainer,
  es: Client,
  indexPrefix: string,
): AsyncGenerator<StoredAlert> {
  for await (const page of alertPages(es, indexPrefix, query, PAGE)) yield* page;
}

/** Deletes the events that can no longer be read, and the oldest ones of developers with too many. */
async function deleteOldEvents({
  es,
  indexPrefix,
  changesRetentionDays,
  maxEvents = MAX_EVENTS,
  now,
  report,
}: KeepUpOptions): Promise<void> {
  const index = storedIndex(indexPrefix, 'alert-events');
  const before = formatInstant(now().getTime() - changesRetentionDays * DAY_MS);
  await es.deleteByQuery({
    index,
    query: { range: { timestamp: { lt: before } } },
    conflicts: 'proceed',
    refresh: true,
  });
  const { aggregations } = await es.search<
    unknown,
    { developers: { buckets: { key: string; doc_count: number }[] } }
  >({
    index,
    size: 0,
    aggs: { developers: { terms: { field: 'developer_id', size: PAGE, min_doc_count: maxEvents + 1 } } },
  });
  for (const { key: developer_id, doc_count } of aggregations?.developers.buckets ?? []) {
    const size = Math.min(doc_count - maxEvents, MAX_DELETED);
    const oldest = await es.search({
      index,
      query: { term: { developer_id } },
      sort: [{ timestamp: 'asc' }],
      size,
      _source: false,
    });
    const values = oldest.hits.hits.flatMap(({ _id }) => _id ?? []);
    await es.deleteByQuery({ index, query: { ids: { values } }, conflicts: 'proceed' });
    report(
      `The ${size} oldest events of ${developer_id} are deleted, because it has more than ${maxEvents}.`,
    );
  }
}

/**
 * Pauses the alerts whose key was revoked, and those of developers without a usable key. A key that was replaced by another
 * one expires and is not revoked, so its alerts go on.
 */
async function stopAlertsWithoutKey({
  es,
  indexPrefix,
  listKeys,
  budget,
  now,
  report,
}: KeepUpOptions): Promise<void> {
  if (listKeys === null) return;
  const keys = await listKeys();
  // Without a single key, this is most likely not the Redis of the service.
  if (keys.length === 0) return;
  const revoked = new Set(keys.flatMap(({ id, revokedAt }) => (revokedAt === null ? [] : [id])));
  const isUsable = ({ revokedAt, expiresAt }: KeyRecord) =>
    revokedAt === null && !isExpired(expiresAt, now());
  const usable = keys.filter(isUsable);
  budget.setKeys(usable);
  const developers = new Set(usable.map(({ developerId }) => developerId));
  for await (const { key_id, developer_id } of ownersOf(es, indexPrefix)) {
    if (!revoked.has(key_id) && developers.has(developer_id)) continue;
    const { updated = 0 } = await es.updateByQuery({
      index: storedIndex(indexPrefix, 'alerts'),
      query: {
        bool: { filter: [{ term: { state: 'active' } }, { term: { key_id } }, { term: { developer_id } }] },
      },
      script: { source: "ctx._source.state = 'paused'" },
      conflicts: 'proceed',
      refresh: true,
    });
    report(
      `${updated} alerts of the key ${key_id} are paused, because it was revoked or its developer has no key.`,
    );
  }
}

interface Owner {
  key_id: string;
  developer_id: string;
}

async function* ownersOf(es: Client, indexPrefix: string): AsyncGenerator<Owner> {
  const sources = ['key_id', 'developer_id'].map((field) => ({ [field]: { terms: { field } } }));
  let after: estypes.AggregationsCompositeAggregateKey | undefined;
  do {
    const { aggregations } = await es.search<
      unknown,
      { owners: { buckets: { key: Owner }[]; after_key?: typeof after } }
    >({
      index: storedIndex(indexPrefix, 'alerts'),
      size: 0,
      query: { term: { state: 'active' } },
      aggs: { owners: { composite: { size: PAGE, sources, ...(after && { after }) } } },
    });
    for (const { key } of aggregations?.owners.buckets ?? []) yield key;
    after = aggregations?.owners.after_key;
  } while (after !== undefined);
}
