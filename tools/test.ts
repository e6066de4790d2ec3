/** npm test: the tests, against a real Elasticsearch and Redis; see --help. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { Redis } from 'ioredis';
import { command, unlessInterrupted } from '../scripts/shared/command.js';
import { EXIT } from '../scripts/shared/exit.js';
import { start } from '../scripts/shared/start.js';
import { readConfig } from '../src/platform/config/config.js';
import { createElasticsearch } from '../src/engine/client.js';
import { startServices } from './services/index.js';
import { removeElasticsearchTraces, removeRedisTraces } from './services/traces.js';
import { allRuns, APART, JOBS, testsIn, unitRuns } from './test/sets.js';

/** Arguments of Mocha, for one run after the other. */
interface Plan {
  runs: string[][];
  /** Whether the tests need Elasticsearch and Redis. */
  engines: boolean;
}

export const main = command({
  name: 'test',
  ending: { graceMs: 0 },
  about: `Runs the tests against a real Elasticsearch and a real Redis, which are found or started, and stopped. Files run ${JOBS} at a
time, and then, one after the other, those that would disturb each other.

  npm test                                      all of them, but those of --data and --faults
  npm run test:unit                             (--unit) those that need no engine, in seconds
  npm run test:data                             (--data) those of test/data, which need the large data sets
  npm run test:faults                           (--faults) those of test/faults, which kill and freeze engines
  npm test -- test/endpoints/search.test.ts     some files
  npm test -- --grep price                      with any option of Mocha`,
  operands: { show: 'FILE... | MOCHA OPTION...', verbatim: true },
  options: {},
  exits: { done: 'all passed', failed: 'otherwise, or how many tests did not pass' },
  async run({ operands }, env, { err, signal }) {
    const { runs, engines } = await plan(operands);
    if (!engines) return runAll(runs, env, signal);
    const started = performance.now();
    const log = (line: string) => {
      err.write(`${line}\n`);
    };
    const services = await unlessInterrupted(startServices({ purpose: 'test', log }), signal);
    log(`Ready in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    const prefix = `test-${randomBytes(4).toString('hex')}`;
    const { elasticsearchUrl, redisUrl } = services;
    const given = { ...env, ELASTICSEARCH_URL: elasticsearchUrl, REDIS_URL: redisUrl, INDEX_PREFIX: prefix };
    try {
      return await runAll(runs, given, signal).finally(() => removeTraces(given, env, prefix));
    } finally {
      await services.stop();
    }
  },
});

async function plan(given: string[]): Promise<Plan> {
  const [set = '', ...rest] = given;
  const args = set in SETS ? rest : given;
  const namesFiles = args.some((arg) => arg.endsWith('.ts') || /^(?:\.\/)?test(?:\/|$)/.test(arg));
  if (namesFiles) return { runs: [args], engines: true };
  return (SETS[set] ?? everything)(args);
}

const SETS: Record<string, (args: string[]) => Plan | Promise<Plan>> = {
  '--data': (args) => ({ runs: [[...args, ...testsIn(APART.data)]], engines: true }),
  '--faults': (args) => ({ runs: [[...args, ...testsIn(APART.faults)]], engines: true }),
  '--unit': async (args) => ({ runs: await unitRuns(args), engines: false }),
};

const everything = (args: string[]): Plan => ({ runs: allRuns(args), engines: true });

/** @returns the exit code of the first run that failed, or that of them all. */
async function runAll(runs: string[][], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  let code: number = EXIT.done;
  for (const args of runs) {
    if (signal.aborted) break;
    const ended = await runMocha(args, env, signal);
    code ||= ended;
  }
  return signal.aborted ? EXIT.interrupted : code;
}

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
async function removeTraces(env: NodeJS.ProcessEnv, given: NodeJS.ProcessEnv, prefix: string): Promise<void> {
  const config = readConfig(env);
  if (given['ELASTICSEARCH_URL']) {
    const client = createElasticsearch(config.elasticsearch, { requestTimeout: 60_000, maxRetries: 3 });
    await removeElasticsearchTraces(client, prefix);
    await client.close();
  }
  if (given['REDIS_URL']) {
    const redis = new Redis(config.redisUrl, { maxRetriesPerRequest: 1 });
    await removeRedisTraces(redis, prefix);
    await redis.quit();
  }
}

await start(import.meta.url, main);
