/** npm run yardstick: records the quality of a service on public data sets, and compares recordings; see --help. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { apiOf, type EvaluationApi, type Listing, SERVICE } from '../evaluation/api.js';
import { commands, subcommand } from '../../scripts/shared/command.js';
import { CommandError, EXIT, UsageError } from '../../scripts/shared/exit.js';
import { needed, oneOf, preset, several, text, wholeNumber } from '../../scripts/shared/options.js';
import { start } from '../../scripts/shared/start.js';
import { fromCaller, textTable } from '../../scripts/shared/terminal.js';
import { compareRecordings, tableOf } from './compare.js';
import { fileOf, MEASURES } from './measures.js';
import { compressRecording, readRecordings, SUFFIX } from './recording.js';

/** Returns the last commit of this checkout that changed the service. */
const productCommit = (): string =>
  execFileSync('git', ['log', '-1', '--format=%h', '--', 'src', 'mappings'], { encoding: 'utf8' }).trim();

/** Wraps a client so that it reads the listings of the catalogue once for all measures. */
function readingOnce(api: EvaluationApi): EvaluationApi {
  let all: Promise<Listing[]> | null = null;
  return {
    ...api,
    async listings(source) {
      const listings = await (all ??= api.listings());
      return source === undefined ? listings : listings.filter((listing) => listing.source === source);
    },
  };
}

/** What `--only` selects: a measure, or a set of it. */
const RECORDINGS = Object.entries(MEASURES).flatMap(([name, { sets }]) => [
  name,
  ...sets.map((set) => `${name}-${set}`),
]);

const folderOperand = (missing: string) => ({ show: 'FOLDER...', missing });

export const main = commands({
  name: 'yardstick',
  about: `Records the quality of a running service on public data sets with human judgements, and compares two recordings case by
case. The catalogue must contain all sets of the folder. Recordings contain digests and figures only.`,
  commands: {
    record: subcommand({
      about: 'measure a service of this checkout, and write one file for each measure and set',
      options: {
        ...SERVICE,
        data: needed(text('FOLDER', 'the folder of the public data sets')),
        out: needed(text('FOLDER', 'write the recordings to this folder')),
        only: several(
          oneOf(
            RECORDINGS,
            'record only this measure or this set of it; may be given several times. Groups need linked listings; record the others before',
          ),
        ),
        sample: preset(
          wholeNumber('the maximum number of queries, listings, pairs or names of a set', {
            min: 1,
            max: 100_000,
          }),
          2_000,
        ),
      },
      async run({ options }, env, { out }) {
        const api = readingOnce(apiOf(options, env));
        const folder = fromCaller(options.out);
        mkdirSync(folder, { recursive: true });
        const commit = productCommit();
        for (const [name, { sets, figures, run }] of Object.entries(MEASURES)) {
          for (const set of sets) {
            if (
              ![name, `${name}-${set}`].some(
                (each) => options.only.length === 0 || options.only.includes(each),
              )
            )
              continue;
            const found = await run(api, {
              set,
              file: (suffix) => fileOf(options.data, set, suffix),
              sample: options.sample,
            });
            if (found.figures.every(({ cases }) => cases === 0))
              throw new CommandError(`none of the judged listings of ${set} is in the catalogue`);
            const recording = compressRecording(found, Object.keys(figures), commit);
            writeFileSync(`${folder}/${name}-${set}${SUFFIX}`, recording);
            out.write(`${name}-${set}: ${recording.length} bytes\n`);
          }
        }
      },
    }),
    show: subcommand({
      about: 'print the figures of a recording as a Markdown table',
      operands: folderOperand('Name the folder of a recording'),
      options: {},
      run: ({ operands: [folder = ''] }, _env, { out }) => {
        out.write(`${tableOf(readRecordings(fromCaller(folder)))}\n`);
        return Promise.resolve();
      },
    }),
    compare: subcommand({
      about:
        'print the paired difference of each figure between an old and a new recording. A figure fell if the interval reaches below -0.01',
      operands: folderOperand('Name the folders of an old and a new recording'),
      options: {},
      run: ({ operands }, _env, { out }) => {
        const [old, now] = operands;
        if (old === undefined || now === undefined || operands.length > 2)
          throw new UsageError('Name the folders of an old and a new recording');
        const { rows, fallen } = compareRecordings(
          readRecordings(fromCaller(old)),
          readRecordings(fromCaller(now)),
        );
        out.write(`${textTable(rows)}\n${fallen} of ${rows.length - 1} figures fell\n`);
        return Promise.resolve(fallen > 0 ? EXIT.failed : EXIT.done);
      },
    }),
    structure: subcommand({
      about:
        'count lines, predicates and patterns of each folder of the source, and the files and lines that each route reaches by imports',
      options: {},
      async run(_given, _env, { out }) {
        // The compiler is large, and the other commands do not need it.
        const { structureTable } = await import('./structure.js');
        out.write(structureTable());
      },
    }),
  },
  notes: 'Confidence intervals are 95 % intervals by resampling the cases 1,000 times with a fixed seed.',
  exits: { failed: 'compare: a figure fell' },
});

await start(import.meta.url, main);
