import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startReady } from './kept.js';
import { projectRoot, temporaryFolder } from '../../scripts/shared/places.js';
import { elasticsearchIsReady, type Engine, freePort, redisInfo, type RunningEngine } from './ready.js';
import { REDIS_SETTINGS } from './local-redis.js';

const run = promisify(execFile);
const ANSWER_WITHIN_MS = 5_000;
const READY_WITHIN_MS = 300_000;
/** The time limit of the Compose project. Docker may have to pull the images first. */
const COMPOSE_READY_WITHIN_MS = 900_000;
const COMPOSE_GRACE_MS = 60_000;

const COMPOSE_FILE = 'docker/demo.compose.yml';
const IMAGES = { elasticsearch: 'elasticsearch:9.4.3', redis: 'redis:7.2.16' };

/** Returns whether a Docker server responds. An installed Docker client without a server is not enough. */
export async function dockerAnswers(): Promise<boolean> {
  return run('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: ANSWER_WITHIN_MS }).then(
    ({ stdout }) => stdout.trim() !== '',
    () => false,
  );
}

/** Starts a container. Testcontainers removes it even if this process is killed. */
export async function startContainer(engine: Engine): Promise<RunningEngine> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const image = new GenericContainer(IMAGES[engine]);
  const container =
    engine === 'elasticsearch'
      ? image
          .withExposedPorts(9200)
          .withEnvironment({
            'discovery.type': 'single-node',
            'xpack.security.enabled': 'false',
            'xpack.ml.enabled': 'false',
            'ingest.geoip.downloader.enabled': 'false',
            'cluster.routing.allocation.disk.threshold_enabled': 'false',
            ES_JAVA_OPTS: '-Xms512m -Xmx512m',
          })
          .withWaitStrategy(Wait.forHttp('/_cluster/health?wait_for_status=yellow&timeout=5s', 9200))
      : image
          .withExposedPorts(6379)
          .withCommand(['redis-server', ...REDIS_SETTINGS])
          .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'));
  const started = await container.withStartupTimeout(READY_WITHIN_MS).start();
  const scheme = engine === 'elasticsearch' ? 'http' : 'redis';
  return {
    url: `${scheme}://${started.getHost()}:${started.getFirstMappedPort()}`,
    way: `container of ${IMAGES[engine]}`,
    stop: async () => void (await started.stop()),
  };
}

/** Starts docker/demo.compose.yml as the project `name`. A keeper stops it even if this process is killed. */
export async function startCompose(
  engines: Engine[],
  name: string,
  log: (line: string) => void,
): Promise<Map<Engine, RunningEngine>> {
  const ports = { elasticsearch: await freePort(), redis: await freePort() };
  const dir = temporaryFolder('compose');
  log(`Starting ${engines.join(' and ')} with docker compose; the first start pulls the images ...`);
  const urls = {
    elasticsearch: `http://127.0.0.1:${ports.elasticsearch}`,
    redis: `redis://127.0.0.1:${ports.redis}`,
  };
  const isReady = {
    elasticsearch: () => elasticsearchIsReady(urls.elasticsearch),
    redis: async () => (await redisInfo(ports.redis)) !== undefined,
  };
  const { stop } = await startReady(
    {
      command: 'docker',
      args: ['compose', '--file', COMPOSE_FILE, '--project-name', name, 'up', '--no-color', ...engines],
      cwd: projectRoot,
      env: { ELASTICSEARCH_PORT: String(ports.elasticsearch), REDIS_PORT: String(ports.redis) },
      log: join(dir, 'output.log'),
      removeAfter: [dir],
      graceMs: COMPOSE_GRACE_MS,
    },
    {
      failure: 'docker compose',
      withinMs: COMPOSE_READY_WITHIN_MS,
      check: async () =>
        (await Promise.all(engines.map((engine) => isReady[engine]()))).every(Boolean) || undefined,
    },
  );
  return new Map(engines.map((engine) => [engine, { url: urls[engine], way: 'docker compose', stop }]));
}
