import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { freePort, type LocalEngine, startLocalRedis } from '../../tools/local-services/index.js';
import { startKept } from '../../tools/local-services/kept.js';
import { until } from '../support/until.js';
import * as drill from './redis-drill.js';

const log = () => undefined;
const NAME = 'catalogue';

/**
 * These tests were seen to fail when the service only used `REDIS_URL`, because no key could then be created
 * after the failover.
 */
describe('a Redis with a replica and three Sentinels', function () {
  const prefix = drill.drillPrefix();
  let dir: string;
  let primary: LocalEngine;
  let replica: LocalEngine;
  let connections: [Redis, Redis];
  let api: drill.Instance;
  const stops: (() => Promise<void>)[] = [];

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sentinels-'));
    [primary, replica] = await Promise.all([startLocalRedis({ log }), startLocalRedis({ log })]);
    stops.push(
      () => primary.stop(),
      () => replica.stop(),
    );
    connections = [await drill.connect(primary.url), await drill.connect(replica.url)];
    await connections[1].replicaof('127.0.0.1', new URL(primary.url).port);
    await until(async () => /master_link_status:up/.test(await connections[1].info('replication')));
    const sentinels = await Promise.all([startSentinel(), startSentinel(), startSentinel()]);
    await until(async () => (await Promise.all(sentinels.map(knowsAll))).every(Boolean));
    api = await drill.startInstance({
      REDIS_SENTINELS: sentinels.map(({ address }) => address).join(),
      REDIS_SENTINEL_NAME: NAME,
      INDEX_PREFIX: prefix,
    });
  });
  after(async () => {
    await api.stop();
    for (const connection of connections) connection.disconnect();
    for (const stop of stops.reverse()) await stop();
    await rm(dir, { recursive: true, force: true });
  });

  async function startSentinel(): Promise<{ address: string; connection: Redis }> {
    const port = await freePort();
    const file = join(dir, `${port}.conf`);
    const { port: watched } = new URL(primary.url);
    await writeFile(
      file,
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${dir}`,
        `sentinel monitor ${NAME} 127.0.0.1 ${watched} 2`,
        `sentinel down-after-milliseconds ${NAME} 4000`,
        `sentinel failover-timeout ${NAME} 10000`,
      ].join('\n'),
    );
    const sentinel = await startKept({
      command: 'redis-server',
      args: [file, '--sentinel'],
      cwd: dir,
      log: join(dir, `${port}.log`),
    });
    stops.push(() => sentinel.stop());
    const connection = createRedis(`redis://127.0.0.1:${port}`);
    connection.on('error', () => undefined);
    await until(() => connection.status === 'ready');
    stops.push(() => Promise.resolve(connection.disconnect()));
    return { address: `127.0.0.1:${port}`, connection };
  }

  /** Whether a Sentinel knows the replica and both other Sentinels, so that it can vote for a failover. */
  async function knowsAll({ connection }: { connection: Redis }): Promise<boolean> {
    const state = (await connection.call('SENTINEL', 'MASTER', NAME)) as string[];
    const valueOf = (name: string) => state[state.indexOf(name) + 1];
    return valueOf('num-slaves') === '1' && valueOf('num-other-sentinels') === '2';
  }

  it('is followed to the new primary when the old one is killed', async () => {
    const [seen = '', unseen = ''] = await drill.issueKeys(connections[0], prefix, 2);
    assert.equal(await api.statusOf(seen), 200);
    await connections[0].wait(1, 0);
    process.kill(primary.pid, 'SIGKILL');

    const { key } = await drill.createOnceItHeals(api, seen);
    assert.equal(await api.statusOf(key), 200);
    assert.equal(await api.statusOf(unseen), 200, 'a key from before the failover');
    const [role] = (await connections[1].role()) as [string];
    assert.equal(role, 'master');
  });
});
