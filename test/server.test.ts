import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { spawnService } from './support/service-process.js';
import { indexPrefix } from './support/services.js';
import { program } from './support/program.js';
import { until } from './support/until.js';

describe('the server process', function () {
  const children: ChildProcess[] = [];
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  const start = (env: NodeJS.ProcessEnv, args?: string[]) => {
    const service = spawnService({ INDEX_PREFIX: `${indexPrefix}-server`, ...env }, args);
    children.push(service.child);
    return service;
  };

  it('stops at once for wrong values, a line for each that names its variable, and tells no secret', async () => {
    const { child, output } = start({ NODE_ENV: 'production', ADMIN_SECRET: 'shorty', JWT_SECRET: 'x' });
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 1);
    assert.notInclude(output(), 'shorty');
    const variables = output()
      .trim()
      .split('\n')
      .map((line) => line.replace(/[: ].*/, ''));
    assert.deepEqual(variables, ['ADMIN_SECRET', 'JWT_SECRET'], 'a line each, no stack trace');
  });

  it('says so when its port is taken', async () => {
    const first = start({});
    const { port } = new URL(await first.url());
    const second = start({ PORT: port });
    const [code] = (await once(second.child, 'close')) as [number];
    assert.equal(code, 1);
    assert.include(second.output(), 'EADDRINUSE');
    assert.match(second.output(), /^PORT: .*another process listens there/);
    assert.lengthOf(second.output().trim().split('\n'), 1, 'one line, no stack trace');
    first.child.kill('SIGTERM');
    await once(first.child, 'exit');
  });

  /** These tests were seen to fail when the service reported the original errors of Node.js. */
  it('says in one line that the port of its metrics is taken, or that the authority is not there', async () => {
    const first = start({});
    const { port } = new URL(await first.url());
    const wrong = {
      METRICS_PORT: [port, /^METRICS_PORT: \S+ cannot be listened on: another process listens there/],
      ELASTICSEARCH_CA_FILE: ['/no/such/ca.crt', /^ELASTICSEARCH_CA_FILE names \/no\/such\/ca.crt, which/],
    } as const;
    for (const [variable, [value, expected]] of Object.entries(wrong)) {
      const { child, output } = start({ [variable]: value });
      const [code] = (await once(child, 'close')) as [number];
      assert.equal(code, 1);
      assert.match(output(), expected);
      assert.lengthOf(output().trim().split('\n'), 1, 'one line, no stack trace');
    }
    first.child.kill('SIGTERM');
    await once(first.child, 'exit');
  });

  /** This test was seen to fail when the service logged a line for each attempt. */
  it('logs once that Redis is unavailable', async () => {
    const { child, url, output } = start({ REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'info' });
    const base = await url();
    const health = async () => (await (await fetch(`${base}/health`)).json()) as any;
    for (let looked = 0; looked < 20; looked += 1) {
      assert.equal((await health()).checks.redis, 'unavailable');
      await sleep(100);
    }
    const exited = once(child, 'close');
    child.kill('SIGTERM');
    await exited;
    const lines = output()
      .split('\n')
      .filter((line) => /Redis|ECONNREFUSED/.test(line));
    assert.lengthOf(lines, 1, lines.join('\n'));
    assert.match(lines[0] ?? '', /warn Redis is unavailable .*ECONNREFUSED/);
    assert.notInclude(lines[0], '    at ');
  });

  /**
   * This test was seen to fail when the signal handlers were registered after the service listened, because
   * the signal was then ignored.
   */
  it('stops with 0 when SIGTERM arrives while it starts', async () => {
    const serve = [...program('scripts/catalogue.ts'), 'serve'];
    // A Redis that accepts connections and never responds delays the start of the service by a second.
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const connected = once(silent, 'connection') as Promise<[Socket]>;
    const { child, output } = start({ REDIS_URL: `redis://127.0.0.1:${port}`, LOG_LEVEL: 'info' }, serve);
    const [socket] = await connected;
    socket.on('error', () => undefined);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null], output());
    silent.close();
    socket.destroy();
  });

  it('at SIGTERM fails readiness, still answers, then closes kept-alive sockets and ends with 0', async () => {
    const { child, url, output } = start({ SHUTDOWN_DELAY_MS: '5000', LOG_LEVEL: 'info' });
    const base = await url();
    const agent = new Agent({ keepAlive: true });
    const status = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        get(`${base}${path}`, { agent }, (response) => {
          response.resume();
          response.on('end', () => {
            resolve(response.statusCode);
          });
        }).on('error', reject);
      });
    await until(async () => (await status('/readyz')) === 200);
    const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
    child.kill('SIGTERM');
    await until(async () => (await status('/readyz')) === 503);
    assert.equal(await status('/livez'), 200);
    const [code, signal] = await exited;
    assert.equal(code, 0, `${String(signal)} ${output()}`);
    agent.destroy();
  });

  /**
   * This test was seen to fail when the lines had no path, and when requests for health checks were logged.
   */
  it('logs each request but probes, with its id and never a key', async () => {
    const { child, url, output } = start({
      LOG_LEVEL: 'info',
      NODE_ENV: 'production',
      ADMIN_SECRET: 'k3yboard-cat-9f27d1',
      JWT_SECRET: 'an-0ther-long-one-55aa-and-twelve-bytes-more',
    });
    const base = (await url()).replace('localhost', '127.0.0.1');
    await until(async () => (await fetch(`${base}/readyz`)).status === 200);
    const key = `svc_live_${'k'.repeat(48)}`;
    await fetch(`${base}/v1/search?q=secret-wish`, {
      headers: { authorization: `Bearer ${key}`, 'x-request-id': 'trace-me', 'x-admin-secret': 'guess-0815' },
    });
    const made = await fetch(`${base}/v1/keys`, {
      method: 'POST',
      body: JSON.stringify({
        developer_id: 'd',
        name: 'n',
        tier: 'free',
        admin_secret: 'k3yboard-cat-9f27d1',
      }),
    });
    const { raw_key: good, key_id: keyId } = (await made.json()) as any;
    await fetch(`${base}/v1/categories?secret-wish`, {
      headers: { authorization: `Bearer ${good}`, 'x-request-id': 'with-key' },
    });
    for (const probe of ['livez', 'readyz', 'health'])
      await fetch(`${base}/${probe}`, { headers: { 'x-request-id': 'a-probe' } });
    const exited = once(child, 'close');
    child.kill('SIGTERM');
    await exited;
    const lineOf = (id: string) =>
      output()
        .split('\n')
        .find((text) => text.includes(id));
    const logged = JSON.parse(lineOf('trace-me') ?? '{}') as Record<string, any>;
    assert.equal(logged.http?.response?.status_code, 401, output());
    assert.deepEqual([logged.http.request.method, logged.url.path], ['GET', '/v1/search']);
    assert.equal(JSON.parse(lineOf('with-key') ?? '{}').catalog?.key?.id, keyId, output());
    assert.isUndefined(lineOf('a-probe'));
    for (const secret of [good, 'secret-wish']) assert.notInclude(output(), secret);
    assert.equal(logged['log.level'], 'info');
    assert.isString(logged['@timestamp']);
    for (const secret of [key, 'guess-0815', 'k3yboard', 'an-0ther']) assert.notInclude(output(), secret);
  });
});
