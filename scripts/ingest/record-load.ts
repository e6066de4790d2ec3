import { randomUUID } from 'node:crypto';
import { eventStream, preparedStream } from '../../src/observability/events/streams.js';
import { writeEvents } from '../../src/observability/events/write.js';
import type { Output } from '../shared/command.js';
import type { CommandEngine } from '../shared/engine.js';

/** The load has landed, or has not: its record is worth a moment, not more. */
const DEADLINES = { requestTimeout: 5_000, maxRetries: 0 };

/** Writes what dashboards are told of a load, unless they are told nothing. Never fails: it says on standard error that it could not. */
export async function recordLoad(
  { es, indexPrefix, events }: CommandEngine,
  documents: readonly Record<string, unknown>[],
  now: Date,
  err: Output,
): Promise<void> {
  if (events === null) return;
  const quick = es.child(DEADLINES);
  const stream = eventStream('loads', { indexPrefix, ...events });
  try {
    const { storage } = await preparedStream(quick, stream);
    const events = documents.map((document) => ({
      id: randomUUID(),
      at: now,
      json: JSON.stringify(document),
    }));
    const { refused, again, reason } = await writeEvents(quick, { stream, storage }, events);
    if (refused + again.length > 0) throw new Error(reason ?? 'the engine is busy');
  } catch (error) {
    err.write(`The load is not on record for dashboards: ${(error as Error).message}\n`);
  }
}
