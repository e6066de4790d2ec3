import { assert } from 'chai';
import { Lease } from '../../src/engine/lease.js';
import { ALERTS } from '../../src/usecases/alerts/alert-progress.js';
import { emptySummary } from '../../src/usecases/ingest/summary.js';
import { LoadEvents } from '../../src/usecases/ingest/load-events.js';
import { eventStream, prepareStream } from '../../src/telemetry/events/streams.js';
import { FULL_PASS } from '../../src/sources/follow-up-progress.js';
import { begunRun } from '../../src/sources/runs.js';
import { sourceOperation } from '../../src/sources/source-states.js';
import { writeEvents } from '../../src/telemetry/events/stream-writer.js';
import { connectEngine } from '../support/engine.js';
import { storedIndex } from '../../src/platform/stored.js';

/** Records a load, a run of a source, a check of the alerts and a full pass, as the commands do. */
export async function recordRuns(prefix: string): Promise<void> {
  const es = connectEngine();
  const stream = eventStream('loads', { indexPrefix: prefix, retentionDays: 30 });
  const storage = await prepareStream(es, stream);
  const at = new Date();
  const load = new LoadEvents('load-1', 'feed.csv', ['shop_a']);
  const counts = { source: 'shop_a', available: 10, vanished: 1, newer: 0, marked: 1 };
  const documents = [
    ...load.documents(emptySummary(), { at, duration: 1, failed: false }),
    load.completion(counts, { at, reason: null }),
  ];
  const events = documents.map((one, i) => ({ id: `${i}`, at, json: JSON.stringify(one) }));
  assert.include(await writeEvents(es, { stream, storage }, events), { written: documents.length });
  const begun = begunRun(at, { name: 'shop_a', files: ['feed.csv'], map: null });
  const last_run = { ...begun, outcome: 'refused', rule: 'allow_missing', price_change_pct: 1 };
  const state = {
    ...sourceOperation('shop_a').initial,
    source: 'shop_a',
    expected_freshness_s: 60,
    fresh_at: new Date(at.getTime() - 3_600_000).toISOString(),
    last_run,
  };
  await es.index({ index: storedIndex(prefix, 'sources'), document: state, refresh: true });
  const alerts = await Lease.acquire(es, prefix, ALERTS, () => undefined);
  await alerts.save({ checked_at: at.getTime() });
  await alerts.release();
  const pass = await Lease.acquire(es, prefix, FULL_PASS, () => undefined);
  await pass.save({ ended_at: at.toISOString() });
  await pass.release();
  await es.indices.refresh({ index: `${stream.name}*` });
  await es.close();
}
