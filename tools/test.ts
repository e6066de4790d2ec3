/** npm test: runs the tests with a real Elasticsearch and Redis; see --help. */
import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { command, unlessInterrupted } from '../scripts/shared/command.js';
import { UsageError } from '../scripts/shared/exit.js';
import { start } from '../scripts/shared/start.js';
import { readConfig } from '../src/platform/config/config.js';
import { createElasticsearch } from '../src/engine/client.js';
import { type Services, startServices } from './local-services/index.js';
import { removeElasticsearchTraces, removeRedisTraces } from './local-services/traces.js';
import { buildTests, type TestBuild } from './test/build.js';
import { affectedTests, changedSince, findBase } from './test/affected.js';
import { runAll, type TestRunContext } from './test/mocha.js';
import {
  CHAOS_GROUPS,
  type ChaosGroup,
  chaosTests,
  dataTests,
  namedTests,
  ordered,
  serviceTests,
  type TestSet,
  testsIn,
  unitTests,
} from './test/sets.js';

/** There are more processes than cores, because tests mostly wait for an engine. */
const JOBS = 4;
/** The number of processes for unit tests, which only compute and never wait. */
const UNIT_JOBS = 2;

interface TestRun {
  /** The test files to compile, and therefore all that may be selected. */
  files: string[];
  /** Selects the test files to run, for which it may use the imports of the compiled files. */
  select(build: TestBuild): TestSelection;
  jobs: number;
  options: string[];
  engines: boolean;
  /** Whether the tests of this run try all their cases instead of a sample of them. */
  chaos: boolean;
  /** Whether the longest test files run only a random sample of their tests. */
  sampled: boolean;
  /** Whether only the tests that a change affects run, the longest of them with a smaller catalogue. */
  affected: boolean;
  /** The minutes within which files should end. A file with a longer estimate does not start; it is listed. */
  minutes?: number;
}

interface TestSelection {
  set: TestSet;
  /** The unit tests, which run while Elasticsearch starts and one core is idle. */
  early?: TestSet;
}

const groupNames = Object.keys(CHAOS_GROUPS) as ChaosGroup[];

export const main = command({
  name: 'test',
  onInterrupt: { graceMs: 0 },
  about: `Runs the tests against a real Elasticsearch and a real Redis, which are found or started, and stopped. Files run ${JOBS} at a
time, and then, one after the other, those that would disturb each other.

  npm test                              all but --data and --chaos, and a sample of --chaos
  npm run test:unit                     (--unit) those without engines and processes, in seconds
  npm run test:data                     (--data) those of test/data, which need large data sets
  npm run test:chaos                    (--chaos) faults, kills, builds and every hostile value
  npm run test:chaos -- --only GROUPS   some groups of them, such as faults,kills
  npm run test:chaos -- --affected      those that depend on a changed file; see .ci/run
  npm run test:chaos -- --affected --minutes 6
                                        the same, without files that take longer than six minutes
  npm test -- test/endpoints/search.test.ts
                                        some files or folders
  npm test -- --grep price              with any option of Mocha

The groups are ${groupNames.join(', ')}. TEST_SEED chooses the sample; each run prints its seed.`,
  operands: { show: 'FILE... | MOCHA OPTION...', verbatim: true },
  options: {},
  exits: { done: 'all passed', failed: 'otherwise, or how many tests did not pass' },
  async run({ operands }, env, { err, signal }) {
    const log = (line: string) => {
      err.write(`${line}\n`);
    };
    const seed = Number(env['TEST_SEED'] ?? randomInt(1, 1_000_000));
    const request = testRunOf(operands, { env, seed, log });
    const sampled = {
      ...env,
      TEST_SEED: String(seed),
      ...(request.chaos && { TEST_CHAOS: request.affected ? 'affected' : 'all' }),
      ...(request.sampled && { TEST_SET: 'all' }),
    };
    // Elasticsearch starts while the tests are compiled.
    const starting = request.engines ? startEngines(request, { signal, log }) : null;
    // If the start fails, the error is reported further below, where the engines are awaited.
    starting?.catch(() => undefined);
    const build = await buildTests(request.files);
    const leaving = new AbortController();
    try {
      const { set, early } = request.select(build);
      const plan = { ...request, set, build };
      if (starting === null) return await runAll(plan, sampled, { signal, log });
      const first = {
        ...plan,
        set: early ?? { together: [], alone: [] },
        jobs: UNIT_JOBS,
        name: 'unit tests',
      };
      const whileStarting = runAll(first, sampled, {
        signal: AbortSignal.any([signal, leaving.signal]),
        log,
      });
      const services = await starting;
      const prefix = `test-${randomBytes(4).toString('hex')}`;
      const engines = { ELASTICSEARCH_URL: services.elasticsearchUrl, REDIS_URL: services.redisUrl };
      const given = { ...sampled, ...engines, INDEX_PREFIX: prefix };
      const code = await runAll(plan, given, { signal, log }).finally(() => removeTraces(given, env, prefix));
      return (await whileStarting) || code;
    } finally {
      // If Elasticsearch did not start, the unit tests may still be running.
      leaving.abort();
      build.remove();
      await starting?.then(
        (services) => services.stop(),
        () => undefined,
      );
    }
  },
});

