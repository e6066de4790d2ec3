// Chaos only (faults, 3 min): it builds the service, and starts it with several workers.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { assert } from 'chai';
import { startApi, type Api } from '../support/api.js';
import { record } from '../support/listings.js';
import { startProxy } from '../support/proxy.js';
import { elasticsearchUrl, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { holdExport } from './held-export.js';
import { keepReading } from './traffic.js';

const LISTINGS = 2_000;
/** The number of requests per minute that a key of the tier `free` may send. */
const FREE_LIMIT = 100;
const SEARCHES = 'catalog_http_request_duration_seconds_count{method="GET",route="/v1/search",status="200"}';

/** The built program `catalogue serve`, running. */
interface Instance {
  url: string;
  /** The number of requests that each process has served, by process id. */
  served: Map<number, number>;
  /** Waits until the log has a line that matches a pattern. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  /** Returns how many lines of the log match a pattern. */
  count(pattern: RegExp): number;
  /** Returns the process ids of the workers. */
  workers(): number[];
  kill(signal: NodeJS.Signals): void;
  /** The exit code of the program. */
  ended: Promise<number | null>;
  /** Returns the value of a metric by its full name with labels; 0 if it does not exist. */
  metric(series: string): Promise<number>;
}

/**
 * These tests were seen to fail when a worker that shuts down closed its connections at once (requests
 * failed), when the metrics of ended workers were left out (their sum decreased), when a SIGHUP was forgotten
 * while workers were loading, and when SIGHUP ended `catalogue serve`.
 */
describe('an instance of several processes', function () {
  let api: Api;
  const running = new Set<Instance>();
  before(async function () {
    this.timeout(600_000);
    await promisify(execFile)('npm', ['run', '--silent', 'build']);
    api = await startApi();
    await api.load(
      Array.from({ length: LISTINGS }, (_, i) =>
        record({ sku: `s${i}`, name: `Kettle ${i}`, description: 'long '.repeat(600) }),
      ),
    );
  });
  afterEach(async () => {
    for (const instance of running) {
      instance.kill('SIGKILL');
      await instance.ended;
    }
    running.clear();
  });
  after(() => api.stop());

  function launch(env: NodeJS.ProcessEnv = {}): Instance {
    const child = spawn(process.execPath, ['dist/scripts/catalogue.js', 'serve'], {
      env: {
        ...process.env,
        ELASTICSEARCH_URL: elasticsearchUrl,
        REDIS_URL: redisUrl,
        INDEX_PREFIX: api.prefix,
        PORT: '0',
        METRICS_PORT: '0',
        LOG_LEVEL: 'info',
        REDIS_DEADLINE_MS: '3000',
        WORKERS: '2',
        JWT_SECRET: 'of these tests',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log: string[] = [];
    const served = new Map<number, number>();
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        const [, pid] = / info GET .*"process":\{"pid":(\d+)\}/.exec(line) ?? [];
        if (pid === undefined) log.push(line);
        else served.set(Number(pid), (served.get(Number(pid)) ?? 0) + 1);
      });
    }
    const ended = once(child, 'exit').then(([code]) => code as number | null);
    const instance: Instance = {
      url: '',
      served,
      ended,
      said: (pattern) =>
        until(() => {
          const found = pattern.exec(log.join('\n'));
          if (found === null && child.exitCode !== null) throw new Error(`it ended: ${log.join('\n')}`);
          return found;
        }),
      count: (pattern) => log.filter((line) => pattern.test(line)).length,
      workers: () => childrenOf(child.pid ?? 0),
      kill: (signal) => child.kill(signal),
      async metric(series) {
        const [, url = ''] = await this.said(/metrics on (\S+)/);
        const text = await (await fetch(url)).text();
        const line = text.split('\n').find((each) => each.startsWith(`${series} `));
        return Number(line?.slice(series.length + 1) ?? 0);
      },
    };
    running.add(instance);
    return instance;
  }

  /** Waits until the log shows that both workers have served a number of requests. */
  const bothHaveServed = ({ served }: Instance, least: number) =>
    until(() => [...served.values()].filter((count) => count >= least).length === 2);

  async function start(env?: NodeJS.ProcessEnv): Promise<Instance> {
    const instance = launch(env);
    [, instance.url = ''] = await instance.said(/listening on (\S+)/);
    if (env?.['WORKERS'] !== '1')
      await until(() => instance.count(/ worker \d+ serves/) === 2 && instance.workers().length === 2);
    return instance;
  }

  it('sums the metrics of its workers, which do not decrease when a worker is killed, and replaces that worker', async () => {
    const instance = await start();
    const key = await api.key();
    const search = async (times: number) => {
      for (let i = 0; i < times; i += 1)
        assert.equal(await statusOf(`${instance.url}/v1/search?q=kettle`, key), 200);
    };
    await search(40);
    await until(async () => (await instance.metric(SEARCHES)) >= 40);
    assert.equal(await instance.metric(SEARCHES), 40);
    await bothHaveServed(instance, 10);
    const restarted = await instance.metric('process_start_time_seconds');

    const [killed = 0, other] = instance.workers();
    process.kill(killed, 'SIGKILL');
    await instance.said(new RegExp(`worker ${killed} ended with SIGKILL: it is replaced`));
    assert.equal(await instance.metric(SEARCHES), 40);
    await search(10);
    await until(() => instance.count(/ worker \d+ serves/) === 3);
    assert.include(instance.workers(), other);
    assert.notInclude(instance.workers(), killed);
    await search(10);
    await until(async () => (await instance.metric(SEARCHES)) >= 60);
    assert.equal(await instance.metric(SEARCHES), 60);
    assert.isAbove(await instance.metric('process_start_time_seconds'), restarted);
    instance.kill('SIGTERM');
    assert.equal(await instance.ended, 0);
  });

  it('counts the requests of a key over all workers', async () => {
    const instance = await start();
    const key = await api.key('free');
    const statuses = await Promise.all(
      Array.from({ length: FREE_LIMIT + 40 }, () => statusOf(`${instance.url}/v1`, key)),
    );
    await bothHaveServed(instance, 20);
    assert.lengthOf(
      statuses.filter((status) => status === 200),
      FREE_LIMIT,
    );
    assert.lengthOf(
      statuses.filter((status) => status === 429),
      40,
    );
  });

  it('replaces all workers at each of three SIGHUPs, and fails no request', async () => {
    const instance = await start();
    const keys = await Promise.all(Array.from({ length: 20 }, () => api.key()));
    const reads = keepReading({
      readers: 6,
      urls: [instance.url],
      paths: ['/v1/search?q=kettle&limit=5', '/v1/categories', '/v1'],
      keys,
    });
    const fresh = keepAsking(`${instance.url}/readyz`);
    try {
      for (let reload = 1; reload <= 3; reload += 1) {
        const slow = await readSlowly(instance.url, keys[0] ?? '');
        const former = instance.workers();
        const before = reads.count;
        instance.kill('SIGHUP');
        await until(() => instance.count(/reload: all workers were replaced/) === reload);
        assert.lengthOf(JSON.parse(await slow.rest) as unknown[], LISTINGS);
        await until(() => instance.workers().length === 2);
        for (const pid of instance.workers()) assert.notInclude(former, pid);
        await until(async () => {
          // A further request is sent on a new connection, because the readers keep their connections, which
          // may all belong to one worker.
          assert.equal(await statusOf(`${instance.url}/v1`, keys[1] ?? ''), 200);
          return instance.workers().every((pid) => (instance.served.get(pid) ?? 0) > 0);
        });
        assert.isAbove(reads.count, before);
      }
    } finally {
      await Promise.all([reads.stop(), fresh.stop()]);
    }
    assert.deepEqual([...reads.failures, ...fresh.failures], []);
    assert.equal(instance.count(/ (warn|error) /), 0);
  });

  it('reads secret files again at a SIGHUP, and changes nothing if they are invalid', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'workers-'));
    const file = join(folder, 'admin_secret');
    try {
      await writeFile(file, 'the former one');
      const instance = await start({ ADMIN_SECRET_FILE: file });
      const create = async (secret: string) => {
        const wanted = { developer_id: 'drill', name: 'drill', tier: 'free', admin_secret: secret };
        const { status } = await fetch(`${instance.url}/v1/keys`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(wanted),
        });
        return status;
      };
      assert.equal(await create('the former one'), 201);
      const former = instance.workers();
      await writeFile(file, '');
      instance.kill('SIGHUP');
      await instance.said(/ADMIN_SECRET_FILE names .* which is empty/);
      await instance.said(/reload given up/);
      assert.equal(await create('the former one'), 201);
      assert.sameMembers(instance.workers(), former);
      assert.equal(instance.count(/draining/), 0);
      await writeFile(file, 'the new one');
      instance.kill('SIGHUP');
      await instance.said(/reload: all workers were replaced/);
      assert.equal(await create('the new one'), 201);
      assert.equal(await create('the former one'), 403);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('completes requests in flight at SIGTERM, and ends with exit code 0 and no process left', async () => {
    const instance = await start();
    const keys = await Promise.all(Array.from({ length: 4 }, () => api.key()));
    const reads = await Promise.all(keys.map((key) => holdExport(instance.url, key, LISTINGS)));
    await until(async () => {
      const exports = 'catalog_http_requests_in_flight{route="/v1/products/export"}';
      return (await instance.metric(exports)) === keys.length;
    });
    const workers = instance.workers();
    instance.kill('SIGTERM');
    await until(() => instance.count(/SIGTERM: stopping/) === 1 + workers.length);
    for (const read of reads) assert.lengthOf(JSON.parse(await read()) as unknown[], LISTINGS);
    assert.equal(await instance.ended, 0);
    for (const pid of workers) assert.throws(() => process.kill(pid, 0), /ESRCH/);
  });

  /**
   * Starts an instance whose workers cannot reach Elasticsearch yet. They wait for it for five seconds before they listen, so
   * that a signal arrives before.
   */
  const launchLoading = async (signal: NodeJS.Signals) => {
    const proxy = await startProxy(elasticsearchUrl);
    await proxy.set('down');
    const instance = launch({ ELASTICSEARCH_URL: proxy.url });
    await instance.said(/metrics on/);
    instance.kill(signal);
    assert.equal(instance.count(/listening on/), 0);
    return { instance, proxy };
  };

  it('ends with exit code 0 at a SIGTERM while its workers start', async () => {
    const { instance, proxy } = await launchLoading('SIGTERM');
    assert.equal(await instance.ended, 0);
    await proxy.close();
  });

  it('handles a SIGHUP that arrives while its workers start', async () => {
    const { instance, proxy } = await launchLoading('SIGHUP');
    await proxy.set('up');
    await instance.said(/reload: all workers were replaced/);
    instance.kill('SIGTERM');
    await instance.ended;
    await proxy.close();
  });

  it('states once why it cannot start, and ends with exit code 1', async () => {
    const { port } = new URL(api.url);
    const instance = launch({ PORT: port });
    assert.equal(await instance.ended, 1);
    assert.equal(instance.count(/^PORT: .* another process listens there/), 1);
    assert.equal(instance.count(/before it listened, and no other worker is running/), 1);
  });

  it('ignores a SIGHUP if it is a single process', async () => {
    const instance = await start({ WORKERS: '1' });
    instance.kill('SIGHUP');
    await instance.said(/SIGHUP: nothing is reloaded/);
    assert.equal(await statusOf(`${instance.url}/livez`, ''), 200);
    instance.kill('SIGTERM');
    assert.equal(await instance.ended, 0);
  });
});

