import { evidenceNames } from '../../src/naming/evidence.js';
import {
  BORDERS,
  COLUMNS,
  evidenceRow,
  OFFSETS,
  SCOPED_NAMES,
  STEP,
  STEP_NAMES,
  type WeightFile,
  type Weights,
} from '../../src/naming/weights.js';

/** Smaller weights of evidence are not stored, which makes reading faster: for the token's own evidence, and for that of its neighbours. */
const LEAST = [0.02, 0.06, 0.06];

const DECIMALS = 100;
const rounded = (weight = 0): number => Math.round(weight * DECIMALS) / DECIMALS;

export function weightFile({ evidence: table, scoped, steps }: Weights): WeightFile {
  const known = (entries: [string, number][]) =>
    Object.fromEntries(entries.filter(([, weight]) => weight !== 0));
  const names = evidenceNames();
  const rows = (offset: number) =>
    names.flatMap((name, kind) => {
      const row = known(
        COLUMNS.map((column, at) => {
          const weight = table[evidenceRow(kind, offset) + at] ?? 0;
          return [column, Math.abs(weight) < (LEAST[offset] ?? 0) ? 0 : rounded(weight)];
        }),
      );
      return Object.keys(row).length === 0 ? [] : [[name, row] as const];
    });
  return {
    evidence: Object.fromEntries(OFFSETS.map((offset, at) => [String(offset), Object.fromEntries(rows(at))])),
    scoped: known([...scoped].map((weight, at) => [SCOPED_NAMES[at] ?? '', rounded(weight)])),
    steps: Object.fromEntries(
      BORDERS.map((border, at) => [
        border,
        known(
          [...steps.subarray(at * STEP, (at + 1) * STEP)].map((weight, index) => [
            STEP_NAMES[index] ?? '',
            rounded(weight),
          ]),
        ),
      ]),
    ),
  };
}
