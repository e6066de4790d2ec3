import { assert } from 'chai';
import { main } from '../../tools/soak.js';
import { type Fault, runFaults } from '../../tools/soak-test/faults.js';
import { memoryIsFlat } from '../../tools/soak-test/measurements.js';
import { recordReference } from '../../tools/soak-test/reference.js';
import type { Question } from '../../tools/soak-test/traffic.js';
import { startApi, type Api } from '../support/api.js';
import { record } from '../support/listings.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { run } from '../support/command.js';
import { elasticsearchUrl } from '../support/services.js';
import { until } from '../support/until.js';

describe('npm run soak', function () {
  let proxy: Proxy;
  let api: Api;
  let key: string;
  before(async () => {
    proxy = await startProxy(elasticsearchUrl);
    api = await startApi({ ELASTICSEARCH_URL: proxy.url, METRICS_PORT: '0' });
    await api.load(
      Array.from({ length: 120 }, (_, i) =>
        record({ sku: `s${i}`, name: `Kettle ${i}`, category: 'Kettles' }),
      ),
    );
    key = await api.key();
  });
  after(async () => {
    await proxy.set('up');
    await api.stop();
    await proxy.close();
  });

  const readings = (resident: (i: number) => number) =>
    Array.from({ length: 40 }, (_, i) => ({ resident: resident(i) }));

  it('treats memory as constant that fills up and stays, despite garbage collections', () => {
    assert.isTrue(memoryIsFlat(readings((i) => (i < 8 ? 100 + 10 * i : 180 + 30 * (i % 2))))?.flat);
    assert.isTrue(memoryIsFlat(readings((i) => (i === 39 ? 900 : 180)))?.flat);
  });

  it('treats memory that keeps growing as a leak', () => {
    assert.isFalse(memoryIsFlat(readings((i) => 150 + 4 * i))?.flat);
    assert.isNull(memoryIsFlat([{ resident: 1 }, { resident: null }]));
  });

  const soak = (args: string[], given: Parameters<typeof run>[2] = {}) =>
    run(main, ['--url', api.url, '--key', key, '--rate', '10', '--every', '1', ...args], given);

  it('ends with 0 if every response is as expected, and reports each kind of request', async () => {
    const { code, out, err } = await soak(['--minutes', '0.1', '--metrics', `${api.metricsUrl}/metrics`]);
    assert.equal(code, 0, out + err);
    assert.match(out, /^search +\d+ +0 /m);
    assert.match(out, /^[1-6]\d requests, 0 errors/m);
    assert.match(out, /^at end: .* MB resident/m);
  });

  it('ends with 1 if some responses are not as expected, and reports them', async () => {
    const before = proxy.requests.length;
    const running = soak(['--minutes', '0.1']);
    await until(() => proxy.requests.length > before + 5);
    await proxy.set('down');
    const { code, err } = await running;
    assert.equal(code, 1);
    assert.match(err, /\d+ errors:\n {2}.*: 503 /);
  });

  it('prints the report when it is interrupted', async () => {
    await proxy.set('up');
    await until(async () => (await api.get('/v1/search?q=a')).status === 200);
    const abort = new AbortController();
    const before = proxy.requests.length;
    const running = soak(['--minutes', '10'], { signal: abort.signal });
    await until(() => proxy.requests.length > before + 5);
    abort.abort();
    const { out } = await running;
    assert.match(out, /^\d+ requests, \d+ errors/m);
  });

  it('ends with 2 if its options are invalid', async () => {
    for (const args of [
      ['--minutes', 'x'],
      ['--url', api.url],
      ['--key', 'k'],
      ['--nonsense'],
      ['--rate', '0'],
    ]) {
      const { code, err } = await run(main, args);
      assert.equal(code, 2, args.join(' '));
      assert.include(err, '--help');
    }
  });
});

describe('npm run soak -- --faults', () => {
  const questions: Question[] = ['/a', '/b'].map((path) => ({ method: 'GET', path, body: null }));

  it('compares a response with the recorded one, whatever the order of its members', async () => {
    const { check, compared, varying } = await recordReference(questions, ['one', 'other'], (_, { path }) =>
      Promise.resolve(`{"path":"${path}","items":[1,2]}`),
    );
    assert.deepEqual({ compared, varying }, { compared: 2, varying: [] });
    const [a] = questions as [Question];
    assert.isNull(check(a, '{"items":[1,2],"path":"/a"}'));
    assert.match(
      check(a, '{"items":[2,1],"path":"/a"}') ?? '',
      /^a wrong response: \/items\/0 should be 1 and is 2$/,
    );
    assert.match(check(a, 'no JSON') ?? '', /wrong response/);
  });

  it('does not compare responses that differ between instances', async () => {
    const { check, compared, varying } = await recordReference(questions, ['one', 'other'], (url, { path }) =>
      Promise.resolve(path === '/a' ? url : path),
    );
    assert.deepEqual({ compared, varying }, { compared: 1, varying: ['GET /a '] });
    assert.isNull(check(questions[0] as Question, 'anything'));
  });

  it('repairs each fault, and excuses errors only during an outage', async () => {
    const events: string[] = [];
    const ending = new AbortController();
    const totals = { requests: 0, errors: 0, wrong: 0 };
    const fault = (name: string, isOutage: boolean): Fault => ({
      name,
      isOutage,
      seconds: 0,
      strike: () => {
        events.push(`${name} strikes`);
        totals.requests += 10;
        totals.errors += 2;
      },
      heal: () => {
        events.push(`${name} is repaired`);
        if (isOutage) ending.abort();
      },
    });
    const reports = await runFaults([fault('a hang', false), fault('an outage', true)], {
      everyMs: 0,
      quietMs: 0,
      signal: ending.signal,
      onReport: () => undefined,
      totals: () => ({ ...totals }),
    });
    assert.deepEqual(events, [
      'a hang strikes',
      'a hang is repaired',
      'an outage strikes',
      'an outage is repaired',
    ]);
    assert.deepEqual(reports, [
      { name: 'a hang', requests: 10, failed: 2, excused: 0, wrong: 0 },
      { name: 'an outage', requests: 10, failed: 2, excused: 2, wrong: 0 },
    ]);
  });
});
