import type { Client, estypes } from '@elastic/elasticsearch';
import { totalOf } from '../../engine/deep-offset.js';
import { Backoff } from '../../engine/backoff.js';
import { EngineUnavailableError, rejectionStatus } from '../../engine/errors.js';
import { ensureIndex, KEYWORD } from '../../engine/indices.js';
import { sendOperations } from '../../engine/listing-store.js';
import { searchPages } from '../../engine/search-pages.js';
import type { AlertMemory, AlertRule } from '../../listing/alerts.js';
import type { Product } from '../../schemas/product.js';
import { storedIndex } from '../../platform/stored.js';

/** An alert as it is stored. Times are ISO 8601 in UTC. */
export interface StoredAlert extends AlertRule {
  alert_id: string;
  /** The developer whose keys may read and change the alert. */
  developer_id: string;
  /** The API key that created or resumed the alert. If it is revoked, the alert is paused. */
  key_id: string;
  product_id: number;
  scope: 'listing' | 'product';
  /** The product group that an alert with the scope `product` watches. */
  group_id: number;
  /** The listings that the alert watched at its last check. A change of one of them may mean that it has left the product. */
  offer_ids: number[];
  /** The currency in which prices are compared. */
  currency: string | null;
  state: 'active' | 'paused';
  /** Where events are sent; null: they are only stored. */
  url: string | null;
  /** The secrets that sign webhooks, as `storedSecret` returns them. A replaced one is valid until a time. */
  secrets: { secret: string; until: string | null }[];
  failures: number;
  expires_at: string | null;
  created_at: string;
  /** A hash of the key, the product, the scope and the condition, by which the same alert is recognized. */
  fingerprint: string;
  memory: AlertMemory;
  events: number;
  /** The last event until it is stored in its own index. It is written with `memory`, so each firing has exactly one event. */
  open_event: StoredEvent | null;
}

/** How far an event was sent to the URL of its alert. */
export interface WebhookDelivery {
  state: 'pending' | 'delivered' | 'given_up';
  attempts: number;
  /** When the event is sent the next time; null: it is not. */
  next_at: string | null;
  error: string | null;
}

export interface StoredEvent {
  event_id: string;
  /** The number of the event among those of its alert, by which they are sorted. */
  number: number;
  alert_id: string;
  developer_id: string;
  type: 'alert.fired' | 'alert.test';
  /** The URL of the alert when the event was stored, and the delivery to it; null without a URL. */
  url: string | null;
  /** The host of the URL; empty without one. */
  host: string;
  delivery: WebhookDelivery | null;
  timestamp: string;
  when: AlertRule['when'];
  product: Product | null;
  previous_price: string | null;
}

/** A stored alert with its version, on which a write is made conditional. */
export interface VersionedAlert {
  alert: StoredAlert;
  version: { if_seq_no: number; if_primary_term: number };
}

const FIELDS: Record<'alerts' | 'alert-events', Record<string, estypes.MappingProperty>> = {
  alerts: {
    alert_id: KEYWORD,
    developer_id: KEYWORD,
    key_id: KEYWORD,
    product_id: { type: 'long' },
    group_id: { type: 'long' },
    offer_ids: { type: 'long' },
    scope: KEYWORD,
    state: KEYWORD,
    fingerprint: KEYWORD,
    created_at: { type: 'date' },
    expires_at: { type: 'date' },
    open_event: { properties: { event_id: KEYWORD } },
  },
  'alert-events': {
    event_id: KEYWORD,
    alert_id: KEYWORD,
    developer_id: KEYWORD,
    number: { type: 'long' },
    type: KEYWORD,
    url: KEYWORD,
    host: KEYWORD,
    timestamp: { type: 'date' },
    delivery: { properties: { state: KEYWORD, next_at: { type: 'date' } } },
  },
};

const versionOf = ({ _seq_no = 0, _primary_term = 0 }: { _seq_no?: number; _primary_term?: number }) => ({
  if_seq_no: _seq_no,
  if_primary_term: _primary_term,
});

/** The alerts of all developers, and their events, in Elasticsearch. */
export class AlertStore {
  readonly alerts: string;
  readonly events: string;
  /** Called after events were stored. Searches find them after the next refresh. */
  onEvents: () => void = () => undefined;

  constructor(
    readonly es: Client,
    private readonly indexPrefix: string,
  ) {
    this.alerts = storedIndex(indexPrefix, 'alerts');
    this.events = storedIndex(indexPrefix, 'alert-events');
  }

  async ensureIndices(): Promise<void> {
    for (const kind of ['alerts', 'alert-events'] as const) {
      const index = storedIndex(this.indexPrefix, kind);
      if (!(await this.es.indices.exists({ index })))
        await ensureIndex(this.es, this.indexPrefix, kind, FIELDS[kind]);
    }
  }

  /** Stores a new alert. @returns null if there is an alert with its id. */
  async create(alert: StoredAlert): Promise<VersionedAlert | null> {
    try {
      const request = { index: this.alerts, id: alert.alert_id, document: alert, refresh: true };
      return { alert, version: versionOf(await this.es.create(request)) };
    } catch (error) {
      if (rejectionStatus(error) === 409) return null;
      throw error;
    }
  }

