/**
 * npm test [-- FILE... | MOCHA OPTION...]: the tests, against a real Elasticsearch and Redis.
 * --data takes those of test/data instead, which need the large data sets; --faults those of test/faults, which kill
 * and freeze engines and take minutes.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { Redis } from 'ioredis';
import { createElasticsearch } from '../src/elasticsearch/client.js';
import { readConfig } from '../src/config.js';
import { explainAndExit, type Services, startServices } from './services/index.js';
import { endBy, onFirstSignal } from '../scripts/shared/signals.js';
import { removeElasticsearchTraces, removeRedisTraces } from './services/traces.js';

const SETS: Record<string, string[]> = {
  '--data': ['test/data/**/*.test.ts'],
  '--faults': ['test/faults/**/*.test.ts'],
};
const ALL = ['test/**/*.test.ts', '--ignore', 'test/data/**', '--ignore', 'test/faults/**'];

/** Runs Mocha and gives its exit code; it ends when this process is gone, or when `abort` says so. */
function runMocha(args: string[], env: NodeJS.ProcessEnv, abort: AbortSignal): Promise<number> {
  const withParent = new URL('services/with-parent.mjs', import.meta.url).href;
  const mocha = spawn(
    process.execPath,
    ['--import', withParent, '--import', 'tsx', 'node_modules/mocha/lib/cli/cli.js', ...args],
    { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'], signal: abort, killSignal: 'SIGTERM' },
  );
  return new Promise((resolve, reject) => {
    mocha.on('error', (error) => (abort.aborted ? undefined : reject(error)));
    mocha.on('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

/** Engines that were given to us get rid of what the tests left in them. */
async function removeTraces(env: NodeJS.ProcessEnv, prefix: string): Promise<void> {
  const config = readConfig(env);
  if (process.env['ELASTICSEARCH_URL']) {
    const client = createElasticsearch(config.elasticsearch, { requestTimeout: 60_000, maxRetries: 3 });
    await removeElasticsearchTraces(client, prefix);
    await client.close();
  }
  if (process.env['REDIS_URL']) {
    const redis = new Redis(config.redisUrl, { maxRetriesPerRequest: 1 });
    await removeRedisTraces(redis, prefix);
    await redis.quit();
  }
}

function mochaArguments(given: string[]): string[] {
  const set = SETS[given[0] ?? ''];
  const args = set ? given.slice(1) : given;
  const namesFiles = args.some((arg) => arg.endsWith('.ts') || /^(\.\/)?test(\/|$)/.test(arg));
  return namesFiles ? args : [...args, ...(set ?? ALL)];
}

async function runTests(services: Services, abort: AbortSignal): Promise<number> {
  const prefix = `test-${randomBytes(4).toString('hex')}`;
  const env = {
    ...process.env,
    ELASTICSEARCH_URL: services.elasticsearchUrl,
    REDIS_URL: services.redisUrl,
    INDEX_PREFIX: prefix,
  };
  try {
    return await runMocha(mochaArguments(process.argv.slice(2)), env, abort);
  } finally {
    await removeTraces(env, prefix);
  }
}

const started = Date.now();
const services = await startServices({ purpose: 'test', log: (line) => console.error(line) }).catch(
  explainAndExit,
);
console.error(`Ready in ${((Date.now() - started) / 1000).toFixed(1)} s`);

const abort = new AbortController();
let signal: NodeJS.Signals | undefined;
onFirstSignal((received) => {
  signal = received;
  abort.abort();
});
try {
  process.exitCode = await runTests(services, abort.signal);
} finally {
  await services.stop();
}
if (signal) endBy(signal);
