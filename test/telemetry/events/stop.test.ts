import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { assert } from 'chai';
import { removeElasticsearchTraces } from '../../../tools/local-services/traces.js';
import { createElasticsearch } from '../../../src/engine/client.js';
import { readConfig } from '../../../src/platform/config/config.js';
import { PATIENT_REDIS } from '../../support/patience.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { ADMIN_SECRET } from '../../support/api.js';
import { elasticsearchUrl, indexPrefix, redisUrl } from '../../support/services.js';
import { until } from '../../support/until.js';
import { program } from '../../support/program.js';

describe('events at the end of the service', function () {
  const prefix = `${indexPrefix}-${randomBytes(3).toString('hex')}`;
  const { elasticsearch } = readConfig({ ELASTICSEARCH_URL: elasticsearchUrl });
  const es = createElasticsearch(elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
  let proxy: Proxy;
  before(async () => {
    proxy = await startProxy(elasticsearchUrl);
  });
  after(async () => {
    await proxy.close();
    await removeElasticsearchTraces(es, prefix);
    await es.close();
  });

  const start = async () => {
    const child = spawn(process.execPath, program('src/main.ts'), {
      env: {
        ...process.env,
        ELASTICSEARCH_URL: proxy.url,
        REDIS_URL: redisUrl,
        INDEX_PREFIX: prefix,
        PORT: '0',
        ADMIN_SECRET,
        EVENTS: 'on',
        LOG_LEVEL: 'info',
        SHUTDOWN_DELAY_MS: '300',
        ...PATIENT_REDIS,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    const url = await until(() => /listening on (http:\S+)/.exec(output)?.[1] ?? '');
    await until(async () => (await fetch(`${url}/readyz`)).status === 200);
    const created = await fetch(`${url}/v1/keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ admin_secret: ADMIN_SECRET, developer_id: 'd', name: 'k', tier: 'premium' }),
    });
    const { raw_key: key } = (await created.json()) as { raw_key: string };
    return { child, url, key, output: () => output };
  };
  /**
   * Sends requests from eight clients without a pause until the service stops. Returns the ids of the
   * answered ones.
   */
  const load = ({ url, key }: { url: string; key: string }) => {
    const answered: string[] = [];
    const client = async () => {
      for (;;) {
        const response = await fetch(`${url}/v1`, { headers: { authorization: `Bearer ${key}` } }).catch(
          () => null,
        );
        if (response === null) return;
        await response.arrayBuffer();
        answered.push(response.headers.get('x-request-id') ?? '');
      }
    };
    return { answered, over: Promise.all(Array.from({ length: 8 }, client)) };
  };

  /** Stops a process as `docker stop` does: with SIGTERM, and with SIGKILL ten seconds later. */
  const stop = async (child: ChildProcess) => {
    // All output has arrived when the process has closed it.
    const exited = once(child, 'close');
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), 10_000);
    const [code, signal] = (await exited) as [number | null, string | null];
    clearTimeout(kill);
    return [code, signal];
  };

  it('are all written if the service stops under load', async () => {
    // A busy Elasticsearch may take longer for the last events than a stop waits, which the service then reports.
    await until(async () => {
      const { child, output, ...service } = await start();
      const { answered, over } = load(service);
      await until(() => answered.length > 500);
      assert.deepEqual(await stop(child), [0, null]);
      await over;
      const lost = Number(/(\d+) events were lost/.exec(output())?.[1] ?? 0);
      await es.indices.refresh({ index: `${prefix}-requests*` });
      const written = new Set<string>();
      for await (const page of es.helpers.scrollDocuments<any>({ index: `${prefix}-requests*`, size: 5_000 }))
        written.add(page.http.request.id);
      const missing = answered.filter((id) => !written.has(id));
      assert.isAtMost(missing.length, lost, missing.join());
      return lost === 0;
    });
  });

  it('do not prevent the stop while Elasticsearch hangs, and their loss is logged', async () => {
    const { child, output, ...service } = await start();
    await proxy.set('hung');
    const { answered, over } = load(service);
    await until(() => answered.length > 100);
    assert.deepEqual(await stop(child), [0, null]);
    await over;
    assert.match(output(), /\d+ events were lost/);
    await proxy.set('up');
  });
});
