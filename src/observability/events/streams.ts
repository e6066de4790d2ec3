import { type Client, errors, type estypes, type TransportRequestOptions } from '@elastic/elasticsearch';
import { shippedJson } from '../../files.js';

/** What is recorded: requests by the service, loads by `npm run ingest`. */
export const EVENT_KINDS = ['requests', 'loads'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** One kind of events in one installation. */
export interface EventStream {
  kind: EventKind;
  /** `<prefix>-<kind>`: what they are read by, as a data stream or an alias. */
  name: string;
  retentionDays: number;
}

/** Where an engine takes them; see docs/adr-006. */
export type Storage = 'data stream' | 'daily indices';

export function eventStream(
  kind: EventKind,
  { indexPrefix, retentionDays }: { indexPrefix: string; retentionDays: number },
): EventStream {
  return { kind, name: `${indexPrefix}-${kind}`, retentionDays };
}

/** What a document of that time is written to. */
export function indexFor({ name }: EventStream, storage: Storage, at: Date): string {
  return storage === 'data stream' ? name : `${name}-${at.toISOString().slice(0, 10).replaceAll('-', '.')}`;
}

/** The index template: with it, the first document creates what it is written to. */
export function eventTemplate(
  { kind, name, retentionDays }: EventStream,
  storage: Storage,
): Omit<estypes.IndicesPutIndexTemplateRequest, 'name'> {
  const isDataStream = storage === 'data stream';
  return {
    index_patterns: [isDataStream ? name : `${name}-*`],
    // Above the engine's own templates, which may match too if the prefix is `logs` or `metrics`.
    priority: 500,
    ...(isDataStream ? { data_stream: {} } : {}),
    template: {
      settings: { number_of_shards: 1, auto_expand_replicas: '0-1', refresh_interval: '5s' },
      mappings: mappingsOf(kind),
      ...(isDataStream
        ? { lifecycle: { data_retention: `${retentionDays}d` } }
        : { aliases: { [name]: {} } }),
    },
  };
}

/**
 * Puts the template, and brings what exists already up to its mappings and retention. Safe to repeat and to do in
 * several processes at once.
 * @param signal gives it up.
 */
export async function prepareStream(es: Client, stream: EventStream, signal?: AbortSignal): Promise<Storage> {
  const { kind, name, retentionDays } = stream;
  const options = signal === undefined ? {} : { signal };
  // 404 before the first document.
  const unlessNew = { ...options, ignore: [404] };
  const storage = await storageOf(es, name, unlessNew);
  await es.indices.putIndexTemplate({ name, ...eventTemplate(stream, storage) }, options);
  await es.indices.putMapping({ index: name, ...mappingsOf(kind) }, unlessNew);
  if (storage === 'data stream') {
    await es.indices.putDataLifecycle({ name, data_retention: `${retentionDays}d` }, unlessNew);
  }
  return storage;
}

/** An engine without the module for data streams does not know the path, and answers 400. */
async function storageOf(es: Client, name: string, unlessNew: TransportRequestOptions): Promise<Storage> {
  try {
    await es.indices.getDataStream({ name }, unlessNew);
    return 'data stream';
  } catch (error) {
    if (error instanceof errors.ResponseError && error.statusCode === 400) return 'daily indices';
    throw error;
  }
}

const mappingsOf = (kind: EventKind): estypes.MappingTypeMapping => MAPPINGS[kind];

const MAPPINGS = Object.fromEntries(
  EVENT_KINDS.map((kind) => [kind, shippedJson(`mappings/${kind}.json`)]),
) as Record<EventKind, estypes.MappingTypeMapping>;
