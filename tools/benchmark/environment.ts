import { readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../src/platform/config/config.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { ensureCatalogue, generationName, productsAlias, productsIndex } from '../../src/engine/indices.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { searchPages } from '../../src/engine/search-pages.js';
import { drawSample } from '../../src/text/statistics.js';
import { createKeys } from '../api-keys.js';
import { sampleLines } from '../sample-catalogue/catalogue.js';
import { CommandError } from '../../scripts/shared/exit.js';
import { formatCount } from '../../src/text/quantities.js';
import { showProgress } from '../../scripts/shared/terminal.js';
import { freePort, startLocalElasticsearch, startLocalRedis } from '../local-services/index.js';
import { startKept } from '../local-services/kept.js';
import { shopperQueries } from './queries.js';
import { startRecorder } from './recorder.js';
import type { Rounds } from './comparison.js';

const ANSWERS_WITHIN_MS = 30_000;
const PLAIN_SERVER = fileURLToPath(new URL('plain-service.mjs', import.meta.url));
const BUILT_SERVER = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

/** An instance of the compiled service, in a process of its own. */
export interface RunningService {
  url: string;
  pid: number;
  /** The time in milliseconds from the start of the process to the first page of a search. */
  startedInMs: number;
  stop(): Promise<void>;
}

export async function startBuiltService(
  environment: Record<string, string>,
  authorization: string,
  nodeOptions: string[] = [],
  log = devNull,
): Promise<RunningService> {
  return startServer(
    [...nodeOptions, BUILT_SERVER],
    { path: '/v1/search?limit=1', authorization, log },
    (port) => ({
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      SHUTDOWN_DELAY_MS: '0',
      ADMIN_SECRET: 'bench-8c1f4b7de2a95036',
      JWT_SECRET: 'bench-73e0a9d45c6b81f2-5d08c7e14fa96b3',
      ...environment,
      PORT: String(port),
    }),
  );
}

/** Starts the plain service, the anchor of the benchmark, on an index. */
const startPlainService = (engineUrl: string, index: string): Promise<RunningService> =>
  startServer([PLAIN_SERVER, engineUrl, index], { path: '/livez' }, () => ({ NODE_ENV: 'production' }));

/** Starts a server in a process of its own. The port is its last argument, and may be in its environment. */
async function startServer(
  args: string[],
  { path, authorization = '', log = devNull }: { path: string; authorization?: string; log?: string },
  env: (port: number) => Record<string, string>,
): Promise<RunningService> {
  const port = await freePort();
  const child = await startKept({
    command: process.execPath,
    args: [...args, String(port)],
    cwd: process.cwd(),
    env: env(port),
    log,
  });
  const started = performance.now();
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(`${url}${path}`, authorization))) {
    const exit = child.exit();
    if (exit !== undefined) throw new CommandError(`a server ended with ${exit.code ?? exit.signal ?? 0}`);
    if (performance.now() - started > ANSWERS_WITHIN_MS) throw new CommandError('a server does not answer');
    await sleep(2);
  }
  return { url, pid: child.pid, startedInMs: performance.now() - started, stop: () => child.stop() };
}

async function answers(url: string, authorization: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: { authorization } });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** Returns the CPU time of a process in seconds; NaN if the system does not report it. */
export function processorSeconds(pid: number): number {
  try {
    // The second field, the command name in parentheses, may contain blanks, so fields are counted after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
  } catch {
    return NaN;
  }
}

/** Linux reports CPU time in hundredths of a second on all platforms that Node.js supports. */
const TICKS_A_SECOND = 100;

export function residentMegabytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

/** The latest time in every generated catalogue, fixed so that all runs measure the same listings. */
const NOW = new Date('2026-11-01T00:00:00Z');

export const generatedFeed = (listings: number): Generator<string> =>
  sampleLines({ seed: 42, listings, now: NOW, imageBaseUrl: 'http://localhost/sample/images' });

export const withoutSecurity = (url: string): Config['elasticsearch'] => ({
  nodes: [url],
  auth: null,
  caFile: null,
});

