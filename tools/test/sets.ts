import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/shared/places.js';

/** Files that connect to the engines of the tests, or start engines: a unit test imports neither, even indirectly. */
const ENGINES = ['test/support/services.ts', 'tools/services/index.ts'];

/** Test files, by their paths from the project's folder. */
export interface TestSet {
  /** Files that may run several at a time. */
  together: string[];
  /** Files that run one after the other. */
  alone: string[];
}

/** The groups of chaos tests, which `npm run test:chaos -- --only NAME` selects. */
export const CHAOS_GROUPS = {
  faults: 'kills and freezes Redis, the service and connections to the engine',
  engines: 'starts, fills, secures and stops engines of its own',
  kills: 'kills commands at every point',
  builds: 'builds, packs and installs what is shipped',
  hostile: 'sends every hostile value to every parameter',
  oracles: 'compares with oracles on a thousand random cases',
} as const;

export type ChaosGroup = keyof typeof CHAOS_GROUPS;

/** What the comments at the head of a test file say of it. A file without them is a plain test. */
interface Marks {
  /** Other files would disturb it, or it would disturb them. */
  alone: boolean;
  /** It takes longest, and starts first, so that no process is left with it at the end. */
  first: boolean;
  /** `npm run test:unit` leaves it out, although it needs no engine. */
  notUnit: boolean;
  chaos: ChaosGroup | null;
  /** `npm test` runs it, too; a chaos test runs more of its cases. */
  everywhere: boolean;
  /** `npm test` may draw it as its sample of the group. */
  drawn: boolean;
}

const MARK =
  /^\/\/ (Runs alone|Runs first|Not a unit test|Chaos only|Chaos too)(?: \((\w+)(, sampled)?\))?: /;

/**
 * Reads lines such as `// Runs alone: it counts the commands that reach Redis.` at the head of a test file, or
 * `// Chaos only (builds, sampled): it packs a release.`
 * @throws Error for a chaos group that does not exist.
 */
export function marksOf(text: string, file: string): Marks {
  const isFault = file.startsWith('test/faults/');
  const marks: Marks = {
    alone: isFault,
    first: false,
    notUnit: false,
    chaos: isFault ? 'faults' : null,
    everywhere: false,
    drawn: false,
  };
  for (const line of text.split('\n')) {
    const [matched, mark = '', group = '', drawn] = MARK.exec(line) ?? [];
    if (matched === undefined) break;
    if (mark === 'Runs alone') marks.alone = true;
    if (mark === 'Runs first') marks.first = true;
    if (mark === 'Not a unit test') marks.notUnit = true;
    if (!mark.startsWith('Chaos')) continue;
    if (!Object.hasOwn(CHAOS_GROUPS, group)) throw new Error(`${file}: there is no chaos group "${group}"`);
    marks.chaos = group as ChaosGroup;
    marks.everywhere = mark === 'Chaos too';
    marks.drawn = drawn !== undefined;
  }
  return marks;
}

const marksOfFile = (file: string): Marks => marksOf(readFileSync(join(projectRoot, file), 'utf8'), file);

/** The files of `npm test`: all but chaos tests, and one file of each chaos group that has files to draw. */
export function serviceTests(seed: number): TestSet {
  const all = testsIn('test').filter((file) => !file.startsWith('test/data/'));
  const marked = all.map((file) => ({ file, ...marksOfFile(file) }));
  const drawn = Object.keys(CHAOS_GROUPS).flatMap((group) => {
    const files = marked.filter(({ chaos, drawn }) => chaos === group && drawn).map(({ file }) => file);
    return files.slice(seed % Math.max(1, files.length)).slice(0, 1);
  });
  return ordered(
    marked
      .filter(({ file, chaos, everywhere }) => chaos === null || everywhere || drawn.includes(file))
      .map(({ file }) => file),
  );
}

/** The files of some chaos groups, or of all. */
export function chaosTests(groups: readonly ChaosGroup[]): TestSet {
  return ordered(
    testsIn('test').filter((file) => {
      const { chaos } = marksOfFile(file);
      return chaos !== null && groups.includes(chaos);
    }),
  );
}

/** The files of `npm run test:data`, which need the large data sets. */
export const dataTests = (): TestSet => ({ together: [], alone: testsIn('test/data') });

/**
 * The files that need no engine, no process of their own and no quiet machine.
 * @param imports for each source file, the modules that it imports.
 */
export function unitTests(imports: ReadonlyMap<string, readonly string[]>): TestSet {
  const files = testsIn('test').filter((file) => {
    const { alone, notUnit, chaos, everywhere } = marksOfFile(file);
    return !alone && !notUnit && (chaos === null || everywhere) && isUnit(file, imports);
  });
  return { together: files, alone: [] };
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

/** Separates the files that must run alone. */
export function ordered(files: readonly string[]): TestSet {
  const marked = files.map((file) => ({ file, ...marksOfFile(file) }));
  const together = marked.filter(({ alone }) => !alone);
  return {
    together: [...together.filter(({ first }) => first), ...together.filter(({ first }) => !first)].map(
      ({ file }) => file,
    ),
    alone: marked.filter(({ alone }) => alone).map(({ file }) => file),
  };
}

/** Test files of a folder and the folders below it. */
export function testsIn(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .sort();
}
