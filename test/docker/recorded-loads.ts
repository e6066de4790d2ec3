import { assert } from 'chai';
import { readConfig } from '../../src/platform/config/config.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { emptySummary } from '../../src/usecases/ingest/summary.js';
import { LoadRecord } from '../../src/usecases/ingest/load-record.js';
import { eventStream, prepareStream } from '../../src/telemetry/events/streams.js';
import { writeEvents } from '../../src/telemetry/events/write.js';
import { elasticsearchUrl } from '../support/services.js';

/** As `npm run ingest` does it. */
export async function recordLoads(prefix: string): Promise<void> {
  const { elasticsearch } = readConfig({ ELASTICSEARCH_URL: elasticsearchUrl });
  const es = createElasticsearch(elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
  const stream = eventStream('loads', { indexPrefix: prefix, retentionDays: 30 });
  const storage = await prepareStream(es, stream);
  const at = new Date();
  const load = new LoadRecord('load-1', 'feed.csv', ['shop_a']);
  const counts = { source: 'shop_a', available: 10, vanished: 1, newer: 0, marked: 1 };
  const documents = [
    ...load.documents(emptySummary(), { at, duration: 1, failed: false }),
    load.completion(counts, { at, reason: null }),
  ];
  const events = documents.map((one, i) => ({ id: `${i}`, at, json: JSON.stringify(one) }));
  assert.include(await writeEvents(es, { stream, storage }, events), { written: documents.length });
  await es.indices.refresh({ index: `${stream.name}*` });
  await es.close();
}
