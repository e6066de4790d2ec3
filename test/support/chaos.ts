import type { Suite } from 'mocha';
import { seededRandom } from '../../src/text/statistics.js';

/**
 * Whether the tests run in `npm run test:chaos`, which tries all cases. `npm test` tries a sample, which
 * TEST_SEED determines.
 */
export const isChaos = process.env['TEST_CHAOS'] !== undefined;

/**
 * Whether the tests run in `npm run test:chaos -- --affected`, which must end within minutes, so that the
 * largest catalogues are reduced.
 */
export const isBrief = process.env['TEST_CHAOS'] === 'affected';

const seed = Number(process.env['TEST_SEED'] ?? 1);

/** Returns a sample of the cases in `npm test`, in their order, and all of them in `npm run test:chaos`. */
export function sampled<T>(cases: readonly T[], count: number): T[] {
  if (isChaos || cases.length <= count) return [...cases];
  const random = seededRandom(seed);
  const drawn = cases.map((_, at) => ({ at, key: random() })).sort((a, b) => a.key - b.key);
  const chosen = new Set(drawn.slice(0, count).map(({ at }) => at));
  return cases.filter((_, at) => chosen.has(at));
}

/** Whether all test files run, which take minutes even with some of the tests of the longest files. */
const runsAllFiles = process.env['TEST_SET'] === 'all';

/**
 * Keeps some of the tests of a suite if `npm test` runs all files. `npm run test:chaos`, and `npm test` with the names of files,
 * run all its tests. A suite of which all tests would take many seconds calls it at its end. Its tests must not depend on each
 * other.
 */
export function keepSome({ tests }: Pick<Suite, 'tests'>, count: number, isOneOfAll = runsAllFiles): void {
  if (isOneOfAll) tests.splice(0, tests.length, ...sampled(tests, count));
}

/**
 * Returns how often a test compares the code with its oracle, and the random numbers for the cases. `npm
 * test` runs a tenth of the rounds, with cases by TEST_SEED; `npm run test:chaos` runs all, with the same
 * cases each time.
 * @param fixedSeed the seed for `npm run test:chaos`.
 */
export function oracle(fixedSeed: number, rounds: number): { random: () => number; rounds: number } {
  return isChaos
    ? { random: seededRandom(fixedSeed), rounds }
    : { random: seededRandom(fixedSeed + seed), rounds: Math.ceil(rounds / 10) };
}