  /** Reads an alert; null if there is none with the id. */
  async read(id: string): Promise<VersionedAlert | null> {
    const [found = null] = await this.readMany([id]);
    return found;
  }

  /** Reads alerts by id; null where there is none with the id. @throws EngineUnavailableError if a shard cannot be read. */
  async readMany(ids: readonly string[]): Promise<(VersionedAlert | null)[]> {
    if (ids.length === 0) return [];
    const { docs } = await this.es.mget<StoredAlert>({ index: this.alerts, ids: [...ids] });
    return docs.map((doc) => {
      if ('error' in doc && doc.error.type !== 'index_not_found_exception')
        throw new EngineUnavailableError(`Elasticsearch cannot read an alert: ${doc.error.type}`);
      if ('error' in doc || doc._source === undefined) return null;
      return { alert: doc._source, version: versionOf(doc) };
    });
  }

  /** Reads the alerts that match a query, sorted by id, in pages of at most `size`, with all members or only some of them. */
  async *pages<T extends Pick<StoredAlert, 'alert_id'> = StoredAlert>(
    query: estypes.QueryDslQueryContainer,
    size: number,
    members?: string[],
  ): AsyncGenerator<T[]> {
    const sort = [{ alert_id: 'asc' as const }];
    const request = { index: this.alerts, query, sort, ...(members && { _source: members }), size };
    for await (const hits of searchPages<T>(this.es, request))
      yield hits.flatMap(({ _source }) => _source ?? []);
  }

  /** Reads the alerts of a developer, sorted by creation, and their number. */
  async ofDeveloper(
    developer_id: string,
    { fingerprint, limit, offset }: { fingerprint?: string; limit: number; offset: number },
  ): Promise<{ total: number; alerts: StoredAlert[] }> {
    const same = fingerprint === undefined ? [] : [{ term: { fingerprint } }];
    const { hits } = await this.es.search<StoredAlert>({
      index: this.alerts,
      ignore_unavailable: true,
      query: { bool: { filter: [{ term: { developer_id } }, ...same] } },
      sort: [{ created_at: 'asc' }, { alert_id: 'asc' }],
      from: offset,
      size: limit,
      track_total_hits: true,
    });
    return { total: totalOf({ hits }), alerts: hits.hits.flatMap(({ _source }) => _source ?? []) };
  }

  /** Replaces alerts with one request. @returns the new versions; null where somebody else changed one. @throws EngineUnavailableError */
  async replaceMany(replaced: readonly VersionedAlert[], refresh: boolean) {
    const operations = replaced.map(({ alert, version }) =>
      operationOf('index', { _id: alert.alert_id, ...version }, alert),
    );
    const answers = await sendOperations(this.es, this.alerts, operations, new Backoff({}), { refresh });
    return replaced.map(({ alert }, i) => {
      const answer = answers[i];
      return answer === undefined || isConflict(answer) ? null : { alert, version: versionOf(answer) };
    });
  }

  async replace(replaced: VersionedAlert, refresh: boolean): Promise<VersionedAlert | null> {
    const [stored = null] = await this.replaceMany([replaced], refresh);
    return stored;
  }

  async delete(id: string): Promise<void> {
    await this.es.delete({ index: this.alerts, id, refresh: true }, { ignore: [404] });
  }

  /** Moves the open events of alerts to the index of events, unless they are there. @returns the alerts without, as `replaceMany` does. */
  async storeOpenEvents(alerts: readonly VersionedAlert[], refresh: boolean) {
    const open = alerts.filter(({ alert }) => alert.open_event !== null);
    if (open.length === 0) return [...alerts];
    const events = open.flatMap(({ alert }) => alert.open_event ?? []);
    const operations = events.map((event) => operationOf('create', { _id: event.event_id }, event));
    const answers = await sendOperations(this.es, this.events, operations, new Backoff({}), { refresh });
    answers.forEach(isConflict);
    this.onEvents();
    const closed = open.map(({ alert, version }) => ({ alert: { ...alert, open_event: null }, version }));
    const stored = await this.replaceMany(closed, refresh);
    const byId = new Map(open.map(({ alert }, i) => [alert.alert_id, stored[i] ?? null]));
    return alerts.map((one) => byId.get(one.alert.alert_id) ?? (one.alert.open_event === null ? one : null));
  }
}

const operationOf = (action: 'index' | 'create', target: object, document: object): string =>
  `${JSON.stringify({ [action]: { ...target, require_alias: false } })}\n${JSON.stringify(document)}`;

/** Whether a write failed because the document has another version. @throws Error if it failed for any other reason. */
function isConflict({ status, error }: estypes.BulkResponseItem): boolean {
  if (status !== 409 && error !== undefined)
    throw new Error(`Elasticsearch rejects alerts: ${error.reason ?? error.type}`);
  return status === 409;
}
