import { Writable } from 'node:stream';
import { assert } from 'chai';
import winston from 'winston';
import { removeElasticsearchTraces } from '../../tools/local-services/traces.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { readConfig } from '../../src/platform/config/config.js';
import { auditLog } from '../../src/telemetry/audit.js';
import { EVENT_KINDS } from '../../src/telemetry/events/streams.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { redactor } from '../../src/telemetry/redact.js';
import { type Service, startService } from '../../src/wiring.js';
import { type Gate, startGate } from '../support/gate.js';
import { patientConfig } from '../support/patience.js';
import { elasticsearchUrl, indexPrefix, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';

const ADMIN_SECRET = 'the-secret-of-the-audit-tests';
const prefix = `${indexPrefix}-audit`;

/** These tests were seen to fail when the endpoints of keys wrote no audit events. */
describe('the audit of keys', function () {
  const lines: any[] = [];
  let service: Service;
  let documents: any[] = [];
  let gate: Gate;
  /** The lines of the service's requests to Elasticsearch and of the responses, in their order. */
  const passed: string[] = [];
  const { elasticsearch } = readConfig({ ELASTICSEARCH_URL: elasticsearchUrl });
  const es = createElasticsearch(elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
  before(async () => {
    gate = await startGate(elasticsearchUrl);
    gate.watch(async ({ line, answer }) => {
      passed.push(answer === undefined ? line : `answer to ${line}`);
      // The last index template is delayed. Meanwhile, the service tries again to create the templates, and
      // must not write events.
      const isRetried = () =>
        passed.filter((each) => each === `GET /_data_stream/${prefix}-${EVENT_KINDS[0]}`).length > 1;
      if (line === `PUT /_index_template/${prefix}-${EVENT_KINDS.at(-1)}` && answer === undefined)
        await until(() => isRetried() || passed.some((each) => each.endsWith('/_bulk')));
    });
    const config = patientConfig({
      NODE_ENV: 'production',
      PORT: '0',
      HOST: '0.0.0.0',
      EVENTS: 'on',
      ELASTICSEARCH_URL: gate.url,
      REDIS_URL: redisUrl,
      INDEX_PREFIX: prefix,
      ADMIN_SECRET,
      JWT_SECRET: 'signs-the-tokens-of-the-audit-tests',
      TRUST_PROXY: '1',
    });
    const logger = createLogger(config, redactor(config));
    const stream = new Writable({
      write(line, _encoding, done) {
        lines.push(JSON.parse(String(line)));
        done();
      },
    });
    logger.clear().add(new winston.transports.Stream({ stream }));
    service = await startService(config, logger);
  });
  after(async () => {
    await service.stop();
    await gate.close();
    await removeElasticsearchTraces(es, prefix);
    await es.close();
  });

  const ask = async (
    id: string,
    path: string,
    init: RequestInit & { headers?: Record<string, string> } = {},
  ) => {
    const headers = { 'x-request-id': id, 'x-forwarded-for': '203.0.113.9', ...init.headers };
    const response = await fetch(`${service.url}${path}`, { ...init, headers });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  const audited = (id: string) =>
    lines.filter((line) => line.event?.category?.includes('iam') && line.http?.request?.id === id);

  it('records for each created or revoked key its id, its developer, the address and the request', async () => {
    const asked = { developer_id: 'dev-42', name: 'Shop', tier: 'standard', admin_secret: ADMIN_SECRET };
    const made = await ask('make', '/v1/keys', { method: 'POST', body: JSON.stringify(asked) });
    assert.equal(made.status, 201);
    const right = { 'x-admin-secret': ADMIN_SECRET };
    const path = `/v1/keys/${made.body.key_id}`;
    assert.equal((await ask('revoke', path, { method: 'DELETE', headers: right })).status, 204);
    assert.equal((await ask('unknown', '/v1/keys/x', { method: 'DELETE', headers: right })).status, 404);
    assert.equal((await ask('list', '/v1/keys', { headers: right })).status, 200);
    for (const [id, action, type] of [
      ['make', 'key-created', 'creation'],
      ['revoke', 'key-revoked', 'deletion'],
    ] as const) {
      const [line, ...more] = audited(id);
      assert.isEmpty(more);
      assert.equal(line.message, `${action} ${made.body.key_id}`);
      assert.deepInclude(line.event, {
        kind: 'event',
        category: ['iam'],
        type: [type],
        action,
        outcome: 'success',
      });
      const { address_hash: hash, ...catalog } = line.catalog;
      assert.deepEqual(catalog, {
        by: 'api',
        key: { id: made.body.key_id, tier: 'standard' },
        developer: 'dev-42',
      });
      assert.match(hash, /^[\w-]{22}$/);
    }
    assert.equal(audited('make')[0].catalog.address_hash, audited('revoke')[0].catalog.address_hash);
    assert.isEmpty([...audited('unknown'), ...audited('list')]);
  });

  it('records each refusal of the operator’s endpoints', async () => {
    const wrong = { headers: { 'x-admin-secret': 'wrong-9999' } };
    for (let i = 1; i <= 6; i += 1) await ask(`guess-${i}`, '/v1/keys', wrong);
    const elsewhere = { ...wrong.headers, 'x-forwarded-for': '203.0.113.10' };
    await ask('elsewhere', '/v1/keys/x', { method: 'DELETE', headers: elsewhere });
    const { event, catalog, message } = audited('guess-5')[0];
    assert.equal(message, 'admin-refused 403');
    assert.deepInclude(event, { category: ['iam'], action: 'admin-refused', outcome: 'failure' });
    assert.hasAllKeys(catalog, ['by', 'address_hash']);
    assert.equal(audited('guess-6')[0].message, 'admin-refused 429');
    assert.notEqual(audited('elsewhere')[0].catalog.address_hash, catalog.address_hash);
  });

  it('records which key replaces another one', async () => {
    const asked = { developer_id: 'dev-43', name: 'Shop', tier: 'free', admin_secret: ADMIN_SECRET };
    const old = await ask('old', '/v1/keys', { method: 'POST', body: JSON.stringify(asked) });
    const right = { headers: { 'x-admin-secret': ADMIN_SECRET }, method: 'POST', body: '{}' };
    const made = await ask('rotate', `/v1/keys/${old.body.key_id}/rotate`, right);
    assert.equal(made.status, 201);
    const { event, catalog } = audited('rotate')[0];
    assert.deepInclude(event, { action: 'key-rotated', type: ['change'] });
    assert.deepEqual(catalog.key, { id: made.body.key_id, tier: 'free', replaces: old.body.key_id });
  });

  it('stores each record as a document in the event streams', async () => {
    documents = await until(async () => {
      await es.indices.refresh({ index: `${prefix}-audit*` });
      const { hits } = await es.search<any>({ index: `${prefix}-audit*`, size: 100 }, { ignore: [404] });
      const found: any[] = hits.hits.map(({ _source }) => _source);
      return found.some(({ http }) => http.request.id === 'rotate') ? found : null;
    });
    for (const id of ['make', 'guess-5', 'revoke', 'rotate']) {
      const document = documents.find(({ http }) => http.request.id === id);
      const [line] = audited(id);
      for (const part of ['event', 'http', 'catalog'])
        assert.deepEqual(document[part], line[part], `${id}: the document says what the log does`);
      assert.isNotNaN(Date.parse(document['@timestamp']));
    }
  });

  it('is written after the templates of all streams', () => {
    const firstBulk = passed.findIndex((line) => line.endsWith('/_bulk'));
    for (const kind of EVENT_KINDS)
      assert.include(passed.slice(0, firstBulk), `answer to PUT /_index_template/${prefix}-${kind}`);
  });

  it('contains no address, key or secret', () => {
    const text = JSON.stringify([lines, documents]);
    for (const secret of ['203.0.113', 'svc_live_', ADMIN_SECRET, 'wrong-9999'])
      assert.notInclude(text, secret);
  });

  it('begins with a warning if any client can state an address of its choice', () => {
    assert.include(lines.map(({ message }) => message).join('\n'), 'TRUST_PROXY=1 trusts X-Forwarded-For');
  });
});

describe('an audit event', () => {
  const logger = createLogger({ environment: 'test', logLevel: 'silent' });
  const client = { requestId: 'svc_live_pasted-where-an-id-belongs', address: () => '203.0.113.9' };

  it('is stored for ten refusals a minute over all clients, with the number of those that were not stored', () => {
    const documents: any[] = [];
    let ms = Date.parse('2026-11-22T12:00:00Z');
    const audit = auditLog(logger, {
      environment: 'test',
      secret: 's',
      now: () => new Date(ms),
      write: (_at, document) => documents.push(document),
    });
    for (let i = 0; i < 25; i += 1) audit({ action: 'admin-refused', status: 403 }, client);
    assert.lengthOf(documents, 10);
    const key = { id: 'k', tier: 'free', developerId: 'svc_live_pasted-where-a-name-belongs' } as const;
    audit({ action: 'key-created', key }, client);
    assert.lengthOf(documents, 11, 'what was done is never left out');
    ms += 6_000;
    audit({ action: 'admin-refused', status: 403 }, client);
    assert.equal(documents.at(-1).catalog.omitted, 15);
    assert.notInclude(JSON.stringify(documents), 'pasted');
    assert.notInclude(JSON.stringify(documents), '203.0.113');
  });
});
