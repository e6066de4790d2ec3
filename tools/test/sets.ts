import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { projectRoot } from '../../scripts/shared/places.js';

/** Who imports one of these asks an engine something, or starts one. */
const ENGINES = ['test/support/services.ts', 'tools/services/index.ts'];

/** Folders with tests that `npm test` leaves out: they need the large data sets, or end engines and take minutes. */
export const APART = { data: 'test/data', faults: 'test/faults' } as const;

/** Files that others beside them would disturb, or that would disturb others, and why. */
const ALONE: Record<string, string> = {
  'test/platform/access/faults.test.ts': 'freezes a Redis, and wants answers within its deadlines',
  'test/platform/access/limit.test.ts': 'counts within a window of time',
  'test/platform/access/redis-breaker.test.ts': 'waits for a Redis as long as its deadline says',
  'test/attack/cost.test.ts': 'measures CPU time',
  'test/attack/slow-connections.test.ts':
    'opens hundreds of sockets, and waits until the service closes them',
  'test/attack/sockets.test.ts': 'opens hundreds of sockets, which are to be answered in time',
  'test/engine/away.test.ts': 'takes the engine away, and wants answers within the deadlines',
  'test/engine/client.test.ts': 'tells silence of an engine from an answer that is late',
  'test/endpoints/export-clients.test.ts': 'measures memory under the load of twenty exports',
  'test/http/cost.test.ts': 'counts what is asked of Redis, which others ask too',
  'test/http/door.test.ts': 'has a crowd wait for less than its patience',
  'test/http/fairness.test.ts': 'has bursts of requests share places for seconds',
  'test/http/response-cache.test.ts': 'sees what the engine shows within its refresh interval',
  'test/telemetry/collector.test.ts': 'builds a collector where there is none yet, on all cores',
  'test/scripts/images.test.ts': 'decodes pictures within their deadline',
  'test/server.test.ts': 'builds into dist, which it then runs',
  'test/tools/soak.test.ts': 'drives a steady load',
};

/** Those that take longest are begun first, so that none is left over when all others are done. */
const FIRST = [
  'test/scripts/reindex.test.ts',
  'test/tools/bootstrap.test.ts',
  'test/scripts/ingest.test.ts',
  'test/scripts/reindex-searches.test.ts',
  'test/scripts/images.test.ts',
];

/** More than there are cores, because a test spends much of its time waiting for an engine. */
export const JOBS = 3;

/** Test files, by their paths from the checkout's folder. */
interface TestSets {
  /** Of `npm test`, several at a time. */
  together: string[];
  /** Of `npm test`, one after the other. */
  alone: string[];
}

/** The files of `npm test`. */
function testSets(): TestSets {
  const gone = [...FIRST, ...Object.keys(ALONE)].find((file) => !existsSync(join(projectRoot, file)));
  if (gone !== undefined) throw new Error(`tools/test/sets.ts names ${gone}, which is not there`);
  const folders = Object.values(APART).map((folder) => `${folder}/`);
  const files = testsIn('test').filter((file) => !folders.some((folder) => file.startsWith(folder)));
  return {
    together: [...new Set([...FIRST, ...files])].filter((file) => !(file in ALONE)),
    alone: files.filter((file) => file in ALONE),
  };
}

/** Test files of a folder and those below it. */
export function testsIn(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .sort();
}

/** Those of some test files that need no engine, which what they import tells, and what that imports. */
async function unitTests(files: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: projectRoot,
    entryPoints: [...files],
    outdir: 'unused',
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    logLevel: 'error',
    platform: 'node',
    format: 'esm',
    treeShaking: false,
  });
  const imports = new Map(
    Object.entries(metafile.inputs).map(([file, input]) => [
      relative(projectRoot, join(projectRoot, file)),
      input.imports.map(({ path }) => path),
    ]),
  );
  const reaches = (file: string, seen: Set<string>): boolean => {
    if (ENGINES.includes(file)) return true;
    if (seen.has(file)) return false;
    seen.add(file);
    return (imports.get(file) ?? []).some((next) => reaches(next, seen));
  };
  return files.filter((file) => !reaches(file, new Set()));
}

/** Mocha's arguments for each run of `npm test`. */
export const allRuns = (args: readonly string[]): string[][] => runsOf(args, testSets());

/** Mocha's arguments for each run of `npm run test:unit`. */
export async function unitRuns(args: readonly string[]): Promise<string[][]> {
  const { together, alone } = testSets();
  const units = new Set(await unitTests([...together, ...alone]));
  const isUnit = (file: string) => units.has(file);
  return runsOf(args, { together: together.filter(isUnit), alone: alone.filter(isUnit) });
}

/** First the files that may run in parallel, then one after the other those that must run alone. */
function runsOf(args: readonly string[], { together, alone }: TestSets): string[][] {
  const runs = [
    { options: ['--parallel', '--jobs', String(JOBS)], files: together },
    { options: [], files: alone },
  ];
  // Without a file Mocha would run everything that its configuration finds.
  return runs
    .filter(({ files }) => files.length > 0)
    .map(({ options, files }) => [...options, ...args, ...files]);
}
