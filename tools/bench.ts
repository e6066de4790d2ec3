/** npm run bench: the service against its engine, side by side; see --help. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exports } from './bench/measures/export.js';
import { growth } from './bench/measures/growth.js';
import { ingestion } from './bench/measures/ingest.js';
import { matrix, oneListing } from './bench/measures/listings.js';
import { allWords, anyWord, byConcurrency, oneAtATime, popular, typos } from './bench/measures/search.js';
import { startUp } from './bench/measures/start.js';
import { linePlot } from './bench/plot.js';
import { machineName, type Run, table } from './bench/report.js';
import type { Finding, Measure, Scene } from './bench/scene.js';
import { setScene, startEngines } from './bench/stage.js';
import { CommandError, fail, fromCaller } from '../scripts/shared/terminal.js';

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
};

const HELP = `npm run bench

Measures the built service against its own engine: each kind of work is sent to the service, and the very requests that
the service sends to Elasticsearch for it (recorded, not rewritten) straight to the engine, in turns, on one machine.
Figures are medians of rounds. An Elasticsearch and a Redis are started for it, and stopped.

  --only NAMES         some of ${Object.keys(MEASURES).join(', ')}; comma-separated
  --listings N         size of the generated catalogue, 100,000 by default
  --rounds N           turns of each side, 5 by default
  --seconds N          length of a turn, 3 by default
  --growth SIZES       also at these sizes, such as 10000,100000,1000000: how throughput keeps up
  --plots DIR          write latency.svg (and with --growth growth.svg) there
  --json FILE          write all figures there
  --compare FILE       set those of an earlier --json beside
  --data DIR           keep the engine's data there, so that the next run need not load it again
  --profile DIR        write a CPU profile of the service there, for Chromium's DevTools or any flame graph
  --help

Let nothing else run meanwhile. Exit code: 0 measured, whatever the figures; 1 failed; 2 wrong use.`;

const CONCURRENCY_STEPS = [1, 2, 4, 8, 16, 32, 64, 128];

function options(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      ...{ only: { type: 'string' }, listings: { type: 'string' }, rounds: { type: 'string' } },
      ...{ seconds: { type: 'string' }, growth: { type: 'string' }, plots: { type: 'string' } },
      ...{ json: { type: 'string' }, compare: { type: 'string' }, data: { type: 'string' } },
      ...{ profile: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    },
  });
  for (const name of ['plots', 'json', 'compare', 'data', 'profile'] as const) {
    if (values[name] !== undefined) values[name] = fromCaller(values[name]);
  }
  const names = values.only?.split(',') ?? Object.keys(MEASURES);
  const unknown = names.find((name) => !Object.hasOwn(MEASURES, name) && name !== 'none');
  if (unknown !== undefined) throw new CommandError(`--only knows no "${unknown}"; see --help.`);
  return {
    ...values,
    names: names.filter((name) => name !== 'none'),
    listings: wholeNumber('--listings', values.listings ?? '100000'),
    turns: {
      rounds: wholeNumber('--rounds', values.rounds ?? '5'),
      seconds: wholeNumber('--seconds', values.seconds ?? '3'),
    },
    sizes: (values.growth ?? '')
      .split(',')
      .filter((size) => size !== '')
      .map((size) => wholeNumber('--growth', size)),
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new CommandError(`${name} takes whole numbers, not "${text}".`);
  return Number(text);
}

async function main(args: string[]): Promise<void> {
  const wanted = options(args);
  if (wanted.help === true) {
    console.log(HELP);
    return;
  }
  const earlier = wanted.compare === undefined ? null : readRun(wanted.compare);
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  const engines = await startEngines({ data: wanted.data ?? null });
  const findings: Finding[] = [];
  let scene: Scene | null = null;
  try {
    scene = await setScene(engines, wanted);
    for (const name of wanted.names) {
      process.stderr.write(`Measuring ${name}\n`);
      const found = await measured(name, scene);
      findings.push(...found);
      process.stderr.write(`${table(found, earlier).split('\n').slice(2).join('\n')}\n`);
    }
    if (wanted.plots !== undefined) await plotLatency(scene, wanted.plots);
    await scene.stop();
    scene = null;
    if (wanted.sizes.length > 0) {
      const { found, plot } = await growth(engines, wanted.sizes, wanted.turns);
      findings.push(...found);
      if (wanted.plots !== undefined) write(wanted.plots, 'growth.svg', plot);
    }
    const run: Run = {
      date: new Date().toISOString().slice(0, 10),
      machine: machineName(),
      node: process.version,
      elasticsearch: engines.version,
      listings: wanted.listings,
      findings,
    };
    console.log(`${run.date}, ${run.machine}, Node ${run.node}, Elasticsearch ${run.elasticsearch}\n`);
    console.log(table(findings, earlier));
    if (wanted.json !== undefined) writeFileSync(wanted.json, `${JSON.stringify(run, null, 2)}\n`);
  } finally {
    await scene?.stop();
    await engines.stop();
  }
}

/** What one measure finds; if it fails, the others are measured all the same. */
async function measured(name: string, scene: Scene): Promise<Finding[]> {
  try {
    return (await MEASURES[name]?.(scene)) ?? [];
  } catch (error) {
    console.error(`${name} could not be measured:`, error);
    process.exitCode = 1;
    return [];
  }
}

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
  write(dir, 'latency.svg', await linePlot(lines, axes));
}

function write(dir: string, name: string, text: string): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), `${text}\n`);
}

function readRun(file: string): Run {
  if (!existsSync(file)) throw new CommandError(`--compare: there is no ${file}.`);
  return JSON.parse(readFileSync(file, 'utf8')) as Run;
}

main(process.argv.slice(2)).catch(fail);
