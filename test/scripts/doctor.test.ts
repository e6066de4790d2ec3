import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { assert } from 'chai';
import type { Finding } from '../../scripts/diagnosis/finding.js';
import { main as doctor } from '../../scripts/doctor.js';
import { main as followUp } from '../../scripts/follow-up.js';
import { main as ingest } from '../../scripts/ingest.js';
import { type LeasedOperation, Lease } from '../../src/engine/lease.js';
import { CURRENT_SCHEMA } from '../../src/listing/schema-versions.js';
import { ALERTS } from '../../src/usecases/alerts/alert-progress.js';
import { BACKUP } from '../../src/usecases/backups/progress.js';
import { AlertStore } from '../../src/usecases/alerts/store.js';
import { FULL_PASS } from '../../src/sources/follow-up-progress.js';
import { FollowUpQueue } from '../../src/sources/follow-up-queue.js';
import { phrased } from '../../scripts/shared/commands.js';
import { ends, LOAD_ONLY, run } from '../support/command.js';
import { found } from '../support/doctor.js';
import { daysAgo, record } from '../support/listings.js';
import { redisUrl } from '../support/services.js';
import { ndjson, testCatalogue } from '../support/test-catalogue.js';
import { until } from '../support/until.js';

/** An address at which nothing listens. */
const NOWHERE = '127.0.0.1:9';

