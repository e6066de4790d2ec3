import { join } from 'node:path';
import { dockerAnswers, startCompose, startContainer } from './docker.js';
import { startLocalElasticsearch } from './local-elasticsearch.js';
import { startLocalRedis } from './local-redis.js';
import type { Engine, RunningEngine } from './ready.js';
import { CommandError } from '../../scripts/shared/exit.js';
import { checkoutKey, demoDataRoot } from '../../scripts/shared/places.js';

export {
  type LocalElasticsearchOptions,
  type LocalEngine,
  startLocalElasticsearch,
} from './local-elasticsearch.js';
export { type LocalCluster, startLocalCluster } from './local-cluster.js';
export { type LocalRedisOptions, startLocalRedis } from './local-redis.js';
export { issueCertificates, type NodeCertificates, presentedAuthority } from './certificates.js';
export { askEngine, freePort, type Program, startProgram } from './ready.js';
export {
  type DemoState,
  readDemoState,
  removeDemoState,
  writeDemoState,
} from '../../scripts/shared/demo-state.js';

/**
 * JVM options for an Elasticsearch that runs for minutes with small indices. The optimizing compiler and the concurrent
 * garbage collector need more CPU time than they save in so short a time: without them, a node starts with half and runs tests
 * with two thirds of it. Half of the heap is for new objects, and the first classes trigger no full garbage collection, which
 * halves the time for both. Not verifying the byte code of Elasticsearch saves a fifth of the CPU time of a start.
 */
const SHORT_LIVED_JVM = [
  ...['-XX:TieredStopAtLevel=1', '-XX:-UseG1GC', '-XX:+UseSerialGC'],
  ...['-Xmn384m', '-XX:MetaspaceSize=256m', '-XX:-AlwaysPreTouch'],
  ...['-XX:+UnlockDiagnosticVMOptions', '-XX:-BytecodeVerificationRemote'],
];

/** Settings of an Elasticsearch for tests. It logs only warnings, because tests create and delete an index every second. */
const SHORT_LIVED_SETTINGS = { 'logger.level': 'WARN' };

export interface ServicesOptions {
  /** Data of tests is temporary; the data of the demo is kept in a folder or volume of this checkout. */
  purpose: 'test' | 'demo';
  dataDir?: string;
  /** Whether local processes run for minutes with small indices, as they do for `npm test`. */
  shortLived?: boolean;
  log: (line: string) => void;
}

const composeProject = `product-catalogue-${checkoutKey}`;

export interface Services {
  elasticsearchUrl: string;
  redisUrl: string;
  ways: Record<Engine, string>;
  /** Where the data of Elasticsearch are kept; null if the user provided it by a URL. */
  place: string | null;
  /** Stops what was started here, but not what the user provided by a URL. */
  stop(): Promise<void>;
}

/** Elasticsearch or Redis cannot be provided. The message states why, and what to install. */
class ProvisioningError extends CommandError {
  override name = 'ProvisioningError';
}

const NAMES = { elasticsearch: 'Elasticsearch', redis: 'Redis' };
const VARIABLES = { elasticsearch: 'ELASTICSEARCH_URL', redis: 'REDIS_URL' };

/** Finds Elasticsearch and Redis by the environment, or starts them with Docker, or else as local processes. */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const { log } = options;
  const given = (engine: Engine) => process.env[VARIABLES[engine]] || undefined;
  const missing = (['elasticsearch', 'redis'] as const).filter((engine) => !given(engine));
  const started =
    (missing.length > 0 && (await dockerAnswers()) && (await tryDocker(missing, options))) ||
    (await startOnThisMachine(missing, options));
  const use = (engine: Engine): RunningEngine => {
    const running = started.get(engine) ?? {
      url: given(engine) ?? '',
      way: VARIABLES[engine],
      stop: () => Promise.resolve(),
    };
    log(`${NAMES[engine]}: ${running.way}, ${withoutPassword(running.url)}`);
    return running;
  };
  const elasticsearch = use('elasticsearch');
  const redis = use('redis');
  return {
    elasticsearchUrl: elasticsearch.url,
    redisUrl: redis.url,
    ways: { elasticsearch: elasticsearch.way, redis: redis.way },
    place: given('elasticsearch')
      ? null
      : elasticsearch.way === 'docker compose'
        ? `the volumes of the Docker project ${composeProject}`
        : demoDataRoot(),
    stop: async () => {
      await Promise.all([elasticsearch.stop(), redis.stop()]);
    },
  };
}

/** Starts engines with Docker; undefined, with the reason in the log, if Docker cannot. */
async function tryDocker(engines: Engine[], { purpose, log }: ServicesOptions) {
  try {
    return purpose === 'demo'
      ? await startCompose(engines, composeProject, log)
      : await startAll(engines, startContainer);
  } catch (error) {
    log(`Docker responds, but could not start the servers: ${(error as Error).message}`);
    return undefined;
  }
}

function startOnThisMachine(
  engines: Engine[],
  { purpose, dataDir = demoDataRoot(), shortLived = false, log }: ServicesOptions,
) {
  if (purpose === 'demo' && engines.length > 0)
    log(`Starting ${engines.map((engine) => NAMES[engine]).join(' and ')} ...`);
  return startAll(engines, async (engine) => {
    const where = purpose === 'demo' ? { dataDir: join(dataDir, engine) } : { inMemory: shortLived };
    if (engine === 'redis')
      return { ...(await startLocalRedis({ log, ...where })), way: 'redis-server of this machine' };
    const heap = purpose === 'demo' ? '1g' : shortLived ? '768m' : '512m';
    const brief = shortLived ? { jvm: SHORT_LIVED_JVM, settings: SHORT_LIVED_SETTINGS } : {};
    return {
      ...(await startLocalElasticsearch({ log, heap, ...brief, ...where })),
      way: 'a process of this machine (by Maven)',
    };
  });
}

async function startAll(
  engines: Engine[],
  start: (engine: Engine) => Promise<RunningEngine>,
): Promise<Map<Engine, RunningEngine>> {
  const running = new Map<Engine, RunningEngine>();
  const outcomes = await Promise.allSettled(
    engines.map(async (engine) => running.set(engine, await start(engine))),
  );
  const failures = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as Error] : [],
  );
  if (failures.length === 0) return running;
  await Promise.all([...running.values()].map((engine) => engine.stop()));
  throw new ProvisioningError(failures.map((failure) => failure.message).join('\n'), { cause: failures });
}

const withoutPassword = (url: string): string => url.replace(/\/\/[^/@]*@/g, '//');
