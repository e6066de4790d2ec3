import { decimal, formatChange } from '../evaluation/report.js';
import { type Figure, pairedChange } from '../evaluation/statistics.js';
import { type Better, MEASURES } from './measures.js';

/** A figure has fallen if the 95 % interval of its paired difference reaches further down than this. */
const TOLERATED = 0.01;

type Recordings = ReadonlyMap<string, readonly Figure[]>;

/** Returns a measure and a set of the name of a recording. */
const measureOf = (recording: string): string =>
  Object.keys(MEASURES).find((name) => recording.startsWith(`${name}-`)) ?? '';

const betterOf = (recording: string, figure: string): Better =>
  MEASURES[measureOf(recording)]?.figures[figure] ?? 'more';

/** Compares two recordings. @returns the rows of a table with one figure each, and the number of figures that have fallen. */
export function compareRecordings(old: Recordings, now: Recordings): { rows: string[][]; fallen: number } {
  let fallen = 0;
  const rows = [...old].flatMap(([recording, figures]) =>
    figures.map((before) => {
      const after = now.get(recording)?.find(({ name }) => name === before.name);
      const change = after === undefined ? null : pairedChange(after, before);
      const label = [recording, before.name, decimal(before.value)];
      if (after === undefined || change === null) return [...label, '-', '', '0', 'not measured'];
      const sign = betterOf(recording, before.name) === 'more' ? 1 : -1;
      const [least, most] = [sign * change.low, sign * change.high].sort((a, b) => a - b);
      const verdict = (least ?? 0) < -TOLERATED ? 'fell' : (least ?? 0) > 0 && (most ?? 0) > 0 ? 'rose' : '';
      if (verdict === 'fell') fallen += 1;
      return [...label, decimal(after.value), formatChange(change), String(change.cases), verdict];
    }),
  );
  return { rows: [['recording', 'figure', 'old', 'new', 'paired change', 'cases', ''], ...rows], fallen };
}

/** Returns the rows of a Markdown table of recorded figures. */
export const tableOf = (recordings: Recordings): string =>
  [
    '| Recording | Figure | Value (95 % interval) | Cases |',
    '| --- | --- | --- | --- |',
    ...[...recordings].flatMap(([recording, figures]) =>
      figures.map(
        ({ name, value, low, high, cases }) =>
          `| ${recording} | ${name} | ${decimal(value)} (${decimal(low)} to ${decimal(high)}) | ${cases} |`,
      ),
    ),
  ].join('\n');
