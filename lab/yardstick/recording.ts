import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Findings } from '../evaluation/report.js';
import type { Contribution, Figure } from '../evaluation/statistics.js';
import { CommandError } from '../../scripts/shared/exit.js';
import { roundTo } from '../../src/text/statistics.js';

/** A figure, and what each case of the recording contributes to it, in the order of its ids; null: nothing. */
type RecordedFigure = Omit<Figure, 'by'> & { values: (Contribution | null)[] };

/** The figures of a measure for a set, without its data: a case is identified by a digest. */
interface Recording {
  /** The last commit that changed the measured service. */
  commit: string;
  ids: string[];
  figures: RecordedFigure[];
}

/** With 7 characters of 6 bits, two of 20,000 cases have the same digest in one of 20,000 recordings. */
const ID_LENGTH = 7;
const DECIMALS = 4;

const digest = (id: string): string =>
  createHash('sha256').update(id).digest('base64url').slice(0, ID_LENGTH);

const round = (value: Contribution): Contribution =>
  typeof value === 'number' ? roundTo(DECIMALS, value) : value.map((each) => roundTo(DECIMALS, each));

/** Compresses the figures of these names for a file. */
export function compressRecording({ figures }: Findings, names: readonly string[], commit: string): Buffer {
  const chosen = figures.filter(({ name }) => names.includes(name));
  const cases = [...new Set(chosen.flatMap(({ by = {} }) => Object.keys(by)))].sort();
  const recording: Recording = {
    commit,
    ids: cases.map(digest),
    figures: chosen.map(({ name, value, low, high, cases: count, of, by = {} }) => ({
      ...{ name, value, low, high, cases: count, ...(of === undefined ? {} : { of }) },
      values: cases.map((one) => {
        const contribution = by[one];
        return contribution === undefined ? null : round(contribution);
      }),
    })),
  };
  return gzipSync(JSON.stringify(recording), { level: 9 });
}

function figuresOf(file: string): Figure[] {
  const { ids, figures } = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as Recording;
  return figures.map(({ values, ...figure }) => ({
    ...figure,
    by: Object.fromEntries(
      values.flatMap((value, at): [string, Contribution][] =>
        value === null ? [] : [[ids[at] ?? '', value]],
      ),
    ),
  }));
}

export const SUFFIX = '.json.gz';

/** Reads the recordings of a folder by the name of their file, `MEASURE-SET`. @throws CommandError if there are none. */
export function readRecordings(folder: string): Map<string, Figure[]> {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(SUFFIX))
    .sort();
  if (files.length === 0) throw new CommandError(`${folder} contains no recording`);
  return new Map(files.map((file) => [file.slice(0, -SUFFIX.length), figuresOf(`${folder}/${file}`)]));
}
