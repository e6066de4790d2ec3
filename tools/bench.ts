/** npm run bench: compares the speed of the service with that of Elasticsearch; see --help. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { cost } from './benchmark/measures/cost.js';
import { exports } from './benchmark/measures/export.js';
import { growth } from './benchmark/measures/growth.js';
import { ingestion } from './benchmark/measures/ingest.js';
import { instances } from './benchmark/measures/instances.js';
import { matrix, oneListing } from './benchmark/measures/listings.js';
import { allWords, anyWord, byConcurrency, oneAtATime, popular, typos } from './benchmark/measures/search.js';
import { shards } from './benchmark/measures/shards.js';
import { startUp } from './benchmark/measures/start.js';
import { FEWEST_ROUNDS } from './benchmark/estimate.js';
import { linePlot } from './benchmark/plot.js';
import { machineName, type Run, table } from './benchmark/report.js';
import type { BenchFinding, Measure, Scene } from './benchmark/scene.js';
import { setScene, startEngines } from './benchmark/stage.js';
import { command, type Io } from '../scripts/shared/command.js';
import { CommandError, EXIT, UsageError } from '../scripts/shared/exit.js';
import { flag, parsed, parseWholeNumber, type Values, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { fromCaller } from '../scripts/shared/terminal.js';

const MEASURES: Record<string, Measure> = {
  any: anyWord,
  all: allWords,
  one: oneAtATime,
  popular,
  listing: oneListing,
  matrix,
  typos,
  export: exports,
  ingest: ingestion,
  start: startUp,
  cost,
};

/** The values that `--quick` sets for options that are not given. The run takes less than four minutes. */
const QUICK = {
  only: ['any', 'all', 'one', 'popular', 'listing', 'matrix'],
  listings: 20_000,
  rounds: FEWEST_ROUNDS,
  seconds: 1,
  queries: 1_000,
};

const SIZES = { min: 1, max: 99_999_999 };
const CONCURRENCY_STEPS = [1, 2, 4, 8, 16, 32, 64, 128];

const path = (placeholder: string, help: string) => parsed(placeholder, help, fromCaller);

const OPTIONS = {
  only: parsed('NAMES', `some of ${Object.keys(MEASURES).join(', ')}; comma-separated`, measuresOf),
  quick: flag('a report in under four minutes: some works, 20,000 listings, turns of a second'),
  listings: wholeNumber('size of the generated catalogue, 100,000 by default', SIZES),
  rounds: wholeNumber(
    `turns of each side, 9 by default; ${FEWEST_ROUNDS}, as --quick has, give the first intervals of 95 %`,
    SIZES,
  ),
  seconds: wholeNumber('length of a turn, 3 by default', SIZES),
  growth: parsed(
    'SIZES',
    'also at these sizes, such as 10000,100000,1000000: how throughput keeps up',
    sizesOf,
  ),
  instances: parsed('COUNTS', 'also so many instances behind one HAProxy, such as 1,2,4', sizesOf),
  shards: parsed('COUNTS', 'also with the catalogue in so many shards, such as 1,3,6', sizesOf),
  plots: path('DIR', 'write latency.svg (and with --growth growth.svg) there'),
  json: path('FILE', 'write all figures there'),
  compare: path('FILE', 'say of each figure of an earlier --json whether it is faster or slower now'),
  data: path('DIR', "keep the engine's data there, so that the next run need not load it again"),
  profile: path(
    'DIR',
    "write a CPU profile of the service there, for Chromium's DevTools or any flame graph",
  ),
};

export const main = command({
  name: 'bench',
  about: `Measures the built service against its own engine: each kind of work is sent to the service, and the very requests that
the service sends to Elasticsearch for it (recorded, not rewritten) straight to the engine, in turns, on one machine.
Figures are medians of rounds, of two sides the median of their pairs, with the interval in which it lies with 95 %
confidence; where that holds the aim, or intervals of two runs overlap, it is said that nothing can be told. An
Elasticsearch and a Redis are started for it, and stopped.`,
  options: OPTIONS,
  notes: 'Let nothing else run meanwhile.',
  exits: { done: 'measured, whatever the figures' },
  run: ({ options }, _env, io) => bench(options, io),
});

