import type { Client } from '@elastic/elasticsearch';
import { rejectionStatus } from '../../engine/errors.js';
import { type DiskFull, isDiskFull, isDiskFullError, type WriteKind } from '../../engine/disk-full.js';
import { loggable, type Logger } from '../logger.js';
import { type BatchResult, type EventDocument, EventQueue, type QueueBounds } from './queue.js';
import { type EventStream, indexFor, type Storage } from './streams.js';

const TIMEOUT_MS = 10_000;

/** Writes a batch of events with one bulk request. @throws an error of the client if all of it failed. */
export async function writeEvents(
  es: Client,
  { stream, storage }: { stream: EventStream; storage: Storage },
  documents: readonly EventDocument[],
  signal?: AbortSignal,
): Promise<BatchResult> {
  const operations = documents.flatMap(({ id, at, json }) => [
    { create: { _index: indexFor(stream, storage, at), _id: id } },
    json,
  ]);
  const response = await es.bulk(
    {
      operations,
      // Without its index template, writing to the data stream's name would create an ordinary index.
      ...(storage === 'data stream' ? { require_data_stream: true } : {}),
      include_source_on_error: false,
      filter_path: ['errors', 'items.*.status', 'items.*.error.type'],
    },
    { requestTimeout: TIMEOUT_MS, maxRetries: 0, signal },
  );
  const result: BatchResult = { written: 0, refused: 0, again: [], diskFull: 0 };
  documents.forEach((document, i) => {
    const { status, error } = response.items[i]?.create ?? { status: 503, error: undefined };
    // The status 409 means that an earlier attempt has written this event.
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

/** Whether the whole request was invalid or too large, so that sending it again cannot succeed. */
const isRejectedForGood = (error: unknown): boolean => [400, 413].includes(rejectionStatus(error) ?? 0);

interface StreamTarget {
  es: Client;
  stream: EventStream;
  /** Determines how Elasticsearch stores the stream. @throws if Elasticsearch does not answer. */
  storage: (signal: AbortSignal) => Promise<Storage>;
  kind: WriteKind;
  diskFull: DiskFull;
  logger: Logger;
}

/** Creates a queue that writes its events to a stream, and logs when failures begin and end. */
export function streamWriter(target: StreamTarget, bounds: Partial<QueueBounds> = {}): EventQueue {
  const { es, stream, storage, kind, diskFull, logger } = target;
  const label = kind.replace('_', ' ');
  let isFailing = false;
  const logFailure = (details: object) => {
    if (!isFailing)
      logger.warn(`${label} cannot be written now; they are kept as long as there is room`, details);
    isFailing = true;
  };
  const send = async (batch: readonly EventDocument[], signal: AbortSignal): Promise<BatchResult> => {
    try {
      const result = await writeEvents(es, { stream, storage: await storage(signal) }, batch, signal);
      if (result.refused > 0) logger.warn(`the engine refused ${result.refused} ${label}: ${result.reason}`);
      if (result.diskFull > 0) diskFull.refused(kind, result.diskFull);
      else if (result.written > 0) diskFull.accepted(kind);
      else if (result.again.length > 0) logFailure({ error: { type: result.reason } });
      if (isFailing && result.written > 0) {
        logger.info(`${label} are written again; ${queue.dropped} were lost so far`);
        isFailing = false;
      }
      return result;
    } catch (error) {
      if (isRejectedForGood(error)) {
        logger.error(`${batch.length} ${label} are lost`, loggable(error));
        return { written: 0, refused: batch.length, again: [], diskFull: 0 };
      }
      if (isDiskFullError(error)) diskFull.refused(kind, batch.length);
      else if (!signal.aborted) logFailure(loggable(error));
      throw error;
    }
  };
  const queue = new EventQueue(send, bounds);
  return queue;
}
