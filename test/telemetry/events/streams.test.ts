import { randomBytes } from 'node:crypto';
import { assert } from 'chai';
import { removeElasticsearchTraces } from '../../../tools/local-services/traces.js';
import { createElasticsearch } from '../../../src/engine/client.js';
import { readConfig } from '../../../src/platform/config/config.js';
import {
  deleteExpired,
  enforceRetention,
  expiredIndices,
  oversizedIndices,
} from '../../../src/telemetry/events/retention.js';
import {
  EVENT_KINDS,
  eventStream,
  eventTemplate,
  indexFor,
  prepareStream,
} from '../../../src/telemetry/events/streams.js';
import { writeEvents } from '../../../src/telemetry/events/stream-writer.js';
import { elasticsearchUrl, indexPrefix } from '../../support/services.js';

const prefix = `${indexPrefix}-${randomBytes(3).toString('hex')}`;
const where = { indexPrefix: prefix, retentionDays: 30 };

describe('the indices of events', () => {
  const config = readConfig({ ELASTICSEARCH_URL: elasticsearchUrl });
  const es = createElasticsearch(config.elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
  after(async () => {
    await removeElasticsearchTraces(es, prefix);
    await es.close();
  });
  const stream = eventStream('requests', where);
  const document = (id: string, at: string, more: object = {}) => ({
    id,
    at: new Date(at),
    json: JSON.stringify({ '@timestamp': at, event: { action: 'request' }, ...more }),
  });

  it('have a template that Elasticsearch accepts, for data streams and for daily indices', async () => {
    for (const kind of EVENT_KINDS) {
      const each = eventStream(kind, where);
      for (const storage of ['data stream', 'daily indices'] as const) {
        const { template } = await es.indices.simulateTemplate({ ...eventTemplate(each, storage) });
        assert.property(template.mappings.properties, '@timestamp', kind);
      }
      const { data_stream, template } = eventTemplate(each, 'data stream');
      assert.deepEqual(data_stream, {});
      const kept = kind === 'audit' ? '365d' : '30d';
      assert.deepEqual(template?.lifecycle, { data_retention: kept });
    }
  });

  it('have one name for reading and writing, as a data stream or as daily indices', async () => {
    const storage = await prepareStream(es, stream);
    assert.equal(await prepareStream(es, stream), storage, 'safe to repeat');
    const today = new Date().toISOString();
    const first = [document('a', today), document('b', today)];
    assert.deepEqual(await writeEvents(es, { stream, storage }, first), {
      written: 2,
      refused: 0,
      again: [],
      diskFull: 0,
    });
    // The stream is prepared again, because other requests are sent if it already exists.
    assert.equal(await prepareStream(es, stream), storage);
    await es.indices.refresh({ index: stream.name });
    assert.equal((await es.count({ index: stream.name })).count, 2);
    assert.equal((await es.count({ index: `${stream.name}*` })).count, 2, 'what dashboards read');
    const [mapping] = Object.values(await es.indices.getMapping({ index: stream.name }));
    assert.nestedPropertyVal(mapping?.mappings, 'properties.catalog.properties.query.type', 'keyword');
  });

  it('contain an event once if it is written twice, and report what Elasticsearch refuses', async () => {
    const storage = await prepareStream(es, stream);
    const today = new Date().toISOString();
    const batch = [
      document('once', today),
      document('once', today),
      document('bad', today, { http: 'text' }),
    ];
    const { reason, ...counts } = await writeEvents(es, { stream, storage }, batch);
    assert.deepEqual(counts, { written: 2, refused: 1, again: [], diskFull: 0 });
    assert.equal(reason, 'document_parsing_exception');
    await es.indices.refresh({ index: stream.name });
    const { count } = await es.count({ index: stream.name, query: { ids: { values: ['once', 'bad'] } } });
    assert.equal(count, 1);
  });

  it('are deleted when all of a day is past the retention, unlike indices of others', () => {
    const indices = [
      `${prefix}-requests-2026.10.01`,
      `${prefix}-requests-2026.10.02`,
      `${prefix}-requests-2026.1.1`,
      `${prefix}-requests-v1`,
      `${prefix}-requests`,
      `${prefix}-loads-2026.01.01`,
      `other-requests-2026.01.01`,
    ];
    const at = (now: string) => expiredIndices(indices, stream, new Date(now));
    assert.deepEqual(at('2026-10-31T23:59:59Z'), []);
    assert.deepEqual(at('2026-11-01T00:00:00Z'), [indices[0]]);
    assert.deepEqual(at('2026-11-02T00:00:00Z'), [indices[0], indices[1]]);
  });

  it('are deleted past their retention by two processes at the same time', async () => {
    const own = eventStream('loads', { ...where, indexPrefix: `${prefix}-old` });
    const days = ['2026-01-01', '2026-01-02', '2026-03-01'].map((day) => new Date(`${day}T12:00:00Z`));
    const indices = days.map((at) => indexFor(own, 'daily indices', at));
    for (const index of indices) await es.indices.create({ index });
    const now = new Date('2026-03-02T00:00:00Z');
    await Promise.all([deleteExpired(es, own, now), deleteExpired(es, own, now)]);
    const { indices: left } = await es.indices.resolveIndex({ name: `${own.name}-*` });
    assert.deepEqual(
      left.map(({ name }) => name),
      [indices[2]],
    );
  });

  it('are selected for deletion, the oldest first, until the others fit into the maximum size', () => {
    const sizes = [40, 30, 20, 10].map((bytes, i) => ({ index: `day-${i}`, bytes }));
    assert.deepEqual(oversizedIndices(sizes, 100), []);
    assert.deepEqual(oversizedIndices(sizes, 99), ['day-0']);
    assert.deepEqual(oversizedIndices(sizes, 30), ['day-0', 'day-1']);
    assert.deepEqual(oversizedIndices(sizes, 0), ['day-0', 'day-1', 'day-2', 'day-3']);
  });

  it('are deleted, the oldest first, while they exceed the maximum size', async () => {
    const own = eventStream('requests', { ...where, indexPrefix: `${prefix}-big`, retentionDays: 3_000 });
    const days = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => new Date(`${day}T12:00:00Z`));
    const indices = days.map((at) => indexFor(own, 'daily indices', at));
    const other = `${own.name}-notes`;
    for (const index of [...indices, other]) {
      const text = randomBytes(200_000).toString('hex');
      await es.create({ index, id: '1', document: { text }, refresh: true });
      await es.indices.flush({ index });
    }
    const { _all: all } = await es.indices.stats({ index: indices.slice(1), metric: ['store'] });
    const maxBytes = (all.total?.store?.size_in_bytes ?? 0) + 1_000;
    const keep = () => enforceRetention(es, own, 'daily indices', { maxBytes, now: new Date('2026-01-04') });
    const gone = await Promise.all([keep(), keep()]);
    assert.sameMembers([...new Set(gone.flat())], indices.slice(0, 1));
    const { indices: left } = await es.indices.resolveIndex({ name: `${own.name}-*` });
    assert.sameMembers(
      left.map(({ name }) => name),
      [...indices.slice(1), other],
    );
  });
});
