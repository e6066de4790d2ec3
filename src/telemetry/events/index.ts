import { randomUUID } from 'node:crypto';
import { createElasticsearch } from '../../engine/client.js';
import { type Config, shareOf } from '../../platform/config/config.js';
import { type DiskFull, isDiskFullError } from '../../engine/disk-full.js';
import { loggable, type Logger } from '../logger.js';
import type { Observer, RequestRecord } from '../request-record.js';
import type { Redact } from '../redact.js';
import { Allowance } from './allowance.js';
import { requestEvent } from '../request-event.js';
import { enforceRetention } from './retention.js';
import { EVENT_KINDS, type EventKind, eventStream, preparedStream, type Storage } from './streams.js';
import { writingQueue } from './writer.js';

/** Makes each request a document in the engine, in the background. */
export interface Events extends Observer {
  /** Documents waiting now; written, lost, and left out on purpose since the start. */
  counts(): { queued: number; written: number; dropped: number; omitted: number; auditDropped: number };
  /** Writes down what was done with keys: a document of `<prefix>-audit`. Never waits. */
  audit(at: Date, document: Record<string, unknown>): void;
  /** Writes what is waiting, for at most so long. */
  stop(withinMs: number): Promise<void>;
}

const MAINTAIN_EVERY_MS = 3_600_000;

/** Requests without a good key that have a document, a minute: of each route, and of clicks on tracked links. */
const WITHOUT_KEY = 60;
const CLICKS = 1_200;

/** Audit events that wait at most: apart from requests, which would take all the room when the engine is away. */
const AUDIT_WAITING = 1_000;

/** Starts the writing of events: it never keeps a request or the start waiting, and the engine may be away. */
export function createEvents(given: {
  config: Config;
  retentionDays: number;
  maxBytes: number;
  diskFull: DiskFull;
  logger: Logger;
  redact: Redact;
  now: () => Date;
}): Events {
  const { config, retentionDays, maxBytes, diskFull, logger, redact, now } = given;
  const { indexPrefix, environment } = config;
  // Of its own: batches share neither connections nor deadlines with what requests ask.
  const es = createElasticsearch(config.elasticsearch, { requestTimeout: 10_000, maxRetries: 0 });
  const streamOf = (kind: EventKind) => eventStream(kind, { indexPrefix, retentionDays });
  const streams = EVENT_KINDS.map(streamOf);
  let storage: Storage | null = null;

  let ours = true;

  const maintain = async (signal: AbortSignal) => {
    for (const each of ours ? streams : []) {
      const found = await preparedStream(es, each, signal);
      storage = found.storage;
      ours = found.allowed;
      if (!ours) {
        logger.info('templates and retention of events are left to npm run engine-users and npm run events');
        return;
      }
      const gone = await enforceRetention(es, each, storage, { maxBytes, now: now(), signal });
      if (gone.length > 0) logger.warn(`deleted for EVENTS_MAX_SIZE: ${gone.join(', ')}`);
    }
  };
  const whereTo = async (signal: AbortSignal): Promise<Storage> => {
    if (storage === null) await maintain(signal);
    if (storage === null) throw new Error('unreachable: maintain() sets it or throws');
    return storage;
  };
  const target = { es, storage: whereTo, diskFull, logger };
  const queue = writingQueue({ ...target, stream: streamOf('requests'), what: 'events', kind: 'events' });
  const audited = writingQueue(
    { ...target, stream: streamOf('audit'), what: 'audit events', kind: 'audit_events' },
    { events: AUDIT_WAITING },
  );
  const allowance = new Allowance();
  const stopping = new AbortController();
  const maintainQuietly = () => {
    maintain(stopping.signal).catch((error: unknown) => {
      if (stopping.signal.aborted) return;
      // The first batch says so.
      if (isDiskFullError(error)) return;
      logger.warn('the indices of events could not be prepared', loggable(error));
    });
  };
  maintainQuietly();
  const timer = setInterval(maintainQuietly, MAINTAIN_EVERY_MS).unref();
  // One id for all of this process: cheaper than one for each event, and as unique with a number behind it.
  const process = randomUUID();
  let number = 0;
  const nextId = () => `${process}-${(number += 1)}`;

  return {
    ended(record) {
      if (record.endpoint?.probe === true) return;
      const omitted = record.key === null ? allowance.take(...kindOf(record, config.workers), record.at) : 0;
      if (omitted === null) return;
      const json = JSON.stringify(requestEvent(record, { environment, redact, omitted }));
      queue.add({ id: nextId(), at: record.at, json });
    },
    audit(at, document) {
      audited.add({ id: nextId(), at, json: JSON.stringify(document) });
    },
    counts: () => ({
      queued: queue.length,
      written: queue.written,
      dropped: queue.dropped,
      omitted: allowance.omitted,
      auditDropped: audited.dropped,
    }),
    async stop(withinMs) {
      clearInterval(timer);
      stopping.abort();
      await Promise.all([audited.close(withinMs), queue.close(withinMs)]);
      if (queue.dropped > 0) logger.warn(`${queue.dropped} events were lost`);
      if (audited.dropped > 0)
        logger.warn(`${audited.dropped} audit events were lost: the log alone has them`);
      await es.close();
    },
  };
}

/** What a request without a good key is counted as, and how many of its kind are written a minute. */
function kindOf({ route, event }: RequestRecord, workers: number): [kind: string, perMinute: number] {
  const [kind, perMinute] = event?.action === 'click' ? (['click', CLICKS] as const) : [route, WITHOUT_KEY];
  return [kind, shareOf(perMinute, workers)];
}