/** Finds or starts the engines. Chaos tests need the default JVM: the serial collector trips the parent circuit breaker. */
async function startEngines({ chaos }: TestRun, { signal, log }: TestRunContext): Promise<Services> {
  const started = performance.now();
  const services = await unlessInterrupted(
    startServices({ purpose: 'test', shortLived: !chaos, log }),
    signal,
  );
  log(`Ready in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return services;
}

interface Given {
  env: NodeJS.ProcessEnv;
  seed: number;
  log: (line: string) => void;
}

/** @throws UsageError if the command line names a chaos group that does not exist. */
function testRunOf(given: string[], { env, seed, log }: Given): TestRun {
  const [first = '', ...rest] = given;
  const isSet = ['--unit', '--data', '--chaos'].includes(first);
  const args = isSet ? rest : given;
  const { values, others } = takeValues(args, ['--only', '--minutes']);
  const isName = (arg: string) => arg.endsWith('.ts') || /^(?:\.\/)?test(?:\/|$)/.test(arg);
  const names = others.filter(isName);
  const options = others.filter((arg) => !isName(arg) && arg !== '--affected');
  const chaos = first === '--chaos';
  const minutes = values['--minutes'] === undefined ? {} : { minutes: Number(values['--minutes']) };
  const affected = chaos && others.includes('--affected');
  const run = { jobs: JOBS, options, engines: true, chaos, sampled: false, affected, ...minutes };
  const runOf = (set: TestSet, select: TestRun['select'] = () => ({ set })): TestRun => ({
    ...run,
    files: [...set.together, ...set.alone],
    select,
  });

  if (names.length > 0) return runOf(namedTests(names));
  if (first === '--data') return runOf(dataTests());
  if (first === '--unit') {
    const select = ({ imports }: TestBuild) => ({ set: unitTests(imports) });
    return { ...run, files: testsIn('test'), select, jobs: UNIT_JOBS, engines: false };
  }
  if (!chaos) {
    log(`The sample of chaos tests is that of TEST_SEED=${seed}`);
    const set = serviceTests(seed);
    const select: TestRun['select'] = ({ imports }) => withoutUnitTests(set, unitTests(imports));
    return { ...runOf(set, select), sampled: true };
  }
  const set = chaosTests(groupsOf(values['--only']));
  return runOf(set, (build) => ({ set: affected ? affectedOf(set, build, { env, seed, log }) : set }));
}

function withoutUnitTests({ together, alone }: TestSet, unit: TestSet): TestSelection {
  return {
    set: { together: together.filter((file) => !unit.together.includes(file)), alone },
    early: { together: together.filter((file) => unit.together.includes(file)), alone: [] },
  };
}

/** The tests of a set that the changed files affect; if there are none, one that the seed draws. */
function affectedOf(set: TestSet, build: TestBuild, { env, seed, log }: Given): TestSet {
  const base = findBase(env);
  const all = [...set.together, ...set.alone];
  if (base === null) {
    log('There is no earlier commit to compare with, so every chaos test counts as affected.');
    return set;
  }
  const textOf = (file: string) => readFileSync(file, 'utf8');
  const affected = affectedTests(all, changedSince(base.commit), build.imports, textOf);
  log(
    `Compared with ${base.commit.slice(0, 12)} (${base.reason}), a change affects ${affected.length} of ${all.length} files.`,
  );
  if (affected.length > 0) return ordered(affected);
  const drawn = [all[seed % all.length] ?? ''];
  log(`TEST_SEED=${seed} draws ${drawn[0]} instead.`);
  return ordered(drawn);
}

/** Parses the names of chaos groups; undefined selects all. @throws UsageError if a group does not exist. */
function groupsOf(names: string | undefined): ChaosGroup[] {
  const groups = names?.split(',') ?? groupNames;
  const unknown = groups.find((name) => !Object.hasOwn(CHAOS_GROUPS, name));
  if (unknown !== undefined) throw new UsageError(`--only takes ${groupNames.join(', ')}, not "${unknown}"`);
  return groups as ChaosGroup[];
}

/** Removes these options and their values from the arguments. The rest is mostly for Mocha. */
function takeValues(args: readonly string[], names: readonly string[]) {
  const values: Record<string, string> = {};
  const others: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const [name = '', given] = (args[at] ?? '').split(/=(.*)/s);
    if (names.includes(name)) values[name] = given ?? args[(at += 1)] ?? '';
    else others.push(args[at] ?? '');
  }
  return { values, others };
}

/** Deletes what the tests left in an Elasticsearch or Redis that was not started for this run. */
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
