import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/shared/places.js';

/** Files that connect to the engines of the tests, or start engines: a unit test imports neither, even indirectly. */
const ENGINES = ['test/support/services.ts', 'tools/services/index.ts'];

/** Folders that `npm test` leaves out: they need the large data sets, or stop engines and take minutes. */
const APART = { data: 'test/data', faults: 'test/faults' } as const;

/** Test files that other files would disturb, or that would disturb other files, with the reason. */
const ALONE: Record<string, string> = {
  'test/platform/access/faults.test.ts': 'freezes a Redis, and expects answers within its deadlines',
  'test/platform/access/limit.test.ts': 'counts requests within a window of time',
  'test/platform/access/redis-breaker.test.ts': 'waits for a Redis until its deadline',
  'test/attack/cost.test.ts': 'measures CPU time',
  'test/attack/slow-connections.test.ts': 'opens hundreds of sockets and waits until the service closes them',
  'test/attack/sockets.test.ts': 'opens hundreds of sockets that must be answered in time',
  'test/engine/away.test.ts': 'takes the engine away, and expects answers within the deadlines',
  'test/engine/client.test.ts': 'tells an engine that does not answer from one that answers late',
  'test/endpoints/export-clients.test.ts': 'measures memory under the load of twenty exports',
  'test/http/cost.test.ts': 'counts the commands that reach Redis, which other tests use too',
  'test/http/door.test.ts': 'lets anonymous clients wait for a concurrency slot',
  'test/http/fairness.test.ts': 'lets bursts of requests share concurrency slots for seconds',
  'test/http/response-cache.test.ts': 'depends on the refresh interval of the engine',
  'test/telemetry/collector.test.ts': 'builds a collector, on all cores, where none was built yet',
  'test/scripts/images.test.ts': 'decodes pictures within a deadline',
  'test/server.test.ts': 'builds into dist, which it then runs',
  'test/tools/soak.test.ts': 'drives a steady load',
};

/** The files that take longest start first, so that no worker process is left with one of them at the end. */
const FIRST = [
  'test/scripts/reindex.test.ts',
  'test/tools/bootstrap.test.ts',
  'test/scripts/ingest.test.ts',
  'test/scripts/reindex-searches.test.ts',
];

/** Files that take seconds although they need no engine, with the reason; `npm run test:unit` leaves them out. */
const NOT_UNIT: Record<string, string> = {
  'test/feeds/read/workbook.test.ts': 'reads workbooks that are as large as the limits allow',
  'test/project/paths.test.ts': 'loads ESLint with all its rules',
  'test/scripts/kibana/command.test.ts': 'starts a server and waits for retries',
  'test/usecases/images/hash.test.ts': 'decodes pictures in processes of their own',
};

/** Test files, by their paths from the project's folder. */
export interface TestSet {
  /** Files that may run several at a time. */
  together: string[];
  /** Files that run one after the other. */
  alone: string[];
}

/** Every test file that `npm test` runs. */
export function serviceTests(): TestSet {
  const named = [...FIRST, ...Object.keys(ALONE), ...Object.keys(NOT_UNIT)];
  const missing = named.find((file) => !existsSync(join(projectRoot, file)));
  if (missing !== undefined) throw new Error(`tools/test/sets.ts names ${missing}, which does not exist`);
  const folders = Object.values(APART).map((folder) => `${folder}/`);
  const files = testsIn('test').filter((file) => !folders.some((folder) => file.startsWith(folder)));
  return {
    together: [...new Set([...FIRST, ...files])].filter((file) => !(file in ALONE)),
    alone: files.filter((file) => file in ALONE),
  };
}

export const dataTests = (): TestSet => ({ together: [], alone: testsIn(APART.data) });

export const faultTests = (): TestSet => ({ together: [], alone: testsIn(APART.faults) });

/**
 * The files that need no engine, no process of their own and no quiet machine.
 * @param imports for each source file, the modules that it imports.
 */
export function unitTests(imports: ReadonlyMap<string, readonly string[]>): TestSet {
  const { together } = serviceTests();
  return { together: together.filter((file) => !(file in NOT_UNIT) && isUnit(file, imports)), alone: [] };
}

function isUnit(
  file: string,
  imports: ReadonlyMap<string, readonly string[]>,
  seen = new Set<string>(),
): boolean {
  if (ENGINES.includes(file)) return false;
  if (seen.has(file)) return true;
  seen.add(file);
  const next = imports.get(file) ?? [];
  const startsProcesses = file.startsWith('test/') && next.includes('node:child_process');
  return !startsProcesses && next.every((imported) => isUnit(imported, imports, seen));
}

/** The files that somebody named: test files, and folders of them. @throws Error for a name that does not exist. */
export function namedTests(names: readonly string[]): TestSet {
  const files = names.flatMap((name) => {
    const path = name.replace(/^\.\//, '').replace(/\/$/, '');
    if (!existsSync(join(projectRoot, path))) throw new Error(`there is no test ${name}`);
    return statSync(join(projectRoot, path)).isDirectory() ? testsIn(path) : [path];
  });
  return { together: [], alone: files };
}

/** Test files of a folder and the folders below it. */
function testsIn(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .sort();
}
