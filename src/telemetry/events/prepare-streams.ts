import type { Client } from '@elastic/elasticsearch';
import type { Logger } from '../logger.js';
import { type EventStream, preparedStream, type Storage } from './streams.js';

/**
 * Returns a function that prepares all streams, unless that is done, and returns how Elasticsearch stores them. An event that
 * is written before the template of its stream exists would create an index without its mappings and its alias.
 */
export function streamPreparation(
  es: Client,
  streams: readonly EventStream[],
  logger: Logger,
): (signal: AbortSignal) => Promise<Storage> {
  let known: Storage | null = null;
  return async (signal) => {
    if (known !== null) return known;
    let storage: Storage | null = null;
    for (const stream of streams) {
      const prepared = await preparedStream(es, stream, signal);
      ({ storage } = prepared);
      if (prepared.allowed) continue;
      logger.info('templates of events are left to npm run engine-users');
      break;
    }
    if (storage === null) throw new Error('unreachable: there are streams');
    return (known = storage);
  };
}
