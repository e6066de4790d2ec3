import { randomUUID } from 'node:crypto';
import { createElasticsearch } from '../../engine/client.js';
import { type Config, shareOf } from '../../platform/config/config.js';
import { type DiskFull, isDiskFullError } from '../../engine/disk-full.js';
import { loggable, type Logger } from '../logger.js';
import type { RequestRecord } from '../request-record.js';
import type { Redact } from '../redact.js';
import { RateBudget } from './rate-budget.js';
import { requestEvent } from '../request-event.js';
import { EVENT_KINDS, type EventKind, eventStream, streamPreparation } from './streams.js';
import { streamWriter } from './stream-writer.js';

export type Events = ReturnType<typeof createEvents>;

/** How many requests without an API key are recorded per minute, for each route, and how many clicks on links to shops. */
const ANONYMOUS_PER_MINUTE = 60;
const CLICKS_PER_MINUTE = 1_200;

/** Audit events have a queue of their own, which requests cannot fill while Elasticsearch is unavailable. */
const AUDIT_QUEUE_LENGTH = 1_000;

/** Writes a document for each request and each audit event to Elasticsearch, in the background. */
export function createEvents(given: {
  config: Config;
  retentionDays: number;
  diskFull: DiskFull;
  logger: Logger;
  redact: Redact;
}) {
  const { config, retentionDays, diskFull, logger, redact } = given;
  const { indexPrefix, environment } = config;
  // Events have a client of their own, so that they share neither connections nor deadlines with requests.
  const es = createElasticsearch(config.elasticsearch, { requestTimeout: 10_000, maxRetries: 0 });
  const streamOf = (kind: EventKind) => eventStream(kind, { indexPrefix, retentionDays });
  const storage = streamPreparation(es, EVENT_KINDS.map(streamOf), logger);
  const preparing = new AbortController();
  // The streams are prepared at once, because a service that stops soon has no time for it.
  storage(preparing.signal).catch((error: unknown) => {
    // A full disk is logged when the first batch of events cannot be written.
    if (preparing.signal.aborted || isDiskFullError(error)) return;
    logger.warn('the indices of events could not be prepared', loggable(error));
  });
  const target = { es, storage, diskFull, logger };
  const queue = streamWriter({ ...target, stream: streamOf('requests'), kind: 'events' });
  const auditQueue = streamWriter(
    { ...target, stream: streamOf('audit'), kind: 'audit_events' },
    { events: AUDIT_QUEUE_LENGTH },
  );
  const budget = new RateBudget();
  // A UUID for the process and a sequence number are as unique as a UUID for each event, and cheaper.
  const process = randomUUID();
  let number = 0;
  const nextId = () => `${process}-${(number += 1)}`;

  return {
    ended(record: RequestRecord): void {
      if (record.endpoint?.probe === true) return;
      const omitted = record.key === null ? budget.take(...budgetOf(record, config.workers), record.at) : 0;
      if (omitted === null) return;
      const json = JSON.stringify(requestEvent(record, { environment, redact, omitted }));
      queue.add({ id: nextId(), at: record.at, json });
    },
    /** Records a change of an API key as a document of `<prefix>-audit`. Returns at once. */
    audit(at: Date, document: Record<string, unknown>): void {
      auditQueue.add({ id: nextId(), at, json: JSON.stringify(document) });
    },
    counts: () => ({
      queued: queue.length,
      written: queue.written,
      dropped: queue.dropped,
      omitted: budget.omitted,
      auditDropped: auditQueue.dropped,
    }),
    async stop(withinMs: number): Promise<void> {
      preparing.abort();
      await Promise.all([auditQueue.close(withinMs), queue.close(withinMs)]);
      if (queue.dropped > 0) logger.warn(`${queue.dropped} events were lost`);
      if (auditQueue.dropped > 0)
        logger.warn(`${auditQueue.dropped} audit events were lost: the log alone has them`);
      await es.close();
    },
  };
}

function budgetOf({ route, event }: RequestRecord, workers: number): [kind: string, perMinute: number] {
  return event?.action === 'click'
    ? ['click', shareOf(CLICKS_PER_MINUTE, workers)]
    : [route, shareOf(ANONYMOUS_PER_MINUTE, workers)];
}
