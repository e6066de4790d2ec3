import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/shared/places.js';

/** A unit test imports none of these modules, even indirectly. */
const ENGINES = ['test/support/services.ts', 'tools/local-services/index.ts'];

/** A set of test files. Paths are relative to the project's folder. */
export interface TestSet {
  together: string[];
  /** The test files that run one after the other. */
  alone: string[];
}

/** The groups of chaos tests, which `npm run test:chaos -- --only NAME` selects. */
export const CHAOS_GROUPS = {
  faults: 'kills and freezes Redis, the service and connections to the engine',
  engines: 'starts, fills, secures and stops engines of its own',
  kills: 'kills commands at every point',
  builds: 'builds, packs and installs what is shipped',
  hostile: 'sends every hostile value to every parameter, and costs as much as a client can',
  commands: 'runs commands of the data team from beginning to end',
  oracles: 'compares with oracles on a thousand random cases',
} as const;

export type ChaosGroup = keyof typeof CHAOS_GROUPS;

/** How a test file runs, as the comments at its beginning state. */
interface Marks {
  /** Whether the test file runs alone, because it would disturb other files or they would disturb it. */
  alone: boolean;
  /** Whether the test file starts first, because it takes longest and would otherwise run alone at the end. */
  first: boolean;
  /** Whether `npm run test:unit` leaves the test file out, although it needs no engine. */
  notUnit: boolean;
  chaos: ChaosGroup | null;
  /** Whether `npm test` also runs the chaos test file, with fewer of its cases. */
  everywhere: boolean;
  /** Whether `npm test` may select the chaos test file as its sample of the group. */
  drawn: boolean;
  /** The estimated duration of the chaos test file, in minutes on two cores. */
  minutes: number;
}

const MARK =
  /^\/\/ (Runs alone|Runs first|Not a unit test|Chaos only|Chaos too)(?: \((\w+)(, sampled)?(?:, (\d+) min)?\))?: /;
/** The pattern of a comment that is meant as a mark, even if it has not its form. */
const MARK_LIKE = /^\/\/ (?:Runs alone|Runs first|Not a unit test|Chaos only|Chaos too)\b/;

/** Reads marks such as `// Chaos only (builds, sampled, 5 min): REASON.`; one minute by default. @throws Error for another form. */
export function marksOf(text: string, file: string): Marks {
  const isFault = file.startsWith('test/faults/');
  const marks: Marks = {
    alone: false,
    first: false,
    notUnit: false,
    chaos: isFault ? 'faults' : null,
    everywhere: false,
    drawn: false,
    minutes: 1,
  };
  for (const line of text.split('\n')) {
    const [matched, mark = '', group = '', drawn, minutes] = MARK.exec(line) ?? [];
    if (matched === undefined) {
      if (MARK_LIKE.test(line)) throw new Error(`${file}: "${line}" has not the form of a mark`);
      break;
    }
    if (mark === 'Runs alone') marks.alone = true;
    if (mark === 'Runs first') marks.first = true;
    if (mark === 'Not a unit test') marks.notUnit = true;
    if (!mark.startsWith('Chaos')) continue;
    if (!Object.hasOwn(CHAOS_GROUPS, group)) throw new Error(`${file}: there is no chaos group "${group}"`);
    marks.chaos = group as ChaosGroup;
    marks.everywhere = mark === 'Chaos too';
    marks.drawn = drawn !== undefined;
    if (minutes !== undefined) marks.minutes = Number(minutes);
  }
  // A fault that `npm test` may draw concerns a Redis or process of its own, so its file may run beside others.
  marks.alone ||= isFault && !marks.drawn;
  return marks;
}

/** Returns the estimated duration of a test file, in minutes on two cores. */
export const minutesOf = (file: string): number => marksOfFile(file).minutes;

const marksOfFile = (file: string): Marks => marksOf(readFileSync(join(projectRoot, file), 'utf8'), file);

/** The share of the files marked as `sampled` that `npm test` runs from each chaos group. At least one file of each group runs. */
const DRAWN_SHARE = 1 / 5;

/** Returns the test files of `npm test`: all except chaos tests, and those that the seed draws from each chaos group. */
export function serviceTests(seed: number): TestSet {
  const all = testsIn('test').filter((file) => !file.startsWith('test/data/'));
  const marked = all.map((file) => ({ file, ...marksOfFile(file) }));
  const drawn = Object.keys(CHAOS_GROUPS).flatMap((group) => {
    const files = marked.filter(({ chaos, drawn }) => chaos === group && drawn).map(({ file }) => file);
    const first = seed % Math.max(1, files.length);
    return [...files.slice(first), ...files.slice(0, first)].slice(0, Math.ceil(files.length * DRAWN_SHARE));
  });
  return ordered(
    marked
      .filter(({ file, chaos, everywhere }) => chaos === null || everywhere || drawn.includes(file))
      .map(({ file }) => file),
  );
}

/** Returns the test files of some chaos groups. */
export function chaosTests(groups: readonly ChaosGroup[]): TestSet {
  return ordered(
    testsIn('test').filter((file) => {
      const { chaos } = marksOfFile(file);
      return chaos !== null && groups.includes(chaos);
    }),
  );
}

/** Returns the test files of `npm run test:data`, which need the large data sets. */
export const dataTests = (): TestSet => ({ together: [], alone: testsIn('test/data') });

/** The test files that need no engine, start no process and measure no times. `imports`: what each source file imports. */
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

/** The test files that the user named, or those of named folders. @throws Error if a name does not exist. */
export function namedTests(names: readonly string[]): TestSet {
  const files = names.flatMap((name) => {
    const path = name.replace(/^\.\//, '').replace(/\/$/, '');
    if (!existsSync(join(projectRoot, path))) throw new Error(`there is no test ${name}`);
    return statSync(join(projectRoot, path)).isDirectory() ? testsIn(path) : [path];
  });
  return { together: [], alone: files };
}

/** Separates the test files that must run alone from the others. */
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

/** Returns the paths of the test files in a folder and its subfolders. */
export function testsIn(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .sort();
}
