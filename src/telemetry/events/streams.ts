import { type Client, errors, type estypes, type TransportRequestOptions } from '@elastic/elasticsearch';
import { shippedJson } from '../../platform/shipped-files.js';

/** What is recorded: requests by the service, loads by `npm run ingest`, and by both what is done with keys. */
export const EVENT_KINDS = ['requests', 'loads', 'audit'] as const;
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

/** Who may do what is asked about long after it was done. */
const AUDIT_DAYS = 365;

/** @param of.retentionDays `EVENTS_RETENTION`; audit events are kept for a year, whatever it says. */
export function eventStream(
  kind: EventKind,
  { indexPrefix, retentionDays }: { indexPrefix: string; retentionDays: number },
): EventStream {
  return {
    kind,
    name: `${indexPrefix}-${kind}`,
    retentionDays: kind === 'audit' ? AUDIT_DAYS : retentionDays,
  };
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
 * Puts the template, and brings what exists already up to its mappings. Safe to repeat and to do in several processes
 * at once. Takes a privilege over the whole cluster: whoever has it can have new indices join any alias.
 * @param signal gives it up.
 * @throws ResponseError 403 where the user may not.
 */
export async function prepareStream(es: Client, stream: EventStream, signal?: AbortSignal): Promise<Storage> {
  const { kind, name } = stream;
  const storage = await storageOf(es, stream, signal);
  await es.indices.putIndexTemplate({ name, ...eventTemplate(stream, storage) }, optionsOf(signal));
  await es.indices.putMapping({ index: name, ...mappingsOf(kind) }, unlessNew(signal));
  return storage;
}

/** As `prepareStream`, but where the user may not, somebody who may has done it, and nothing is changed. */
export async function preparedStream(
  es: Client,
  stream: EventStream,
  signal?: AbortSignal,
): Promise<{ storage: Storage; allowed: boolean }> {
  try {
    return { storage: await prepareStream(es, stream, signal), allowed: true };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { storage: await storageOf(es, stream, signal), allowed: false };
  }
}

/** An engine without the module for data streams does not know the path, and answers 400. */
export async function storageOf(
  es: Client,
  { name }: Pick<EventStream, 'name'>,
  signal?: AbortSignal,
): Promise<Storage> {
  try {
    await es.indices.getDataStream({ name }, unlessNew(signal));
    return 'data stream';
  } catch (error) {
    if (error instanceof errors.ResponseError && error.statusCode === 400) return 'daily indices';
    // One that may not ask is told so by an engine that knows what is asked.
    if (isForbidden(error)) return 'data stream';
    throw error;
  }
}

/** Whether the engine's user may not do this. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof errors.ResponseError && error.statusCode === 403;

const optionsOf = (signal?: AbortSignal): TransportRequestOptions => (signal === undefined ? {} : { signal });

/** 404 before the first document. */
export const unlessNew = (signal?: AbortSignal): TransportRequestOptions => ({
  ...optionsOf(signal),
  ignore: [404],
});

const mappingsOf = (kind: EventKind): estypes.MappingTypeMapping => MAPPINGS[kind];

const MAPPINGS = Object.fromEntries(
  EVENT_KINDS.map((kind) => [kind, shippedJson(`mappings/${kind}.json`)]),
) as Record<EventKind, estypes.MappingTypeMapping>;
