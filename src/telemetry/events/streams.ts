import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import { rejectionStatus } from '../../engine/errors.js';
import { shippedJson } from '../../platform/shipped-files.js';
import { INDICES, type IndexKind, storedIndex, storedIndices } from '../../platform/stored.js';
import type { Logger } from '../logger.js';

/** A kind of events: requests, loads of feeds by `npm run ingest`, or changes of API keys. */
export type EventKind = {
  [Kind in IndexKind]: (typeof INDICES)[Kind] extends { form: 'stream' } ? Kind : never;
}[IndexKind];

export const EVENT_KINDS = storedIndices.flatMap(([kind, { form }]) =>
  form === 'stream' ? [kind as EventKind] : [],
);

export interface EventStream {
  kind: EventKind;
  /** `<prefix>-<kind>`: the data stream or alias from which the events are read. */
  name: string;
  retentionDays: number;
}

/** How Elasticsearch stores the events of a stream, in a data stream or in daily indices; see docs/adr-006. */
export type Storage = 'data stream' | 'daily indices';

/** Describes an event stream. @param options.retentionDays how long events are kept, unless `INDICES` states another time. */
export function eventStream(
  kind: EventKind,
  { indexPrefix, retentionDays }: { indexPrefix: string; retentionDays: number },
): EventStream {
  const { keep } = INDICES[kind];
  return {
    kind,
    name: storedIndex(indexPrefix, kind),
    retentionDays: keep === 'EVENTS_RETENTION' ? retentionDays : keep,
  };
}

export function indexFor({ name }: EventStream, storage: Storage, at: Date): string {
  return storage === 'data stream' ? name : `${name}-${at.toISOString().slice(0, 10).replaceAll('-', '.')}`;
}

export function eventTemplate(
  { kind, name, retentionDays }: EventStream,
  storage: Storage,
): Omit<estypes.IndicesPutIndexTemplateRequest, 'name'> {
  const isDataStream = storage === 'data stream';
  return {
    index_patterns: [isDataStream ? name : `${name}-*`],
    // Elasticsearch's own templates match, too, if the prefix is `logs` or `metrics`.
    priority: 500,
    ...(isDataStream ? { data_stream: {} } : {}),
    template: {
      settings: { number_of_shards: 1, auto_expand_replicas: '0-1', refresh_interval: '5s' },
      mappings: MAPPINGS[kind],
      ...(isDataStream
        ? { lifecycle: { data_retention: `${retentionDays}d` } }
        : { aliases: { [name]: {} } }),
    },
  };
}

/** Creates the index template of a stream, and updates existing mappings. @throws ResponseError 403 without `manage_index_templates`. */
export async function prepareStream(es: Client, stream: EventStream, signal?: AbortSignal): Promise<Storage> {
  const { kind, name } = stream;
  const storage = await storageOf(es, stream, signal);
  await es.indices.putIndexTemplate({ name, ...eventTemplate(stream, storage) }, { signal });
  await es.indices.putMapping({ index: name, ...MAPPINGS[kind] }, unlessNew(signal));
  return storage;
}

/** Like `prepareStream`, but does nothing if the user lacks the privilege to manage index templates. */
export async function preparedStream(es: Client, stream: EventStream, signal?: AbortSignal) {
  try {
    return { storage: await prepareStream(es, stream, signal), allowed: true };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { storage: await storageOf(es, stream, signal), allowed: false };
  }
}

/** Returns a function that prepares all streams once. Before, an event would create an index without mappings and alias. */
export function streamPreparation(es: Client, streams: readonly EventStream[], logger: Logger) {
  let known: Storage | null = null;
  return async (signal: AbortSignal) => {
    if (known !== null) return known;
    let prepared = { storage: 'data stream' as Storage, allowed: true };
    for (const stream of streams) if (prepared.allowed) prepared = await preparedStream(es, stream, signal);
    if (!prepared.allowed) logger.info('templates of events are left to npm run engine-users');
    return (known = prepared.storage);
  };
}

/** How Elasticsearch stores events: in daily indices if it answers 400, because it lacks the module for data streams. */
export async function storageOf(
  es: Client,
  { name }: Pick<EventStream, 'name'>,
  signal?: AbortSignal,
): Promise<Storage> {
  try {
    await es.indices.getDataStream({ name }, unlessNew(signal));
    return 'data stream';
  } catch (error) {
    if (rejectionStatus(error) === 400) return 'daily indices';
    // Elasticsearch supports data streams, but this user may not manage them.
    if (isForbidden(error)) return 'data stream';
    throw error;
  }
}

export const isForbidden = (error: unknown): boolean => rejectionStatus(error) === 403;

/** Ignores a 404, which Elasticsearch answers before the first event was written. */
export const unlessNew = (signal?: AbortSignal): TransportRequestOptions => ({ signal, ignore: [404] });

const MAPPINGS = Object.fromEntries(
  EVENT_KINDS.map((kind) => [kind, shippedJson(`mappings/${kind}.json`)]),
) as Record<EventKind, estypes.MappingTypeMapping>;
