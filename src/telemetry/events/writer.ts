import type { Client } from '@elastic/elasticsearch';
import { type DiskFull, isDiskFullError, type WriteKind } from '../../engine/disk-full.js';
import { loggable, type Logger } from '../logger.js';
import { EventQueue, type QueueBounds, type Send } from './queue.js';
import type { EventStream, Storage } from './streams.js';
import { isHopeless, writeEvents } from './write.js';

/** Where the events of one stream go. */
export interface Target {
  es: Client;
  stream: EventStream;
  /** Where the engine takes them; prepares it where nobody has. @throws where it cannot be known now. */
  storage: (signal: AbortSignal) => Promise<Storage>;
  /** What log lines call them. */
  what: string;
  /** What metrics call them. */
  kind: WriteKind;
  /** Is told what becomes of batches while a disk of the engine is full. */
  diskFull: DiskFull;
  logger: Logger;
}

/** A queue whose batches become documents of a stream. What is lost, and that the engine takes none, is told in the log. */
export function writingQueue(target: Target, bounds: Partial<QueueBounds> = {}): EventQueue {
  const { es, stream, storage, what, kind, diskFull, logger } = target;
  let failing = false;
  const fail = (why: object) => {
    if (!failing) logger.warn(`${what} cannot be written now; they are kept as long as there is room`, why);
    failing = true;
  };
  const send: Send = async (batch, signal) => {
    try {
      const result = await writeEvents(es, { stream, storage: await storage(signal) }, batch, signal);
      if (result.refused > 0) logger.warn(`the engine refused ${result.refused} ${what}: ${result.reason}`);
      if (result.diskFull > 0) diskFull.refused(kind, result.diskFull);
      else if (result.written > 0) diskFull.accepted(kind);
      else if (result.again.length > 0) fail({ error: { type: result.reason } });
      if (failing && result.written > 0) {
        logger.info(`${what} are written again; ${queue.dropped} were lost so far`);
        failing = false;
      }
      return result;
    } catch (error) {
      if (isHopeless(error)) {
        logger.error(`${batch.length} ${what} are lost`, loggable(error));
        return { written: 0, refused: batch.length, again: [] };
      }
      if (isDiskFullError(error)) diskFull.refused(kind, batch.length);
      else if (!signal.aborted) fail(loggable(error));
      throw error;
    }
  };
  const queue = new EventQueue(send, bounds);
  return queue;
}
