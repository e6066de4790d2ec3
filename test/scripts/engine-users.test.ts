import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { type LocalEngine, startLocalElasticsearch } from '../../tools/services/index.js';
import { productsAlias } from '../../src/catalogue/indices.js';
import { createElasticsearch } from '../../src/elasticsearch/client.js';
import { readConfig } from '../../src/config.js';
import { eventStream, indexFor, prepareStream } from '../../src/observability/events/streams.js';
import { createLogger } from '../../src/observability/logger.js';
import { startService } from '../../src/service.js';
import { redisUrl } from '../support/services.js';
import { until } from '../support/until.js';

const run = promisify(execFile);

const OPERATOR = { username: 'operator', password: 'the-operator-of-this-test' };
const API = { username: 'shop-api', password: 'the-password-of-the-api' };
const DATA = { username: 'shop-data', password: 'the-password-of-the-data-team' };
const PREFIX = 'shop';

describe('npm run engine-users', function () {
  this.timeout(180_000);
  let engine: LocalEngine;
  const clients: Client[] = [];
  const clientOf = (auth: typeof API) => {
    const deadlines = { requestTimeout: 30_000, maxRetries: 1 };
    const client = createElasticsearch({ nodes: [engine.url], auth, caFile: null }, deadlines);
    clients.push(client);
    return client;
  };
  const engineUsers = (env: NodeJS.ProcessEnv = {}) =>
    run(process.execPath, ['--import', 'tsx', 'scripts/engine-users.ts'], {
      env: {
        ...process.env,
        ELASTICSEARCH_URL: engine.url,
        ELASTICSEARCH_USERNAME: OPERATOR.username,
        ELASTICSEARCH_PASSWORD: OPERATOR.password,
        INDEX_PREFIX: PREFIX,
        API_USERNAME: API.username,
        API_PASSWORD: API.password,
        DATA_USERNAME: DATA.username,
        DATA_PASSWORD: DATA.password,
        KIBANA_PASSWORD: 'the-password-of-kibana',
        ...env,
      },
    });
  const statusOf = (request: Promise<unknown>) =>
    request.then(
      () => 200,
      (error: { statusCode?: number }) => error.statusCode,
    );

  before(async () => {
    engine = await startLocalElasticsearch({ log: console.log, superuser: OPERATOR });
    await engineUsers();
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await engine.stop();
  });

  it('says which variable is missing or too short, and not its value', async () => {
    for (const [variable, value] of [
      ['API_PASSWORD', ''],
      ['DATA_PASSWORD', 'tooshort'],
    ] as const) {
      const { code, stderr } = await engineUsers({ [variable]: value }).then(
        () => assert.fail('it succeeded'),
        (error: { code: number; stderr: string }) => error,
      );
      assert.equal(code, 1);
      assert.include(stderr, variable);
      assert.notInclude(stderr, 'tooshort');
    }
  });

  it('lets the API serve and write its events, with its own user', async () => {
    const config = readConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      ELASTICSEARCH_URL: engine.url,
      ELASTICSEARCH_USERNAME: API.username,
      ELASTICSEARCH_PASSWORD: API.password,
      REDIS_URL: redisUrl,
      INDEX_PREFIX: PREFIX,
      EVENTS: 'on',
    });
    const service = await startService(config, createLogger(config));
    await until(async () => (await fetch(`${service.url}/readyz`)).ok);
    await service.stop();
    const operator = clientOf(OPERATOR);
    await operator.indices.refresh({ index: `${PREFIX}-requests*` });
    assert.isAbove((await operator.count({ index: `${PREFIX}-requests` })).count, 0);
  });

  it('keeps the API from changing products, and from what is not the service’s', async () => {
    const api = clientOf(API);
    const index = productsAlias(PREFIX);
    assert.equal(await statusOf(api.search({ index })), 200);
    const pit = await api.openPointInTime({ index, keep_alive: '1m' });
    assert.equal(await statusOf(api.closePointInTime({ id: pit.id })), 200);
    assert.equal(await statusOf(api.index({ index, id: '1', document: {} })), 403);
    assert.equal(await statusOf(api.indices.delete({ index: `${index}-v1` })), 403);
    assert.equal(
      await statusOf(api.indices.putSettings({ index, settings: { refresh_interval: '9s' } })),
      403,
    );
    assert.equal(await statusOf(api.indices.create({ index: 'strangers' })), 403);
    assert.equal(await statusOf(api.security.getUser()), 403);
    assert.equal(
      await statusOf(api.cluster.putSettings({ persistent: { 'cluster.max_shards_per_node': 900 } })),
      403,
    );
  });

  it('lets the data team do everything in the service’s indices, and nothing beside them', async () => {
    const data = clientOf(DATA);
    const other = `${productsAlias(PREFIX)}-v2`;
    assert.equal(await statusOf(data.indices.create({ index: other })), 200);
    const actions = [{ add: { index: other, alias: `${PREFIX}-products-next` } }];
    assert.equal(await statusOf(data.indices.updateAliases({ actions })), 200);
    assert.equal(await statusOf(data.indices.delete({ index: other })), 200);
    const loads = eventStream('loads', { indexPrefix: PREFIX, retentionDays: 30 });
    const storage = await prepareStream(data, loads);
    const document = { '@timestamp': new Date().toISOString() };
    assert.equal(
      await statusOf(
        data.index({ index: indexFor(loads, storage, new Date()), op_type: 'create', document }),
      ),
      200,
    );
    assert.equal(await statusOf(data.indices.create({ index: 'strangers' })), 403);
    assert.equal(await statusOf(data.security.getUser()), 403);
  });

  it('takes a new password when it is run again', async () => {
    await engineUsers({ API_PASSWORD: 'another-password-of-the-api' });
    assert.equal(await statusOf(clientOf(API).info()), 401);
    assert.equal(await statusOf(clientOf({ ...API, password: 'another-password-of-the-api' }).info()), 200);
    const kibana = clientOf({ username: 'kibana_system', password: 'the-password-of-kibana' });
    assert.equal(await statusOf(kibana.info()), 200);
  });
});