function measuresOf(given: string, name: string): string[] {
  const names = given.split(',');
  const unknown = names.find((each) => !Object.hasOwn(MEASURES, each) && each !== 'none');
  if (unknown !== undefined) throw new UsageError(`${name} knows no "${unknown}"`);
  return names.filter((each) => each !== 'none');
}

function sizesOf(given: string, name: string): number[] {
  const sizes = given.split(',').filter((each) => each !== '');
  return sizes.map((each) => parseWholeNumber(each, name, SIZES));
}

async function bench(options: Values<typeof OPTIONS>, { out, err }: Io): Promise<number> {
  const { growth: sizes = [], plots, json, compare, data, profile } = options;
  const quick = options.quick ? QUICK : null;
  const names = options.only ?? quick?.only ?? Object.keys(MEASURES);
  const turns = {
    rounds: options.rounds ?? quick?.rounds ?? 9,
    seconds: options.seconds ?? quick?.seconds ?? 3,
  };
  const listings = options.listings ?? quick?.listings ?? 100_000;
  const setting = { listings, turns, ...(quick === null ? {} : { queries: quick.queries }) };
  const earlier = compare === undefined ? null : readRun(compare);
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  const engines = await startEngines({ data: data ?? null });
  const findings: BenchFinding[] = [];
  let scene: Scene | null = null;
  let failed = false;
  try {
    scene = await setScene(engines, { ...setting, profile });
    for (const name of names) {
      err.write(`Measuring ${name}\n`);
      const found = await measured(name, scene).catch((error: unknown) => {
        // A measure that fails does not stop the other measures.
        err.write(`${name} could not be measured: ${inspect(error)}\n`);
        failed = true;
        return [];
      });
      findings.push(...found);
      err.write(`${table(found, earlier).split('\n').slice(2).join('\n')}\n`);
    }
    if (options.instances !== undefined) findings.push(...(await instances(scene, options.instances)));
    if (plots !== undefined) await plotLatency(scene, plots);
    await scene.stop();
    scene = null;
    if (options.shards !== undefined) findings.push(...(await shards(engines, options.shards, setting)));
    if (sizes.length > 0) {
      const { found, plot } = await growth(engines, sizes, turns);
      findings.push(...found);
      if (plots !== undefined) write(plots, 'growth.svg', plot);
    }
    const run: Run = {
      date: new Date().toISOString().slice(0, 10),
      machine: machineName(),
      node: process.version,
      elasticsearch: engines.version,
      listings,
      findings,
    };
    out.write(`${run.date}, ${run.machine}, Node ${run.node}, Elasticsearch ${run.elasticsearch}\n\n`);
    out.write(`${table(findings, earlier)}\n`);
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(run, null, 2)}\n`);
    return failed ? EXIT.failed : EXIT.done;
  } finally {
    await scene?.stop();
    await engines.stop();
  }
}

const measured = async (name: string, scene: Scene): Promise<BenchFinding[]> =>
  (await MEASURES[name]?.(scene)) ?? [];

async function plotLatency(scene: Scene, dir: string): Promise<void> {
  const points = await byConcurrency(scene, CONCURRENCY_STEPS);
  const lines = points.flatMap(({ concurrency, service, direct }) =>
    Object.entries({
      'service, p50': service.p50,
      'service, p99': service.p99,
      'Elasticsearch, p50': direct.p50,
      'Elasticsearch, p99': direct.p99,
    }).map(([line, y]) => ({ x: concurrency, y, line })),
  );
  const title = `Search among ${scene.listings.toLocaleString('en')} listings`;
  const axes = { title, x: 'requests at once', y: 'milliseconds', logarithmicY: true };
  write(dir, 'latency.svg', linePlot(lines, axes));
}

function write(dir: string, name: string, text: string): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), text);
}

function readRun(file: string): Run {
  if (!existsSync(file)) throw new CommandError(`--compare: there is no ${file}.`);
  return JSON.parse(readFileSync(file, 'utf8')) as Run;
}

await start(import.meta.url, main);
