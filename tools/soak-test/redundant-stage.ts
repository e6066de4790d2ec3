import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { productsAlias } from '../../src/engine/indices.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { createKeys } from '../api-keys.js';
import { loadCatalogue, type RunningService, startBuiltService } from '../benchmark/environment.js';
import {
  freePort,
  issueCertificates,
  type LocalCluster,
  type LocalEngine,
  type NodeCertificates,
  presentedAuthority,
  startLocalCluster,
  startLocalRedis,
  startProgram,
} from '../local-services/index.js';
import type { Fault } from './faults.js';
import type { Stage } from './stage.js';

const PREFIX = 'soak';
const KEYS = 20;
const HEAP = '768m';
/** The delay of each command of a slow Redis, and the service's time limit for it. */
const REDIS_DELAY_MS = 400;
const REDIS_DEADLINE_MS = 1_000;
const OPERATOR = { username: 'operator', password: 'the-operator-of-this-soak' };

export interface RedundantStage extends Stage {
  instances: string[];
  faults: Fault[];
}

/** Starts three Elasticsearch nodes, a Redis, and two instances behind HAProxy with the shipped settings. */
export async function redundantStage(listings: number): Promise<RedundantStage> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const dir = mkdtempSync(join(tmpdir(), 'soak-'));
  const stops: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })];
  const stop = async () => {
    for (const each of stops.reverse()) await each();
  };
  try {
    const authorities = issueAuthorities(dir);
    const cluster = await startLocalCluster(3, {
      log,
      heap: HEAP,
      superuser: OPERATOR,
      certificates: authorities.first,
    });
    stops.push(() => cluster.stop());
    const elasticsearch = { nodes: cluster.urls, auth: OPERATOR, caFile: authorities.file };
    const redisPort = await freePort();
    const startRedis = () => startLocalRedis({ log, dataDir: join(dir, 'redis'), port: redisPort });
    const redis = { engine: await startRedis(), start: startRedis };
    stops.push(() => redis.engine.stop());
    await loadCatalogue(elasticsearch, PREFIX, { listings, shards: 1 });
    const keys = (await createKeys(redis.engine.url, PREFIX, { count: KEYS, owner: 'soak' })).map(
      ({ raw }) => raw,
    );
    const es = createElasticsearch(elasticsearch, { requestTimeout: 30_000, maxRetries: 4 });
    stops.push(() => es.close());
    await isGreen(es);
    const metricsPort = await freePort();
    const logs = mkdtempSync(join(tmpdir(), 'soak-logs-'));
    log(`The instances log warnings and errors to ${logs}`);
    const start = (name: string, metrics: number) =>
      startBuiltService(
        {
          LOG_LEVEL: 'warn',
          ELASTICSEARCH_URL: cluster.urls.join(','),
          ELASTICSEARCH_USERNAME: OPERATOR.username,
          ELASTICSEARCH_PASSWORD: OPERATOR.password,
          ELASTICSEARCH_CA_FILE: authorities.file,
          REDIS_URL: redis.engine.url,
          REDIS_DEADLINE_MS: String(REDIS_DEADLINE_MS),
          INDEX_PREFIX: PREFIX,
          METRICS_PORT: String(metrics),
          TRUST_PROXY: '1',
          // All instances behind one proxy have the same public address, which they state in their responses.
          PUBLIC_URL: 'https://catalogue.example.com',
        },
        `Bearer ${keys[0] ?? ''}`,
        ['--import', './tools/soak-test/moved-clock.mjs'],
        join(logs, `${name}.log`),
      );
    const instances = [await start('a', metricsPort), await start('b', await freePort())] as const;
    stops.push(() => Promise.all(instances.map((instance) => instance.stop())));
    const [a, b] = instances.map(({ url }) => new URL(url).host);
    const proxyMetrics = `127.0.0.1:${await freePort()}`;
    const proxy = await startProgram('haproxy', () => ['-f', 'docker/haproxy.cfg'], {
      ready: '/livez',
      env: (port) => ({
        CATALOGUE_BIND: `127.0.0.1:${port}`,
        CATALOGUE_METRICS_BIND: proxyMetrics,
        CATALOGUE_A: a ?? '',
        CATALOGUE_B: b ?? '',
      }),
    });
    stops.push(() => proxy.stop());
    return {
      url: proxy.url,
      keys,
      metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
      engine: { es, products: productsAlias(PREFIX) },
      instances: instances.map(({ url }) => url),
      faults: faultsOf({ cluster, es, redis, instances, authorities }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Two certificate authorities, and the file with the authorities that the service trusts. */
interface CertificateAuthorities {
  first: NodeCertificates;
  second: NodeCertificates;
  file: string;
  trust(...authorities: NodeCertificates[]): void;
}

function issueAuthorities(dir: string): CertificateAuthorities {
  const file = join(dir, 'trusted.crt');
  const trust = (...authorities: NodeCertificates[]) => {
    writeFileSync(file, authorities.map(({ authority }) => authority).join(''));
  };
  const first = issueCertificates(dir, 'first');
  trust(first);
  return { first, second: issueCertificates(dir, 'second'), file, trust };
}

interface StageParts {
  cluster: LocalCluster;
  es: Client;
  redis: { engine: LocalEngine; start: () => Promise<LocalEngine> };
  instances: readonly [RunningService, RunningService];
  authorities: CertificateAuthorities;
}

/** The faults of the soak test. A repair ends when both copies of the catalogue are available again. */
function faultsOf({ cluster, es, redis, instances, authorities }: StageParts): Fault[] {
  const names = [...cluster.nodes.keys()];
  let struck = 0;
  let slowing = false;
  let slowed = Promise.resolve();
  /** A fault that sends a signal to the next Elasticsearch node. `repair` receives its name. */
  const nodeFault = (
    name: string,
    signal: NodeJS.Signals,
    repair: (node: string) => Promise<void> | void,
  ): Fault => {
    let node = '';
    return {
      name: `an Elasticsearch node is ${name}`,
      seconds: 20,
      strike: () => {
        node = names[(struck += 1) % names.length] ?? '';
        process.kill(cluster.nodes.get(node)?.pid ?? 0, signal);
      },
      heal: async () => {
        await repair(node);
        await isGreen(es);
      },
    };
  };
  const moveClock = () => void process.kill(instances[0].pid, 'SIGUSR2');
  return [
    nodeFault('killed', 'SIGKILL', (node) => cluster.restart(node)),
    nodeFault('frozen', 'SIGSTOP', (node) => void process.kill(cluster.nodes.get(node)?.pid ?? 0, 'SIGCONT')),
    {
      name: `Redis responds after up to ${REDIS_DELAY_MS} ms`,
      seconds: 30,
      strike: () => {
        slowing = true;
        slowed = delayAnswers(redis.engine.url, () => slowing);
      },
      heal: async () => {
        slowing = false;
        await slowed;
      },
    },
    {
      name: 'the disks of Elasticsearch are full',
      seconds: 30,
      strike: async () => {
        await es.cluster.putSettings({ transient: FULL_DISK });
      },
      heal: async () => {
        await es.cluster.putSettings({
          transient: Object.fromEntries(Object.keys(FULL_DISK).map((name) => [name, null])),
        });
        await es.indices.putSettings({
          index: '*',
          settings: { 'index.blocks.read_only_allow_delete': null },
        });
        await isGreen(es);
      },
    },
    { name: 'the clock of an instance is an hour ahead', seconds: 40, strike: moveClock, heal: moveClock },
    {
      name: 'the authority of the certificates of Elasticsearch changes',
      seconds: 0,
      strike: () => changeAuthority(cluster, authorities),
      heal: async () => {
        [authorities.first, authorities.second] = [authorities.second, authorities.first];
        await isGreen(es);
      },
    },
    {
      name: 'Redis is killed and started again',
      seconds: 3,
      isOutage: true,
      strike: async () => {
        process.kill(redis.engine.pid, 'SIGKILL');
        await redis.engine.stop();
      },
      heal: async () => {
        redis.engine = await redis.start();
      },
    },
  ];
}

/** Replaces the certificate authority of the Elasticsearch nodes as docs/operations.md describes. */
async function changeAuthority(
  cluster: LocalCluster,
  { first, second, trust }: CertificateAuthorities,
): Promise<void> {
  const both = `${first.authority}${second.authority}`;
  trust(first, second);
  for (const name of cluster.nodes.keys()) cluster.present(name, { ...first, authority: both });
  const before = await presentedAuthority(cluster.urls[0] ?? '');
  for (const [name, { url }] of cluster.nodes) {
    // Elasticsearch notices changed certificate files within five seconds.
    await sleep(5_000);
    cluster.present(name, { ...second, authority: both });
    while ([before, null].includes(await presentedAuthority(url))) await sleep(250);
  }
  trust(second);
  for (const name of cluster.nodes.keys()) cluster.present(name, second);
}

/** Disk thresholds that are so low that Elasticsearch considers every disk full. */
const FULL_DISK = {
  'cluster.info.update.interval': '10s',
  'cluster.routing.allocation.disk.threshold_enabled': true,
  'cluster.routing.allocation.disk.watermark.low': '0.01%',
  'cluster.routing.allocation.disk.watermark.high': '0.02%',
  'cluster.routing.allocation.disk.watermark.flood_stage': '0.03%',
};

async function delayAnswers(url: string, goesOn: () => boolean): Promise<void> {
  const client = createRedis(url);
  client.on('error', () => undefined);
  while (goesOn()) {
    await client.call('CLIENT', 'PAUSE', String(REDIS_DELAY_MS), 'ALL').catch(() => undefined);
    await sleep(REDIS_DELAY_MS / 2);
  }
  client.disconnect();
}

async function isGreen(es: Client): Promise<void> {
  for (;;) {
    const wanted = { wait_for_status: 'green', wait_for_nodes: '3', timeout: '10s' } as const;
    // Elasticsearch answers with the status 408 if the health is not green within the time limit.
    const health = await es.cluster.health(wanted, { ignore: [408] }).catch(() => null);
    if (health?.timed_out === false) return;
    await sleep(500);
  }
}