describe('npm run doctor', () => {
  const catalogue = testCatalogue('doctor');
  const { es, file, prefix, alias } = catalogue;
  const env = { ...catalogue.env, REDIS_URL: redisUrl };
  after(() => catalogue.remove());
  beforeEach(async () => {
    await catalogue.empty();
    const records = [record({ sku: 'a' }), record({ sku: 'b', source: 'shop_b' })];
    await ends(run(ingest, [file('feed.ndjson', ndjson(records)), ...LOAD_ONLY], { env }), 0);
    await es.indices.refresh({ index: `${prefix}-*` });
  });

  /** Stores the state of an operation, as its command does. */
  const store = async <T extends object>(operation: LeasedOperation<T>, state: Partial<T>) => {
    const lease = await Lease.acquire(es, prefix, operation, () => undefined);
    await lease.save(state);
    await lease.release();
  };
  const findings = async (more: NodeJS.ProcessEnv = {}) => {
    const { code, out } = await run(doctor, ['--json'], { env: { ...env, ...more } });
    const page = JSON.parse(out) as { state: string; findings: (Finding & { check: string })[] };
    return { code, ...page };
  };
  const heal = async () => {
    await ends(run(followUp, [], { env }), 0);
    await store(BACKUP, { verified_at: new Date().toISOString(), failed: null });
  };
  /** The checks of this machine's disks and Redis, which the tests cannot choose. */
  const OF_MACHINE = new Set(['disk', 'redis', 'engine']);

  it('finds nothing wrong with a catalogue that is loaded, followed up and backed up', async () => {
    await heal();
    const page = await findings();
    const wrong = page.findings.filter(({ check, state }) => state !== 'OK' && !OF_MACHINE.has(check));
    assert.deepEqual(wrong, []);
    const checks = 'engine redis index disk backup follow-up sources alerts certificates errors'.split(' ');
    assert.deepEqual([...new Set(page.findings.map(({ check }) => check))], checks);
    const { out } = await run(doctor, [], { env });
    // Other tests use the same Elasticsearch, and their indices may lack copies for a moment.
    assert.match(out, /^(?:OK|WARN|FAIL) +engine +(?:green|yellow|red), 1 node, Elasticsearch \d/m);
    assert.match(
      out,
      new RegExp(`^OK {4}index +${alias}-v1 {2}2 listings {2}live.*\\n +schema ${CURRENT_SCHEMA}$`, 'm'),
    );
    assert.match(out, /^OK {4}sources +2 sources, none is late$/m);
    for (const line of out.split('\n')) assert.isBelow(line.length, 160, line);
  });

  it('ends with code 5 for a warning, and with code 1 for a failure', async () => {
    await heal();
    await store(BACKUP, { failed: { at: daysAgo(0), reason: 'the disk is away' } });
    const page = await findings();
    const isFailure = page.findings.some(({ state }) => state === 'FAIL');
    assert.equal(page.code, isFailure ? 1 : 5);
    assert.equal(page.state, isFailure ? 'FAIL' : 'WARN');
    await store(BACKUP, { verified_at: daysAgo(3), failed: null });
    assert.equal((await findings()).code, 1);
    await ends(run(doctor, ['--verbose'], { env }), 2);
  });

  it('shows the age of the last backup, and that there is none', async () => {
    const next = 'npm run backup -- --to DIR';
    assert.deepInclude(await found('backup', env), {
      state: 'FAIL',
      text: 'there is no complete backup',
      next,
    });
    await store(BACKUP, { verified_at: daysAgo(1.2) });
    const late = await found('backup', env);
    assert.match(late.text, /^the last complete one began 28 h \d+ min ago$/);
    assert.equal(late.state, 'WARN');
  });

  it('says if no worker runs full passes, and how long loads have waited', async () => {
    const next = 'npm run follow-up -- --watch';
    assert.deepInclude(await found('follow-up', env), {
      state: 'WARN',
      text: 'nothing waits; there was no full pass yet',
      next,
    });
    await store(FULL_PASS, { started_at: daysAgo(2), ended_at: daysAgo(2) });
    const stopped = await found('follow-up', env);
    assert.equal(stopped.state, 'FAIL');
    assert.match(stopped.text, /no worker runs full passes: the last full pass ended 48 h 0 min ago/);
    await store(FULL_PASS, { ended_at: daysAgo(0.1) });
    const waiting = { at: daysAgo(0.2), sources: ['shop_a'], steps: ['quality'] as const, written: [] };
    await new FollowUpQueue(es, prefix).add(waiting);
    const late = await found('follow-up', env);
    assert.match(late.text, /^listings wait since 4 h 48 min ago; the last full pass/);
    assert.deepEqual([late.state, late.next], ['WARN', next]);
  });

  it('says if the alerts of clients are not checked', async () => {
    await new AlertStore(es, prefix).ensureIndices();
    await es.index({ index: `${prefix}-alerts`, document: { state: 'active' }, refresh: true });
    const never = await found('alerts', env);
    const next = 'npm run alerts -- --watch';
    assert.deepInclude(never, { state: 'FAIL', text: '1 active, never checked', next });
    await store(ALERTS, { checked_at: Date.now() });
    assert.equal((await found('alerts', env)).state, 'OK');
    await store(ALERTS, { checked_at: Date.now() - 600_000 });
    assert.match((await found('alerts', env)).text, /^1 active, checked until 10 min \d+ s ago$/);
  });

  it('shows that a disk is full, although nobody writes', async () => {
    const index = `${alias}-v1`;
    const block = { 'index.blocks.read_only_allow_delete': true };
    // Elasticsearch lifts the block within half a minute, because the disk is not full.
    const full = await until(async () => {
      await es.indices.putSettings({ index, settings: block });
      const { state, text, next } = await found('disk', env);
      return text.startsWith('the disk is full') ? { state, text, next } : null;
    });
    assert.equal(full.state, 'FAIL');
    assert.include(full.text, `1 indices take no writes (${index})`);
    assert.match(full.next ?? '', /^npm run reindex -- --clean/);
  });

  it('shows an index of an earlier or a later schema, and what a killed restore has left', async () => {
    const { mappings } = (await es.indices.get({ index: `${alias}-v1` }))[`${alias}-v1`] ?? {};
    const meta = (schema_version: number) => ({ ...mappings?._meta, schema_version });
    await es.indices.putMapping({ index: `${alias}-v1`, _meta: meta(CURRENT_SCHEMA - 1) });
    const earlier = await found('index', env);
    assert.deepEqual([earlier.state, earlier.next], ['WARN', 'npm run reindex']);
    assert.include(earlier.text, `schema ${CURRENT_SCHEMA - 1} of ${CURRENT_SCHEMA}`);
    await es.indices.create({ index: `${prefix}-restoring-1-${prefix}-links` });
    await es.indices.create({ index: `${prefix}-models`, mappings: { _meta: { schema_version: 7 } } });
    const { findings: all } = await findings();
    const texts = all.filter(({ check }) => check === 'index').map(({ state, text }) => `${state} ${text}`);
    assert.include(texts, `WARN ${prefix}-restoring-1-${prefix}-links is left of a restore that was killed`);
    assert.include(texts, `FAIL ${prefix}-models has schema 7, and this version knows 1`);
  });

  it('shows an index that was made with the words of other markets', async () => {
    const { mappings } = (await es.indices.get({ index: `${alias}-v1` }))[`${alias}-v1`] ?? {};
    const _meta = { ...mappings?._meta, schema_version: CURRENT_SCHEMA, markets: ['de', 'en'] };
    await es.indices.putMapping({ index: `${alias}-v1`, _meta });
    const { state, text, next } = await found('index', env);
    assert.deepEqual([state, next], ['WARN', 'npm run reindex']);
    assert.match(text, /\nmade with MARKETS=de,en, not cs,de,en,ms,others,th,zh$/);
  });

  it('says what an unavailable index contains', async () => {
    const index = `${prefix}-links`;
    const settings = { 'index.routing.allocation.require._name': 'no-node' };
    await es.indices.create({ index, settings, wait_for_active_shards: 0 });
    const { findings: all } = await findings();
    await es.indices.delete({ index });
    const { text, next } = all.find(({ check, state }) => check === 'index' && state === 'FAIL') ?? {};
    assert.equal(text, `${index} is unavailable: compared pairs and their groups`);
    assert.equal(next, 'if its node does not come back, npm run restore');
  });

  it('shows the last error of each kind', async () => {
    const failed = (id: string, at: string) => ({
      '@timestamp': at,
      http: { request: { id, method: 'GET' }, response: { status_code: 500 } },
      catalog: { route: '/v1/deals' },
    });
    const index = `${prefix}-requests`;
    for (const [id, age] of [
      ['older', 0.3],
      ['last', 0.1],
      ['too-old', 2],
    ] as const)
      await es.index({ index, document: failed(id, daysAgo(age)), refresh: true });
    const { state, text, next } = await found('errors', env);
    assert.equal(state, 'WARN');
    assert.match(text, /: GET \/v1\/deals was answered with 500, request id last \(2 in a day\)$/);
    assert.match(next ?? '', /following-a-slow-request$/);
  });

  it('checks what it can if Redis or Elasticsearch is away', async () => {
    const withoutRedis = await findings({ REDIS_URL: `redis://${NOWHERE}` });
    const redis = withoutRedis.findings.find(({ check }) => check === 'redis');
    assert.equal(redis?.state, 'FAIL');
    assert.match(redis?.text ?? '', /^cannot use Redis at 127\.0\.0\.1:9 /);
    assert.isTrue(withoutRedis.findings.some(({ check }) => check === 'sources'));
    const { code, findings: left } = await findings({ ELASTICSEARCH_URL: `http://${NOWHERE}` });
    assert.equal(code, 1);
    assert.deepEqual(
      left.map(({ check }) => check),
      ['engine', 'redis', 'certificates'],
    );
    assert.match(left[0]?.text ?? '', /^Elasticsearch does not respond at/);
  });

  it('shows when certificates expire', async () => {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(catalogue.folder, name));
    execFileSync(
      'openssl',
      `req -x509 -newkey rsa:2048 -nodes -days 10 -subj /CN=localhost -keyout ${key} -out ${cert}`.split(' '),
      { stdio: 'ignore' },
    );
    const server = createServer({ key: readFileSync(key ?? ''), cert: readFileSync(cert ?? '') });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const PUBLIC_URL = `https://localhost:${port}`;
    try {
      const { state, text } = await found('certificates', { ...env, PUBLIC_URL });
      assert.equal(state, 'WARN');
      assert.match(text, new RegExp(`^that of localhost:${port} expires in (9|10) days$`));
    } finally {
      server.close();
    }
    const gone = await found('certificates', { ...env, PUBLIC_URL });
    assert.equal(gone.state, 'FAIL');
  });

  it('names its commands as they are called', async () => {
    const { out } = await run((args, given, io) => doctor(args, given, { ...io, phrase: phrased }), [], {
      env,
    });
    assert.include(out, '-> catalogue backup --to DIR');
    assert.notInclude(out, 'npm run');
  });
});
