/** npm test: the tests, against a real Elasticsearch and Redis; see --help. */
import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { constants } from 'node:os';
import { Redis } from 'ioredis';
import { command, unlessInterrupted } from '../scripts/shared/command.js';
import { EXIT } from '../scripts/shared/exit.js';
import { start } from '../scripts/shared/start.js';
import { readConfig } from '../src/platform/config/config.js';
import { createElasticsearch } from '../src/engine/client.js';
import { startServices } from './services/index.js';
import { removeElasticsearchTraces, removeRedisTraces } from './services/traces.js';
import { buildTests, type TestBuild } from './test/build.js';
import { dataTests, faultTests, namedTests, serviceTests, type TestSet, unitTests } from './test/sets.js';

/** More jobs than cores, because a test spends much of its time waiting for an engine. */
const JOBS = 3;
/** Unit tests only compute. */
const UNIT_JOBS = 2;

/** What a command line asks for. */
interface Plan {
  set: TestSet;
  build: TestBuild;
  jobs: number;
  /** Options of Mocha. */
  options: string[];
  /** Whether the tests need Elasticsearch and Redis. */
  engines: boolean;
}

export const main = command({
  name: 'test',
  onInterrupt: { graceMs: 0 },
  about: `Runs the tests against a real Elasticsearch and a real Redis, which are found or started, and stopped. Files run ${JOBS} at a
time, and then, one after the other, those that would disturb each other.

  npm test                                      all of them, but those of --data and --faults
  npm run test:unit                             (--unit) those that need no engine, in seconds
  npm run test:data                             (--data) those of test/data, which need the large data sets
  npm run test:faults                           (--faults) those of test/faults, which kill and freeze engines
  npm test -- test/endpoints/search.test.ts     some files or folders
  npm test -- --grep price                      with any option of Mocha`,
  operands: { show: 'FILE... | MOCHA OPTION...', verbatim: true },
  options: {},
  exits: { done: 'all passed', failed: 'otherwise, or how many tests did not pass' },
  async run({ operands }, env, { err, signal }) {
    const seed = env['TEST_SEED'] ?? String(randomInt(1, 1_000_000));
    err.write(`The sampled cases are those of TEST_SEED=${seed}\n`);
    const plan = await planOf(operands);
    try {
      if (!plan.engines) return await runAll(plan, { ...env, TEST_SEED: seed }, signal);
      const started = performance.now();
      const log = (line: string) => {
        err.write(`${line}\n`);
      };
      const services = await unlessInterrupted(startServices({ purpose: 'test', log }), signal);
      log(`Ready in ${((performance.now() - started) / 1000).toFixed(1)} s`);
      const prefix = `test-${randomBytes(4).toString('hex')}`;
      const { elasticsearchUrl, redisUrl } = services;
      const given = {
        ...env,
        ELASTICSEARCH_URL: elasticsearchUrl,
        REDIS_URL: redisUrl,
        INDEX_PREFIX: prefix,
      };
      try {
        return await runAll(plan, given, signal).finally(() => removeTraces(given, env, prefix));
      } finally {
        await services.stop();
      }
    } finally {
      plan.build.remove();
    }
  },
});

async function planOf(given: string[]): Promise<Plan> {
  const [first = '', ...rest] = given;
  if (first === '--unit') {
    const { together } = serviceTests();
    const build = await buildTests(together);
    return { set: unitTests(build.imports), build, jobs: UNIT_JOBS, options: rest, engines: false };
  }
  const isName = (arg: string) => arg.endsWith('.ts') || /^(?:\.\/)?test(?:\/|$)/.test(arg);
  const names = given.filter(isName);
  const separate = SETS[first];
  const set = separate?.() ?? (names.length > 0 ? namedTests(names) : serviceTests());
  const options = separate ? rest : given.filter((arg) => !isName(arg));
  const build = await buildTests([...set.together, ...set.alone]);
  return { set, build, jobs: JOBS, options, engines: true };
}

const SETS: Record<string, () => TestSet> = { '--data': dataTests, '--faults': faultTests };

/** Runs the files that may run together and then the others. @returns the exit code of the first run that failed. */
async function runAll(plan: Plan, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  let code: number = EXIT.done;
  for (const args of mochaRuns(plan)) {
    if (signal.aborted) break;
    const ended = await runMocha(args, { ...env, TEST_BUILD: plan.build.folder }, signal);
    code ||= ended;
  }
  return signal.aborted ? EXIT.interrupted : code;
}

/** Mocha's arguments for each of its runs. */
export function mochaRuns({
  set: { together, alone },
  build,
  jobs,
  options,
}: Pick<Plan, 'set' | 'build' | 'jobs' | 'options'>): string[][] {
  const runs = [
    { parallel: ['--parallel', '--jobs', String(jobs)], files: together },
    { parallel: [], files: alone },
  ].filter(({ files }) => files.length > 0);
  const isLarge =
    together.length + alone.length > 20 && !options.some((option) => /^(?:-R|--reporter)/.test(option));
  return runs.map(({ parallel, files }) => [
    ...parallel,
    ...(isLarge
      ? ['--reporter', build.compiled('tools/test/reporter.ts'), '--reporter-option', `files=${files.length}`]
      : []),
    ...options,
    ...files.map((file) => build.compiled(file)),
  ]);
}

/** Runs Mocha and returns its exit code. Mocha ends when this process ends, or when `abort` says so. */
function runMocha(args: string[], env: NodeJS.ProcessEnv, abort: AbortSignal): Promise<number> {
  const withParent = new URL('services/with-parent.mjs', import.meta.url).href;
  const mocha = spawn(
    process.execPath,
    ['--enable-source-maps', '--import', withParent, 'node_modules/mocha/lib/cli/cli.js', ...args],
    { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'], signal: abort, killSignal: 'SIGTERM' },
  );
  return new Promise((resolve, reject) => {
    mocha.on('error', (error) => (abort.aborted ? undefined : reject(error)));
    mocha.on('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

/** Removes what the tests left in engines that they did not start. */
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
