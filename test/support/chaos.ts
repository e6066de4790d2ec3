import { seededRandom } from '../../scripts/evaluation/statistics.js';

/** Whether `npm run test:chaos` runs, which tries everything. `npm test` tries a sample that TEST_SEED draws. */
export const isChaos = process.env['TEST_CHAOS'] !== undefined;

/** Whether `npm run test:chaos -- --affected` runs, which has minutes and reduces the largest catalogues. */
export const isBrief = process.env['TEST_CHAOS'] === 'affected';

const seed = Number(process.env['TEST_SEED'] ?? 1);

/** Some of the cases in `npm test`, in their order, and all of them in `npm run test:chaos`. */
export function sampled<T>(cases: readonly T[], count: number): T[] {
  if (isChaos || cases.length <= count) return [...cases];
  const random = seededRandom(seed);
  const drawn = cases.map((_, at) => ({ at, key: random() })).sort((a, b) => a.key - b.key);
  const chosen = new Set(drawn.slice(0, count).map(({ at }) => at));
  return cases.filter((_, at) => chosen.has(at));
}

/**
 * How often a test compares the code with its oracle: a tenth of the rounds in `npm test`, whose cases TEST_SEED draws; all
 * of them in `npm run test:chaos`, whose cases are always the same.
 * @param fixedSeed for `npm run test:chaos`.
 */
export function oracle(fixedSeed: number, rounds: number): { random: () => number; rounds: number } {
  return isChaos
    ? { random: seededRandom(fixedSeed), rounds }
    : { random: seededRandom(fixedSeed + seed), rounds: Math.ceil(rounds / 10) };
}
