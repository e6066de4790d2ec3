import type { Client } from '@elastic/elasticsearch';
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
  logger: Logger;
}

/** A queue whose batches become documents of a stream. What is lost, and that the engine takes none, is told in the log. */
export function writingQueue(target: Target, bounds: Partial<QueueBounds> = {}): EventQueue {
  const { es, stream, storage, what, logger } = target;
  let failing = false;
  const send: Send = async (batch, signal) => {
    try {
      const result = await writeEvents(es, { stream, storage: await storage(signal) }, batch, signal);
      if (result.refused > 0) logger.warn(`the engine refused ${result.refused} ${what}: ${result.reason}`);
      if (failing) logger.info(`${what} are written again; ${queue.dropped} were lost so far`);
      failing = false;
      return result;
    } catch (error) {
      if (isHopeless(error)) {
        logger.error(`${batch.length} ${what} are lost`, loggable(error));
        return { written: 0, refused: batch.length, again: [] };
      }
      if (!failing && !signal.aborted) {
        logger.warn(`${what} cannot be written now; they are kept as long as there is room`, loggable(error));
      }
      failing = true;
      throw error;
    }
  };
  const queue = new EventQueue(send, bounds);
  return queue;
}