/** Returns the child processes. pgrep exits with 1 if there are none. */
function childrenOf(pid: number): number[] {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  } catch {
    return [];
  }
}

/** Sends a request on a new connection, so that the workers take turns. */
async function statusOf(url: string, key: string): Promise<number | undefined> {
  const asking = get(url, { agent: new Agent(), headers: { authorization: `Bearer ${key}` } });
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

/** Sends requests one after another, each on a new connection. */
function keepAsking(url: string): { failures: string[]; stop(): Promise<void> } {
  let isRunning = true;
  const failures: string[] = [];
  const loop = (async () => {
    while (isRunning) {
      const outcome = await statusOf(url, '').catch(String);
      if (outcome !== 200) failures.push(`${url}: ${outcome}`);
      await sleep(5);
    }
  })();
  return {
    failures,
    stop() {
      isRunning = false;
      return loop;
    },
  };
}

/**
 * Begins to read an export, which takes about four seconds. `rest` is its text, and fails if the response is incomplete.
 */
async function readSlowly(url: string, key: string): Promise<{ rest: Promise<string> }> {
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' };
  const asking = get(`${url}/v1/products/export?limit=${LISTINGS}`, { agent: false, headers });
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  const read = async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      await sleep((4_000 * (chunk as Buffer).length) / (LISTINGS * 1_500));
    }
    return Buffer.concat(chunks).toString();
  };
  return { rest: read() };
}