/** Loads the generated catalogue unless it exists, and merges each shard into one segment. */
export async function loadCatalogue(
  elasticsearch: Config['elasticsearch'],
  prefix: string,
  { listings, shards }: { listings: number; shards: number },
): Promise<void> {
  const es = createElasticsearch(elasticsearch, { requestTimeout: 600_000, maxRetries: 2 });
  const index = productsAlias(prefix);
  if (shards > 1 && !(await es.indices.existsAlias({ name: index }))) {
    await es.indices.create({
      index: generationName(index, 1),
      ...productsIndex,
      settings: { ...productsIndex.settings, number_of_shards: shards },
      aliases: { [index]: { is_write_index: true } },
    });
  }
  await ensureCatalogue(es, prefix);
  await es.indices.refresh({ index });
  const { count } = await es.count({ index });
  if (count < listings) {
    const progress = showProgress(`Loading ${formatCount(listings)} listings`, process.stderr);
    await loadRecords({
      es,
      indexPrefix: prefix,
      records: readFeed(Readable.from(generatedFeed(listings))),
      onProgress: ({ read }) => {
        progress.update({ share: read / listings, note: formatCount(read) });
      },
    });
    progress.stop();
  }
  await es.indices.forcemerge({ index, max_num_segments: 1 });
  await es.indices.refresh({ index });
  await es.close();
}

export type Engines = Awaited<ReturnType<typeof startEngines>>;

const HEAP = '2g';

/** Starts the servers of the benchmark. `data` is the data folder; null: a temporary one. */
export async function startEngines({ data }: { data: string | null }) {
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const elasticsearch = await startLocalElasticsearch({
    log,
    heap: HEAP,
    ...(data === null ? {} : { dataDir: resolve(data) }),
  });
  const redis = await startLocalRedis({ log });
  const { version } = (await (await fetch(elasticsearch.url)).json()) as { version: { number: string } };
  return {
    elasticsearchUrl: elasticsearch.url,
    redisUrl: redis.url,
    pids: { elasticsearch: elasticsearch.pid, redis: redis.pid },
    version: version.number,
    async stop() {
      await Promise.all([elasticsearch.stop(), redis.stop()]);
    },
  };
}

const KEYS = 1_000;
const QUERIES = 30_000;
const IDS = 30_000;
const PAGE = 10_000;

export interface EnvironmentOptions {
  listings: number;
  rounds: Rounds;
  shards?: number;
  queries?: number;
  profile?: string | undefined;
}

/** Loads the catalogue, and starts the service twice (directly and through the recorder) and the plain service. */
export async function prepareContext(
  engines: Engines,
  { listings, rounds, shards = 1, queries = QUERIES, profile }: EnvironmentOptions,
) {
  const prefix = `bench-${listings}${shards === 1 ? '' : `-${shards}`}`;
  await loadCatalogue(withoutSecurity(engines.elasticsearchUrl), prefix, { listings, shards });
  const keys = await createKeys(engines.redisUrl, prefix, { count: KEYS, owner: 'bench' });
  let used = 0;
  const authorization = () => `Bearer ${keys[used++ % keys.length]?.raw ?? ''}`;
  const environment = {
    ELASTICSEARCH_URL: engines.elasticsearchUrl,
    REDIS_URL: engines.redisUrl,
    INDEX_PREFIX: prefix,
  };
  const recorder = await startRecorder(engines.elasticsearchUrl);
  // Events are off, because the recorder would assign their background writes to an API request.
  const overRecorder = { ...environment, ELASTICSEARCH_URL: recorder.url, EVENTS: 'off' };
  const recorded = await startBuiltService(overRecorder, authorization());
  const profiled = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const service = await startBuiltService(environment, authorization(), profiled);
  const plain = await startPlainService(engines.elasticsearchUrl, productsAlias(prefix));
  return {
    engineUrl: engines.elasticsearchUrl,
    pids: engines.pids,
    prefix,
    listings,
    service,
    /** The plain service, the anchor of all figures. */
    plain,
    /** An instance of the service that connects to Elasticsearch through the recorder. */
    recorded,
    recorder,
    /** For each kind of request, how many were sent. */
    sent: new Map<string, number>(),
    environment,
    queries: shopperQueries(queries),
    ids: await idsOf(engines.elasticsearchUrl, prefix),
    authorization,
    rounds,
    async stop() {
      await Promise.all([service.stop(), plain.stop(), recorded.stop()]);
      await recorder.close();
    },
  };
}

export type BenchContext = Awaited<ReturnType<typeof prepareContext>>;

/** Returns the ids of up to 30,000 listings in a random order that is the same in every run. */
async function idsOf(engineUrl: string, prefix: string): Promise<number[]> {
  const es = createElasticsearch(withoutSecurity(engineUrl), { requestTimeout: 60_000, maxRetries: 0 });
  const request = {
    index: productsAlias(prefix),
    size: PAGE,
    _source: false,
    sort: [{ id: 'asc' as const }],
  };
  const ids: number[] = [];
  for await (const hits of searchPages(es, request)) {
    ids.push(...hits.map(({ _id }) => Number(_id)));
    if (ids.length >= IDS) break;
  }
  await es.close();
  return drawSample(ids, IDS, 1);
}
