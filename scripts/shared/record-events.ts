import { randomUUID } from 'node:crypto';
import { type EventKind, eventStream, preparedStream } from '../../src/telemetry/events/streams.js';
import { writeEvents } from '../../src/telemetry/events/stream-writer.js';
import type { Output } from './command.js';
import type { CommandEngine } from './engine.js';

/** Time limits for recording an event. They are short, because the recorded work is done already. */
const RECORDING_DEADLINES = { requestTimeout: 5_000, maxRetries: 0 };

const MISSING = {
  loads: 'The load could not be recorded for dashboards',
  audit: 'This could not be recorded in Elasticsearch; only the line above records it',
};

/** Records an event about what a command did, unless EVENTS is off. Never fails, but prints a warning. */
export async function recordEvents(
  kind: Exclude<EventKind, 'requests'>,
  { es, indexPrefix, events }: CommandEngine,
  documents: readonly Record<string, unknown>[],
  now: Date,
  err: Output,
): Promise<void> {
  if (events === null || documents.length === 0) return;
  const quick = es.child(RECORDING_DEADLINES);
  const stream = eventStream(kind, { indexPrefix, ...events });
  try {
    const { storage } = await preparedStream(quick, stream);
    const events = documents.map((document) => ({
      id: randomUUID(),
      at: now,
      json: JSON.stringify(document),
    }));
    const { refused, again, reason } = await writeEvents(quick, { stream, storage }, events);
    if (refused + again.length > 0) throw new Error(reason ?? 'Elasticsearch is busy');
  } catch (error) {
    err.write(`${MISSING[kind]}: ${(error as Error).message}\n`);
  }
}
