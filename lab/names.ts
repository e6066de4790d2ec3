/** npm run names: draws, shows and checks the names that are marked by hand; see --help. */
import { commands, type Io, subcommand } from '../scripts/shared/command.js';
import { CommandError, EXIT, UsageError } from '../scripts/shared/exit.js';
import { flag, needed, text } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { fromCaller, textTable } from '../scripts/shared/terminal.js';
import { evaluateMarks, fitToMarks } from './marked-names/evaluate.js';
import { readName, WEIGHTS_FILE } from '../src/naming/read-name.js';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { agreement, drawNames, nameKey, readMarks, ROLES, spanErrors } from './marked-names/marks.js';
import { weightFile } from './marked-names/weight-file.js';

const ROOT = path.join(import.meta.dirname, '..');
const data = needed(text('FOLDER', 'the folder of the public data sets'));

/** Reads marks with their names. @throws CommandError if a listing is not one of the drawn ones. */
function readMarkedNames(file: string, folder: string) {
  const drawn = new Map(drawNames(fromCaller(folder)).map((name) => [nameKey(name), name]));
  return readMarks(fromCaller(file)).map((marks) => {
    const name = drawn.get(nameKey(marks));
    if (name === undefined)
      throw new CommandError(`${file}: ${nameKey(marks)} is not one of the drawn names`);
    return { ...name, marks };
  });
}

/** A subcommand that reads a file of marks, and the folder of the data sets. */
const ofMarks = (
  about: string,
  run: (file: string, folder: string, io: Io, env: NodeJS.ProcessEnv) => Promise<number> | Promise<void>,
) =>
  subcommand({
    about,
    operands: { show: 'FILE', missing: 'Name a file of marks' },
    options: { data },
    run: ({ options, operands: [file = ''] }, env, io) => run(file, options.data, io, env),
  });

export const main = commands({
  name: 'names',
  about: `Draws names of the public data sets, and shows and checks the files in which every word of them is marked with a role by hand.
lab/names/marking.md is the guide for marking.`,
  commands: {
    draw: subcommand({
      about: 'prints the drawn names as NDJSON',
      options: { data, second: flag('only the names that a second reader marks') },
      async run({ options }, _env, { out }) {
        const names = drawNames(fromCaller(options.data)).filter(({ second }) => second || !options.second);
        out.write(names.map((name) => `${JSON.stringify(name)}\n`).join(''));
      },
    }),
    show: ofMarks('prints the names with their marks', async (file, folder, { out }) => {
      for (const { name, marks, ...listing } of readMarkedNames(file, folder)) {
        const spans = marks.spans.map(([from, to, role, scope]) =>
          [name.slice(from, to), `<${[role, scope].filter(Boolean).join(' ')}>`].join(' '),
        );
        out.write(`${nameKey(listing)}${listing.kept ? ' (kept)' : ''}: ${name}\n  ${spans.join('  ')}\n`);
      }
    }),
    check: ofMarks('checks the marks against the names, and counts them', async (file, folder, { out }) => {
      const names = readMarkedNames(file, folder);
      const errors = names.flatMap(({ name, marks, sha256, kept, ...listing }) => [
        ...(marks.sha256 === sha256 ? [] : [`${nameKey(listing)}: the name has another digest`]),
        ...(marks.kept === kept ? [] : [`${nameKey(listing)}: kept must be ${kept}`]),
        ...spanErrors(name, marks.spans).map((error) => `${nameKey(listing)}: ${error}`),
      ]);
      if (new Set(names.map(nameKey)).size < names.length) errors.push('a name is listed twice');
      const spans = names.flatMap(({ marks }) => marks.spans);
      const count = (role: string) => spans.filter(([, , marked]) => marked === role).length;
      const rows = ROLES.map((role) => [role, String(count(role))]);
      const table = [['names', String(names.length)], ['spans', String(spans.length)], ...rows];
      out.write([textTable(table, 'right'), ...errors, ''].join('\n'));
      return errors.length > 0 ? EXIT.failed : EXIT.done;
    }),
    evaluate: ofMarks(
      'reads the marked names, and prints which share of their words is read right; of the kept names it prints totals only',
      async (file, folder, { out }) => {
        const marks = readMarks(fromCaller(file));
        const rows = evaluateMarks(fromCaller(folder), marks);
        out.write(`${textTable(rows, 'right')}\n`);
      },
    ),
    read: ofMarks(
      'prints the marked names as they are read by their words alone, as NDJSON; MARKETS chooses the words',
      async (file, folder, { out }) => {
        for (const { name, marks } of readMarkedNames(file, folder)) {
          const spans = readName(name).spans.map(({ from, to, role, scope }) =>
            [name.slice(from, to), `<${role} ${scope}>`].join(' '),
          );
          out.write(`${JSON.stringify({ name, kept: marks.kept, spans })}\n`);
        }
      },
    ),
    markets: ofMarks(
      'prints which readings of marked names the words of other languages than English change; of the kept names only the number',
      async (file, folder, { out }, env) => {
        const [all = [], english = []] = ['', 'en'].map((MARKETS) =>
          execFileSync(
            process.execPath,
            ['--import', 'tsx', 'lab/names.ts', 'read', fromCaller(file), '--data', fromCaller(folder)],
            { cwd: ROOT, env: { ...env, MARKETS }, encoding: 'utf8' },
          )
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as { name: string; kept: boolean; spans: string[] }),
        );
        const changed = all.flatMap(({ name, kept, spans }, at) => {
          const others = english[at]?.spans ?? [];
          const only = (some: readonly string[], rest: readonly string[]) =>
            some.filter((span) => !rest.includes(span)).join('  ');
          return isDeepStrictEqual(spans, others)
            ? []
            : [kept ? '' : `${name}\n  ${only(others, spans)}\n  ${only(spans, others)}\n`];
        });
        out.write(`${changed.join('')}${changed.length} of ${all.length} names are read differently\n`);
      },
    ),
    fit: subcommand({
      about: `fits ${WEIGHTS_FILE} on the marked names that are not kept`,
      operands: { show: 'FILE...', missing: 'Name the files of marks' },
      options: { data },
      async run({ options, operands }, _env, { out }) {
        const marks = operands.flatMap((file) => readMarks(fromCaller(file)));
        const weights = fitToMarks(fromCaller(options.data), marks);
        writeFileSync(path.join(ROOT, WEIGHTS_FILE), `${JSON.stringify(weightFile(weights))}\n`);
        out.write(`${WEIGHTS_FILE} was written\n`);
      },
    }),
    agreement: subcommand({
      about: 'compares the marks of two readers on the names that both marked',
      operands: { show: 'FILE...', missing: 'Name two files of marks' },
      options: { data },
      async run({ options, operands }, _env, { out }) {
        const [file, other] = operands;
        if (file === undefined || other === undefined || operands.length > 2)
          throw new UsageError('Name two files of marks');
        const second = new Map(
          readMarkedNames(other, options.data).map((name) => [nameKey(name), name.marks]),
        );
        const pairs = readMarkedNames(file, options.data).flatMap(({ name, marks }) => {
          const others = second.get(nameKey(marks));
          return others === undefined ? [] : [{ name, spans: marks.spans, others: others.spans }];
        });
        out.write(`${textTable(agreement(pairs), 'right')}\n`);
      },
    }),
  },
});

await start(import.meta.url, main);
