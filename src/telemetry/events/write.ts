import { errors, type Client } from '@elastic/elasticsearch';
import { isDiskFull } from '../../engine/disk-full.js';
import { type EventStream, indexFor, type Storage } from './streams.js';

/** An event on its way. */
export interface EventDocument {
  /** Unique: an event that is sent again, because its answer was lost, is there once. */
  id: string;
  at: Date;
  /** The document as JSON; as text, so that nothing of its request is kept from being forgotten. */
  json: string;
}

/** What became of a batch. */
export interface Written {
  written: number;
  /** Refused for good, as a document that does not fit the mapping. */
  refused: number;
  /** Why documents were refused, or not taken now, in the engine's word for it. */
  reason?: string;
  /** Not taken now: worth another attempt. */
  again: EventDocument[];
  /** How many of these, because a disk of the engine is full. */
  diskFull: number;
}

const TIMEOUT_MS = 10_000;

/** One bulk request. @throws when the engine did not take it at all. */
export async function writeEvents(
  es: Client,
  target: { stream: EventStream; storage: Storage },
  documents: readonly EventDocument[],
  signal?: AbortSignal,
): Promise<Written> {
  const { stream, storage } = target;
  const operations = documents.flatMap(({ id, at, json }) => [
    { create: { _index: indexFor(stream, storage, at), _id: id } },
    json,
  ]);
  const answer = await es.bulk(
    {
      operations,
      // A name without its template would become an ordinary index.
      ...(storage === 'data stream' ? { require_data_stream: true } : {}),
      include_source_on_error: false,
      filter_path: ['errors', 'items.*.status', 'items.*.error.type'],
    },
    { requestTimeout: TIMEOUT_MS, maxRetries: 0, ...(signal ? { signal } : {}) },
  );
  const result: Written = { written: 0, refused: 0, again: [], diskFull: 0 };
  documents.forEach((document, i) => {
    const { status, error } = answer.items[i]?.create ?? { status: 503, error: undefined };
    // A conflict is with itself: an earlier attempt had got through.
    if (status < 300 || status === 409) result.written += 1;
    else if (status === 429 || status >= 500) {
      result.again.push(document);
      result.reason ??= error?.type ?? String(status);
      if (isDiskFull(status, error?.type)) result.diskFull += 1;
    } else {
      result.refused += 1;
      result.reason = error?.type ?? String(status);
    }
  });
  return result;
}

/** Whether the engine refused the batch as a whole for what it is, so that sending it again is of no use. */
export const isHopeless = (error: unknown): boolean =>
  error instanceof errors.ResponseError && (error.statusCode === 400 || error.statusCode === 413);
