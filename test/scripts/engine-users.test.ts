// Chaos only (engines, 2 min): it starts an engine of its own.
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { main } from '../../scripts/engine-users.js';
import { main as followUp } from '../../scripts/follow-up.js';
import { main as suggest } from '../../scripts/suggest.js';
import { type LocalEngine, startLocalElasticsearch } from '../../tools/local-services/index.js';
import { productsAlias } from '../../src/engine/indices.js';
import { contentVersion } from '../../src/engine/index-versions.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { readConfig } from '../../src/platform/config/config.js';
import { eventStream, eventTemplate, indexFor, storageOf } from '../../src/telemetry/events/streams.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { startService } from '../../src/wiring.js';
import { run, startCommand, ends } from '../support/command.js';
import { redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { storedIndex } from '../../src/platform/stored.js';

const OPERATOR = { username: 'operator', password: 'the-operator-of-this-test' };
const API = { username: 'shop-api', password: 'the-password-of-the-api' };
const DATA = { username: 'shop-data', password: 'the-password-of-the-data-team' };
const PREFIX = 'shop';

describe('npm run engine-users', function () {
  let engine: LocalEngine;
  const clients: Client[] = [];
  const clientOf = (auth: typeof API) => {
    const deadlines = { requestTimeout: 30_000, maxRetries: 1 };
    const client = createElasticsearch({ nodes: [engine.url], auth, caFile: null }, deadlines);
    clients.push(client);
    return client;
  };
  const operator = () => ({
    ELASTICSEARCH_URL: engine.url,
    ELASTICSEARCH_USERNAME: OPERATOR.username,
    ELASTICSEARCH_PASSWORD: OPERATOR.password,
    INDEX_PREFIX: PREFIX,
    API_USERNAME: API.username,
    API_PASSWORD: API.password,
    DATA_USERNAME: DATA.username,
    DATA_PASSWORD: DATA.password,
    KIBANA_PASSWORD: 'the-password-of-kibana',
  });
  const engineUsers = (env: NodeJS.ProcessEnv = {}) => run(main, [], { env: { ...operator(), ...env } });
  const statusOf = (request: Promise<unknown>) =>
    request.then(
      () => 200,
      (error: { statusCode?: number }) => error.statusCode,
    );
  const assertStatus = async (
    status: number,
    requests: Record<string, () => Promise<unknown>>,
    user = 'user',
  ) => {
    for (const [name, request] of Object.entries(requests))
      assert.equal(await statusOf(request()), status, `${user}: ${name}`);
  };
  const runAsData = (command: typeof main) =>
    run(command, [], {
      env: { ...operator(), ELASTICSEARCH_USERNAME: DATA.username, ELASTICSEARCH_PASSWORD: DATA.password },
    });
  const configOfApi = (env: NodeJS.ProcessEnv) =>
    readConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      ELASTICSEARCH_URL: engine.url,
      ELASTICSEARCH_USERNAME: API.username,
      ELASTICSEARCH_PASSWORD: API.password,
      REDIS_URL: redisUrl,
      INDEX_PREFIX: PREFIX,
      ...env,
    });

  before(async () => {
    engine = await startLocalElasticsearch({ log: console.log, superuser: OPERATOR });
    await ends(startCommand('scripts/engine-users.ts', [], operator()).ended, 0, {
      out: new RegExp(`^${API.username}: user with the role ${PREFIX}-api$`, 'm'),
    });
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await engine.stop();
  });

  it('names a variable that is missing or too short without its value', async () => {
    for (const [variable, value] of [
      ['API_PASSWORD', ''],
      ['DATA_PASSWORD', 'tooshort'],
    ] as const) {
      const { code, err } = await engineUsers({ [variable]: value });
      assert.equal(code, 2);
      assert.include(err, variable);
      assert.notInclude(err, 'tooshort');
    }
  });

  /** Without outliveReader(), this test fails, because the command would end at its first line of output. */
  it('creates all users even if the reader of its output closes the pipe', async () => {
    const security = clientOf(OPERATOR).security;
    for (const username of [API.username, DATA.username]) await security.deleteUser({ username });
    const { child, ended } = startCommand('scripts/engine-users.ts', [], operator());
    child.stdout?.destroy();
    await ends(ended, 0);
    assert.containsAllKeys(await security.getUser(), [API.username, DATA.username]);
  });

  it('lets the API serve and write events as its own user', async () => {
    const config = configOfApi({ EVENTS: 'on' });
    const service = await startService(config, createLogger(config));
    await until(async () => (await fetch(`${service.url}/readyz`)).ok);
    await fetch(service.url);
    const operator = clientOf(OPERATOR);
    const index = `${PREFIX}-requests`;
    // The index of events does not exist before the first event.
    const noneYet = { ignore: [404, 503] };
    await until(async () => {
      await operator.indices.refresh({ index }, noneYet);
      return (await operator.count({ index }, noneYet)).count > 0;
    });
    await service.stop();
    const [made] = Object.values(await operator.indices.getMapping({ index }));
    assert.equal(String(made?.mappings.dynamic), 'false', 'as the template says');
  });

  it('makes a service with a wrong password log a single warning', async () => {
    const wrong = { ELASTICSEARCH_PASSWORD: 'the-password-of-another' };
    const config = configOfApi({ LOG_LEVEL: 'info', EVENTS: 'off', ...wrong });
    const stream = new PassThrough({ encoding: 'utf8' });
    let lines = '';
    stream.on('data', (text: string) => (lines += text));
    const service = await startService(config, createLogger(config, undefined, stream));
    await until(() => lines.includes(' warn '));
    // The service checks Elasticsearch once per second, so it would have logged further warnings by then.
    await sleep(2_500);
    await service.stop();
    const warnings = lines.split('\n').filter((line) => line.includes(' warn '));
    assert.lengthOf(warnings, 1, lines);
    assert.match(warnings[0] ?? '', /Elasticsearch refuses the credentials: see ELASTICSEARCH_USERNAME/);
  });

  it('keeps the API from changing products and from using other indices', async () => {
    const api = clientOf(API);
    const index = productsAlias(PREFIX);
    assert.equal(await statusOf(api.search({ index })), 200);
    const pit = await api.openPointInTime({ index, keep_alive: '1m' });
    assert.equal(await statusOf(api.closePointInTime({ id: pit.id })), 200);
    await assertStatus(403, {
      'change a product': () => api.index({ index, id: '1', document: {} }),
      'delete the index': () => api.indices.delete({ index: `${index}-v1` }),
      'change index settings': () => api.indices.putSettings({ index, settings: { refresh_interval: '9s' } }),
      'create another index': () => api.indices.create({ index: 'another' }),
      'read the users': () => api.security.getUser(),
      'change cluster settings': () =>
        api.cluster.putSettings({ persistent: { 'cluster.max_shards_per_node': 900 } }),
    });
  });

  it('with PARTNERS=on, lets the API write listings but not manage their index', async () => {
    const api = clientOf(API);
    const index = productsAlias(PREFIX);
    const write = () => statusOf(api.index({ index, id: '1', document: {} }));
    assert.equal(await write(), 403);
    assert.equal((await engineUsers({ PARTNERS: 'yes' })).code, 2);
    assert.equal((await engineUsers({ PARTNERS: 'on' })).code, 0);
    const config = configOfApi({ ADMIN_SECRET: 'the-secret-of-this-test' });
    const service = await startService(config, createLogger(config));
    const post = (path: string, body: unknown, authorization = '') =>
      fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify(body),
      });
    const wanted = { developer_id: 'acme', name: 'feed', tier: 'free', scopes: ['write:acme'] };
    const made = await post('/v1/keys', { ...wanted, admin_secret: 'the-secret-of-this-test' });
    const { raw_key: key } = (await made.json()) as { raw_key: string };
    assert.equal(
      (await post('/v1/listings', [{ sku: '1', source: 'acme', name: 'Kettle' }], `Bearer ${key}`)).status,
      200,
    );
    await service.stop();
    assert.equal(await statusOf(api.indices.delete({ index: `${index}-v1` })), 403);
    assert.equal((await engineUsers()).code, 0);
    assert.equal(await write(), 403, 'the privilege was revoked');
    const all = { index, query: { match_all: {} }, refresh: true };
    await clientOf(OPERATOR).deleteByQuery({ ...all, conflicts: 'proceed' });
  });

  it('lets the API add events but do nothing else with them', async () => {
    const api = clientOf(API);
    const stream = eventStream('requests', { indexPrefix: PREFIX, retentionDays: 30 });
    const storage = await storageOf(api, stream);
    const index = indexFor(stream, storage, new Date());
    const document = { '@timestamp': new Date().toISOString() };
    assert.equal(await statusOf(api.create({ index, id: 'an-event', document })), 200);
    // Through an alias of products, searches would find the events as listings.
    const alias = productsAlias(PREFIX);
    const injected = eventTemplate(stream, storage);
    injected.template = { ...injected.template, aliases: { [alias]: {} } };
    await assertStatus(403, {
      'put a template': () => api.indices.putIndexTemplate({ name: 'injected', ...injected }),
      'overwrite the template of its events': () =>
        api.indices.putIndexTemplate({ name: stream.name, ...injected }),
      'put a legacy template': () =>
        api.indices.putTemplate({ name: 'injected', index_patterns: [`${index}*`] }),
      'add an alias to its events': () => api.indices.putAlias({ index, name: alias }),
      'move aliases': () => api.indices.updateAliases({ actions: [{ add: { index, alias } }] }),
      'create an index with an alias': () =>
        api.indices.create({ index: `${index}0`, aliases: { [alias]: {} } }),
      'change settings': () => api.indices.putSettings({ index, settings: { refresh_interval: '9s' } }),
      'read events': () => api.search({ index }),
      'overwrite an event': () => api.index({ index, id: 'an-event', document }),
      'delete an event': () => api.delete({ index, id: 'an-event' }),
      'delete all': () => api.indices.delete({ index }),
      'record a load': () =>
        api.create({
          index: indexFor({ ...stream, name: `${PREFIX}-loads` }, storage, new Date()),
          id: '1',
          document,
        }),
    });
  });

  it('lets both users add audit events, and neither change or delete them', async () => {
    const stream = eventStream('audit', { indexPrefix: PREFIX, retentionDays: 30 });
    const storage = await storageOf(clientOf(OPERATOR), stream);
    const index = indexFor(stream, storage, new Date());
    const document = { '@timestamp': new Date().toISOString() };
    for (const [user, may] of [
      [API, 403],
      [DATA, 200],
    ] as const) {
      const client = clientOf(user);
      const id = `of-${user.username}`;
      assert.equal(await statusOf(client.create({ index, id, document })), 200, user.username);
      assert.equal(await statusOf(client.search({ index })), may, user.username);
      await assertStatus(
        403,
        {
          'overwrite an event': () => client.index({ index, id, document }),
          'delete an event': () => client.delete({ index, id }),
          'delete all': () => client.indices.delete({ index }),
          'delete all by query': () => client.deleteByQuery({ index, query: { match_all: {} } }),
          // In plain indices, unlike data streams, Elasticsearch lets a user who may add documents also add
          // fields to the mapping.
          ...(storage === 'data stream' && {
            'change their mapping': () => client.indices.putMapping({ index, properties: {} }),
            'shorten their retention': () =>
              client.indices.putDataLifecycle({ name: index, data_retention: '1d' }),
          }),
        },
        user.username,
      );
    }
    await ends(runAsData(followUp), 0);
  });

  it('lets the Prometheus exporter read the state of the engine but no documents', async () => {
    const monitoring = { username: 'shop-monitoring', password: 'the-password-of-monitoring' };
    const given = { MONITORING_USERNAME: monitoring.username, MONITORING_PASSWORD: monitoring.password };
    assert.equal((await engineUsers(given)).code, 0);
    const client = clientOf(monitoring);
    await assertStatus(200, {
      health: () => client.cluster.health(),
      nodes: () => client.nodes.stats(),
      indices: () => client.indices.stats({ index: '*' }),
      'list of indices': () => client.cat.indices(),
      // Without the privilege for this request, the exporter exports no index metrics.
      aliases: () => client.indices.getAlias(),
    });
    const repository = { type: 'fs', settings: { location: '/' } } as const;
    await assertStatus(403, {
      search: () => client.search({ index: productsAlias(PREFIX) }),
      'delete the index': () => client.indices.delete({ index: `${productsAlias(PREFIX)}-v1` }),
      'read the repositories': () => client.snapshot.getRepository(),
      'read the users': () => client.security.getUser(),
      'create a repository': () => client.snapshot.createRepository({ name: 'own', repository }),
    });
  });

  it('lets the user of the data team enforce retention but not create templates', async () => {
    const data = clientOf(DATA);
    const stream = eventStream('requests', { indexPrefix: PREFIX, retentionDays: 30 });
    const storage = await storageOf(data, stream);
    assert.equal(
      await statusOf(data.indices.putIndexTemplate({ name: stream.name, ...eventTemplate(stream, storage) })),
      403,
    );
    const index = indexFor(stream, 'daily indices', new Date('2026-01-01'));
    assert.equal(await statusOf(data.indices.create({ index })), 200);
    await ends(runAsData(followUp), 0, { out: /^trends: 0 listings with movement$/m });
    assert.isFalse(await data.indices.exists({ index }));
  });

  it('lets the data team build suggestions, and the API only read them', async () => {
    await ends(runAsData(suggest), 0, { out: /^suggestions: none, from 0 listings/ });
    const api = clientOf(API);
    const index = storedIndex(PREFIX, 'suggestions');
    await assertStatus(200, {
      search: () => api.search({ index }),
      'version of the products': () => contentVersion(api, [productsAlias(PREFIX)]),
      'version of the suggestions': () => contentVersion(api, [index]),
    });
    assert.equal(await statusOf(api.index({ index, document: { text: 'kettle' } })), 403);
  });

  it('lets the data team do everything in the indices of the service, and nothing elsewhere', async () => {
    const data = clientOf(DATA);
    const other = `${productsAlias(PREFIX)}-v2`;
    const actions = [{ add: { index: other, alias: `${PREFIX}-products-next` } }];
    const loads = eventStream('loads', { indexPrefix: PREFIX, retentionDays: 30 });
    const storage = await storageOf(data, loads);
    const document = { '@timestamp': new Date().toISOString() };
    await assertStatus(200, {
      'create an index': () => data.indices.create({ index: other }),
      'add an alias': () => data.indices.updateAliases({ actions }),
      'delete the index': () => data.indices.delete({ index: other }),
      'add an event': () =>
        data.index({ index: indexFor(loads, storage, new Date()), op_type: 'create', document }),
    });
    await assertStatus(403, {
      'create another index': () => data.indices.create({ index: 'another' }),
      'read the users': () => data.security.getUser(),
    });
  });

  it('accepts a new password when it is run again', async () => {
    assert.equal((await engineUsers({ API_PASSWORD: 'another-password-of-the-api' })).code, 0);
    assert.equal(await statusOf(clientOf(API).info()), 401);
    assert.equal(await statusOf(clientOf({ ...API, password: 'another-password-of-the-api' }).info()), 200);
    const kibana = clientOf({ username: 'kibana_system', password: 'the-password-of-kibana' });
    assert.equal(await statusOf(kibana.info()), 200);
  });
});
