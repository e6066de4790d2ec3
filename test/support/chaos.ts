import { seededRandom } from '../../scripts/evaluation/statistics.js';

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
