// Chaos only (engines, 12 min): it starts an engine of three nodes, and writes for five minutes.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { type LocalCluster, startLocalCluster } from '../../tools/local-services/index.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { ensureCatalogue, productsAlias } from '../../src/engine/indices.js';
import { isBrief } from '../support/chaos.js';
import { type Ended, startCommand } from '../support/command.js';
import {
  assertHasAll,
  type Follower,
  mirrorOf,
  startChanging,
  startFollower,
  untilMoreIsWritten,
  type Written,
} from '../support/following.js';
import { indexPrefix, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { type ApiProcess, startApiProcess } from './api-process.js';
import { issueKeys } from './traffic.js';

/** The duration of the writing in ms, with the faults in between. */
const WRITING_MS = isBrief ? 60_000 : 300_000;
const PER_SECOND = Number(process.env['CHANGES_PER_SECOND'] ?? 1_000);
const LISTINGS = 2_000;
const SOURCES = ['shop_a', 'shop_b', 'shop_c'];

/** The number of times that a reindex is started. It fails if its node is killed, and continues when it is started again. */
const RUNS = 5;

describe('the change feed on three nodes', function () {
  this.timeout(1_800_000);
  const prefix = `${indexPrefix}-changes`;
  const folder = mkdtempSync(join(tmpdir(), 'changes-'));
  let cluster: LocalCluster;
  let es: Client;
  let api: ApiProcess;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    cluster = await startLocalCluster(3, { log: console.log });
    es = createElasticsearch(
      { nodes: cluster.urls, auth: null, caFile: null },
      { requestTimeout: 30_000, maxRetries: 4 },
    );
    await ensureCatalogue(es, prefix);
    env = {
      ELASTICSEARCH_URL: cluster.urls.join(','),
      REDIS_URL: redisUrl,
      INDEX_PREFIX: prefix,
      PORT: String(await freePort()),
    };
    api = await startApiProcess(env);
  });
  after(async () => {
    await api.stop();
    await es.close();
    await cluster.stop();
    rmSync(folder, { recursive: true });
  });

  const runToEnd = async (...args: string[]): Promise<void> => {
    for (let run = 1; ; run += 1) {
      const { code, err, out } = await startCommand('scripts/reindex.ts', args, env).ended;
      if (code === 0) return;
      assert.isBelow(run, RUNS, out + err);
    }
  };

  /** The name of the node that has the primary shard; undefined while no node has it. */
  const primary = async (): Promise<string | undefined> => {
    const shards = await es.cat.shards({
      index: productsAlias(prefix),
      format: 'json',
      h: ['prirep', 'state', 'node'],
    });
    return shards.find(({ prirep, state }) => prirep === 'p' && state === 'STARTED')?.node ?? undefined;
  };
  /** Kills the node that has the primary of the catalogue, and starts it again once a copy has taken over. */
  const killNode = async (): Promise<void> => {
    const name = (await primary()) ?? '';
    process.kill(cluster.nodes.get(name)?.pid ?? 0, 'SIGKILL');
    await until(async () => ![undefined, name].includes(await primary()));
    await cluster.restart(name);
    await es.cluster.health({ wait_for_status: 'green', timeout: '2m' });
  };

  it('loses no acknowledged write, for five readers of different speeds and two mirrors', async () => {
    const file = join(folder, 'all.ndjson');
    const database = join(folder, 'all.sqlite');
    const [key = ''] = await issueKeys(prefix, 1);
    const writers: Written[] = SOURCES.map((source) =>
      startChanging(es, prefix, {
        source,
        listings: LISTINGS,
        perSecond: PER_SECOND / SOURCES.length,
        loadsPerSecond: 1,
      }),
    );
    const readers: Follower[] = [
      { name: 'fast', query: 'limit=1000', pauseMs: 0 },
      { name: 'small pages', query: 'limit=100', pauseMs: 0 },
      { name: 'slow', query: 'limit=1000', pauseMs: 5_000 },
      { name: 'very slow', query: 'limit=1000', pauseMs: 20_000 },
      { name: 'prices', query: 'kinds=new,price&limit=500', pauseMs: 500 },
    ].map((reader) => startFollower(() => api.url, { ...reader, key }));
    const mirror = startCommand('scripts/changes.ts', ['--follow', '--out', file], env);
    const faults = [
      () => killNode(),
      async () => {
        process.kill(api.pid, 'SIGKILL');
        api = await startApiProcess(env);
      },
      async () => {
        mirror.child.kill('SIGKILL');
        await mirror.ended;
      },
      () => runToEnd(),
      () => runToEnd('--rollback'),
    ];
    const pause = WRITING_MS / (faults.length + 1);
    const started = performance.now();
    for (const fault of faults) {
      await sleep(pause);
      await fault();
      await untilMoreIsWritten(writers, 100);
    }
    await sleep(pause);
    for (const writer of writers) await writer.stop();
    const seconds = Math.round((performance.now() - started) / 1_000);
    for (const reader of readers) await reader.finish();
    const ended: Ended = await startCommand('scripts/changes.ts', ['--out', file], env).ended;
    assert.strictEqual(ended.code, 0, ended.err);
    await promisify(execFile)('python3', ['clients/python/mirror.py', api.url, database, '--once'], {
      env: { ...process.env, KEY: key },
    });

    const writes = readers.map(({ name, listings }) => assertHasAll(name, listings, writers));
    const mirrored = mirrorOf(readFileSync(file, 'utf8'));
    assertHasAll('mirror', mirrored, writers);
    const lines = await promisify(execFile)('python3', ['-c', LISTINGS_OF, database], { maxBuffer: 2 ** 28 });
    assertHasAll('SQLite', mirrorOf(lines.stdout), writers);
    const exported = (await (
      await fetch(`${api.url}/v1/products/export?limit=10000`, {
        headers: { authorization: `Bearer ${key}` },
      })
    ).json()) as { id: number }[];
    const byId = (listings: Iterable<{ id?: number }>) =>
      [...listings].sort((a, b) => (a.id ?? 0) - (b.id ?? 0));
    assert.deepEqual(byId(mirrored.values() as Iterable<{ id?: number }>), byId(exported));
    const pages = readers.map(({ name, pages: of, resyncs }) => `${name}: ${of} pages, ${resyncs} repeated`);
    console.log(
      `    ${writes[0]} acknowledged writes in ${seconds} s checked for each of ${readers.length} readers and 2 mirrors`,
    );
    console.log(`    ${pages.join('; ')}`);
  });
});

/** A Python program that prints the listings of the SQLite mirror as `npm run changes` writes them. */
const LISTINGS_OF = `
import json, sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("SELECT id, product FROM listings"):
    print(json.dumps({"id": row[0], "product": json.loads(row[1])}))
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await until(() => server.listening);
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
