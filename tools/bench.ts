/** npm run bench: compares the speed of the service with that of a plain service; see --help. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { ENDPOINTS, measureEndpoint } from './benchmark/measures/endpoints.js';
import { exports } from './benchmark/measures/export.js';
import { ingestion } from './benchmark/measures/ingest.js';
import { instances } from './benchmark/measures/instances.js';
import { scaling } from './benchmark/measures/scaling.js';
import { startUp } from './benchmark/measures/start.js';
import { FEWEST_ROUNDS } from './benchmark/estimate.js';
import { machineName, type Run, table } from './benchmark/report.js';
import type { BenchFinding, Measure } from './benchmark/context.js';
import { type BenchContext, prepareContext, startEngines } from './benchmark/environment.js';
import { command, type Io } from '../scripts/shared/command.js';
import { CommandError, EXIT, UsageError } from '../scripts/shared/exit.js';
import { flag, parsed, parseWholeNumber, type Values, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { fromCaller } from '../scripts/shared/terminal.js';

const MEASURES: Record<string, Measure> = {
  ...Object.fromEntries(
    Object.keys(ENDPOINTS).map((name): [string, Measure] => [
      name,
      (context) => measureEndpoint(context, name),
    ]),
  ),
  export: exports,
  ingest: ingestion,
  start: startUp,
};

/** What `--quick` sets for options that are not given. The benchmark then takes less than four minutes. */
const QUICK = {
  only: ['search', 'id', 'best', 'compare', 'matrix', 'deals', 'trending'],
  listings: 20_000,
  rounds: FEWEST_ROUNDS,
  seconds: 1,
  queries: 10_000,
};

const SIZES = { min: 1, max: 99_999_999 };

const path = (placeholder: string, help: string) => parsed(placeholder, help, fromCaller);

const OPTIONS = {
  only: parsed(
    'NAMES',
    `run only these measures, comma-separated: ${Object.keys(MEASURES).join(', ')}`,
    measuresOf,
  ),
  quick: flag(
    'run only some measures, with 20,000 listings and rounds of one second, in less than four minutes',
  ),
  listings: wholeNumber('the number of listings in the generated catalogue. The default is 100,000', SIZES),
  rounds: wholeNumber(
    `the number of rounds. The default is 9, or ${FEWEST_ROUNDS} with --quick, the minimum for a 95 % confidence interval`,
    SIZES,
  ),
  seconds: wholeNumber('the duration of each round for each side in seconds. The default is 3', SIZES),
  growth: parsed(
    'SIZES',
    'also measure searches and look-ups at these catalogue sizes, such as 10000,100000,1000000',
    sizesOf,
  ),
  instances: parsed(
    'COUNTS',
    'also measure these numbers of instances behind one HAProxy, such as 1,2,4',
    sizesOf,
  ),
  shards: parsed('COUNTS', 'also measure the catalogue in these numbers of shards, such as 1,3,6', sizesOf),
  json: path('FILE', 'write all figures to this file'),
  compare: path('FILE', 'print whether each figure of an earlier --json file is faster or slower now'),
  data: path(
    'DIR',
    'keep the data of Elasticsearch in this folder, so that the next run need not load it again',
  ),
  profile: path('DIR', 'write a CPU profile of the service to this folder, for the DevTools of Chromium'),
};

export const main = command({
  name: 'bench',
  about: `Compares the built service with a plain one on one machine and the same index: forty lines with Express and the official
client that send one multi_match query. Both receive requests that never repeat, in alternation. Each figure is the median over
all rounds, with its 95 % confidence interval; a ratio is the median over the pairs of one round. Endpoints that the plain service
lacks are compared with its searches. If the interval contains the target, or overlaps that of an earlier run, the report says
"cannot tell". The command starts an Elasticsearch and a Redis for itself, and stops them afterwards.`,
  options: OPTIONS,
  notes: 'Run nothing else on the machine at the same time.',
  exits: { done: 'measured, whatever the figures are' },
  run: ({ options }, _env, io) => bench(options, io),
});

function measuresOf(given: string, name: string): string[] {
  const names = given.split(',');
  const unknown = names.find((each) => !Object.hasOwn(MEASURES, each) && each !== 'none');
  if (unknown !== undefined) throw new UsageError(`${name} must name measures, not "${unknown}"`);
  return names.filter((each) => each !== 'none');
}

function sizesOf(given: string, name: string): number[] {
  const sizes = given.split(',').filter((each) => each !== '');
  return sizes.map((each) => parseWholeNumber(each, name, SIZES));
}

async function bench(options: Values<typeof OPTIONS>, { out, err }: Io): Promise<number> {
  const { growth = [], shards = [], json, compare, data, profile } = options;
  const quick = options.quick ? QUICK : null;
  const names = options.only ?? quick?.only ?? Object.keys(MEASURES);
  const rounds = {
    count: options.rounds ?? quick?.rounds ?? 9,
    seconds: options.seconds ?? quick?.seconds ?? 3,
  };
  const listings = options.listings ?? quick?.listings ?? 100_000;
  const setting = { listings, rounds, ...(quick === null ? {} : { queries: quick.queries }) };
  const earlier = compare === undefined ? null : readRun(compare);
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  const engines = await startEngines({ data: data ?? null });
  const findings: BenchFinding[] = [];
  let context: BenchContext | null = null;
  let failed = false;
  try {
    context = await prepareContext(engines, { ...setting, profile });
    for (const name of names) {
      err.write(`Measuring ${name}\n`);
      const found = await measured(name, context).catch((error: unknown) => {
        err.write(`${name} could not be measured: ${inspect(error)}\n`);
        failed = true;
        return [];
      });
      findings.push(...found);
      err.write(`${table(found, earlier).split('\n').slice(2).join('\n')}\n`);
    }
    if (options.instances !== undefined) findings.push(...(await instances(context, options.instances)));
    await context.stop();
    context = null;
    const catalogues = [
      ...growth.map((size) => ({ ...setting, listings: size })),
      ...shards.map((number) => ({ ...setting, shards: number })),
    ];
    findings.push(...(await scaling(engines, catalogues)));
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
    await context?.stop();
    await engines.stop();
  }
}

const measured = async (name: string, context: BenchContext): Promise<BenchFinding[]> =>
  (await MEASURES[name]?.(context)) ?? [];

function readRun(file: string): Run {
  if (!existsSync(file)) throw new CommandError(`--compare: there is no ${file}.`);
  return JSON.parse(readFileSync(file, 'utf8')) as Run;
}

await start(import.meta.url, main);
