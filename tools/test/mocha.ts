import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { EXIT } from '../../scripts/shared/exit.js';
import type { TestBuild } from './build.js';
import { minutesOf, type TestSet } from './sets.js';

/** The size of the young generation in MB. With 16 MB, the default, garbage took a sixth of the CPU time. */
const YOUNG_GENERATION_MB = 64;

/** A file that runs this many minutes past `--minutes` is stopped and listed: on a loaded machine, that is no failure. */
const GRACE_MINUTES = 2;

interface TestPlan {
  set: TestSet;
  build: TestBuild;
  jobs: number;
  options: string[];
  minutes?: number;
  name?: string;
}

export interface TestRunContext {
  signal: AbortSignal;
  log: (line: string) => void;
}

/** Runs the files that may run concurrently, and then the others. @returns the exit code of the first failed run, or 0. */
export async function runAll(
  plan: TestPlan,
  env: NodeJS.ProcessEnv,
  { signal, log }: TestRunContext,
): Promise<number> {
  const started = performance.now();
  let code: number = EXIT.done;
  const left: string[] = [];
  const stopped: string[] = [];
  const limit = plan.minutes ?? Infinity;
  for (const run of mochaRuns(plan)) {
    if (signal.aborted) break;
    const minutes = (performance.now() - started) / 60_000;
    if (minutes + (run.minutes ?? 0) > limit) {
      left.push(...run.files);
      continue;
    }
    const late =
      limit === Infinity ? [] : [AbortSignal.timeout(Math.ceil((limit + GRACE_MINUTES - minutes) * 60_000))];
    const files = run.files.map((file) => plan.build.compiled(file));
    const ended = await runMocha(
      [...run.options, ...files],
      { ...env, TEST_BUILD: plan.build.folder },
      AbortSignal.any([signal, ...late]),
    );
    if (late.some(({ aborted }) => aborted)) stopped.push(...run.files);
    else code ||= ended;
  }
  const overdue = `because ${limit} minutes are not enough`;
  if (left.length > 0) log(`Not run, ${overdue}: ${left.join(', ')}`);
  if (stopped.length > 0) log(`Stopped before the end, ${overdue}: ${stopped.join(', ')}`);
  return signal.aborted ? EXIT.interrupted : code;
}

interface MochaRun {
  options: string[];
  /** The paths of the TypeScript files of the tests, before compilation. */
  files: string[];
  /** The estimated duration in minutes. It is set if the run has a time limit, and may then be left out. */
  minutes?: number;
}

/** Divides a set into runs of Mocha. With a time limit, each file that runs alone has a run of its own. */
function mochaRuns({ set, build, jobs, options, minutes, name = 'tests' }: TestPlan): MochaRun[] {
  const { together, alone } = set;
  const isLarge = together.length + alone.length > 20 && minutes === undefined;
  const reports = options.some((option) => /^(?:-R|--reporter)/.test(option));
  const reporter = build.compiled('tools/test/reporter.ts');
  const runOf = (parallel: string[], files: string[]): MochaRun => ({
    options: [
      ...parallel,
      ...(isLarge && !reports
        ? ['--reporter', reporter, '--reporter-option', `files=${files.length},name=${name}`]
        : []),
      ...options,
    ],
    files,
  });
  const [first, later] = fittingInto(together, minutes ?? Infinity);
  return [
    runOf(['--parallel', '--jobs', String(jobs)], first),
    ...(minutes === undefined
      ? [runOf([], alone)]
      : alone.map((file) => ({ ...runOf([], [file]), minutes: minutesOf(file) }))),
    { ...runOf([], later), minutes: Infinity },
  ].filter(({ files }) => files.length > 0);
}

/** Divides files into those that fit into the limit by their estimates and others. Two run at a time, so they take half of it. */
function fittingInto(files: readonly string[], limit: number): [fitting: string[], others: string[]] {
  let total = 0;
  const fits = (file: string) => {
    const minutes = minutesOf(file);
    if (total + minutes > limit) return false;
    total += minutes;
    return true;
  };
  const fitting = files.filter(fits);
  return [fitting, files.filter((file) => !fitting.includes(file))];
}

/** Runs Mocha and returns its exit code. Mocha is stopped if this process ends or if `abort` aborts. */
function runMocha(args: string[], env: NodeJS.ProcessEnv, abort: AbortSignal): Promise<number> {
  const withParent = new URL('../local-services/with-parent.mjs', import.meta.url).href;
  const mocha = spawn(
    process.execPath,
    [
      '--enable-source-maps',
      `--max-semi-space-size=${YOUNG_GENERATION_MB}`,
      ...['--import', withParent],
      'node_modules/mocha/lib/cli/cli.js',
      ...args,
    ],
    { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'], signal: abort, killSignal: 'SIGTERM' },
  );
  return new Promise((resolve, reject) => {
    mocha.on('error', (error) => (abort.aborted ? undefined : reject(error)));
    mocha.on('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
