// Chaos only (builds): it builds into dist, which it then runs.
// Runs alone: other files must not read dist while it is built.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { assert } from 'chai';
import { spawnService } from './support/service-process.js';
import { indexPrefix } from './support/services.js';
import { until } from './support/until.js';

describe('the built service', () => {
  it('answers as built: one file with what it reads beside it', async () => {
    await promisify(execFile)('npm', ['run', '--silent', 'build']);
    const secret = 'k3yboard-cat-9f27d1';
    const { child, url, output } = spawnService(
      {
        INDEX_PREFIX: `${indexPrefix}-built`,
        LOG_LEVEL: 'info',
        NODE_ENV: 'production',
        ADMIN_SECRET: secret,
        JWT_SECRET: 'an-0ther-long-one-55aa-and-twelve-bytes-more',
      },
      ['dist/src/main.js'],
    );
    after(() => child.kill('SIGKILL'));
    const base = await url();
    const program = 'dist/scripts/catalogue.js';
    const { stdout: told } = await promisify(execFile)(process.execPath, [program, '--version']);
    assert.match(told, /^\d+\.\d+\.\d+ \(revision \S+\)\n$/);
    const { stdout: head } = await promisify(execFile)('git', ['rev-parse', 'HEAD']);
    assert.include(told, `(revision ${head.trim()}`);
    assert.include(output(), `product-catalogue ${told.trim()} has started`);
    const { info } = (await (await fetch(`${base}/openapi.json`)).json()) as any;
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    assert.equal(info.version, version);
    assert.equal((await fetch(`${base}/docs/swagger-ui.css`)).status, 200);
    const made = await fetch(`${base}/v1/keys`, {
      method: 'POST',
      body: JSON.stringify({ developer_id: 'build', name: 'build', tier: 'free', admin_secret: secret }),
    });
    assert.equal(made.status, 201, await made.clone().text());
    const { raw_key: key } = (await made.json()) as any;
    // The service has just created its index, which may not be searchable yet.
    await until(
      async () =>
        (await fetch(`${base}/v1/search?q=phone`, { headers: { authorization: `Bearer ${key}` } })).ok,
    );
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null], output());
  }).timeout(180_000);
});
