/** npm run sources: checks, lists and adds the files that describe sources; see --help. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { byAttention, isStale, readSourceStates } from '../src/sources/source-states.js';
import { formatCount } from '../src/text/quantities.js';
import { readSourceFile, SOURCE_NAME } from '../src/usecases/sync/source-file.js';
import { commands, subcommand } from './shared/command.js';
import { ENGINE_HELP, withEngine } from './shared/engine.js';
import { CommandError, UsageError } from './shared/exit.js';
import { flag, kebabCase, oneOf, text } from './shared/options.js';
import { start } from './shared/start.js';
import { fromCaller, textTable } from './shared/terminal.js';
import { missingSecrets } from './syncing/secrets.js';
import { describeFinding, readSources, sourcesOption } from './syncing/source-files.js';

const ADDED = {
  url: text('URL', 'the address of the feed'),
  folder: text('DIR', 'a folder with feeds, relative to the folder with the source files'),
  files: text('PATTERN', 'the names of the feeds in the folder, such as feed-*.csv'),
  as: text('PLATFORM', 'the platform whose format the feed has, such as google'),
  map: text('FILE', 'a map of the columns, relative to the folder with the source files'),
  currency: text('CODE', 'the currency of prices that state none'),
  decimal: oneOf(['point', 'comma'], 'the decimal separator of amounts'),
  encoding: text('NAME', 'the encoding of the text'),
  owner: text('NAME', 'who is responsible for the source'),
  shop: text('NAME', 'the shop to which the source belongs, if it has several sources'),
  schedule: text('CRON', 'when to load, such as "15 6 * * *"'),
  scheduleTimezone: text('NAME', 'the time zone of the schedule, such as Europe/Berlin'),
  expectedFreshness: text('TIME', 'the age from which the data is stale, such as 36h'),
};

export const main = commands({
  name: 'sources',
  about: `Checks, lists and adds the files that describe sources of listings: one YAML file for each source in the folder sources/
(docs/data.md). mappings/source.schema.json is their JSON Schema, which editors can use. npm run sync loads the sources.`,
  notes: `${ENGINE_HELP}.`,
  commands: {
    check: subcommand({
      about: 'check all source files and the maps that they name, without loading anything',
      options: { sources: sourcesOption },
      async run({ options: { sources: folder } }, env, io) {
        const { sources, findings } = readSources(folder, new Date());
        for (const { name, file } of sources)
          for (const message of missingSecrets(file, env)) io.err.write(`${name}: ${message}\n`);
        if (findings.length > 0) throw new CommandError(findings.map(describeFinding).join('\n'));
        if (sources.length === 0) throw new CommandError(`${folder ?? 'sources'} has no source files.`);
        io.out.write(
          `${sources.length === 1 ? '1 source file is' : `${formatCount(sources.length)} source files are`} valid\n`,
        );
      },
    }),
    list: subcommand({
      about: 'list the sources with their schedules and last runs; first those that failed or are stale',
      options: { sources: sourcesOption, json: flag('print JSON') },
      async run({ options: { sources: folder, json } }, env, io) {
        const now = new Date();
        const { sources, findings } = readSources(folder, now);
        if (findings.length > 0) io.err.write(`${findings.map(describeFinding).join('\n')}\n`);
        const read = await withEngine(env, ({ es, indexPrefix }) => readSourceStates(es, indexPrefix));
        const states = new Map(read.map((state) => [state.file, state]));
        const rows = sources
          .toSorted((a, b) => byAttention(states.get(a.name), states.get(b.name), now))
          .map(({ name, code, file: { owner = null, schedule = null, expected_freshness: expected } }) => {
            const state = states.get(name);
            const { started_at = null, outcome = null, counts, reason = null } = state?.last_run ?? {};
            return {
              name,
              source: code,
              owner,
              schedule,
              last_run_at: started_at,
              outcome,
              records: counts?.records ?? null,
              rejected: counts?.rejected ?? null,
              reason,
              next_run_at: state?.next_run_at ?? null,
              stale: state === undefined ? expected !== undefined : isStale(state, now),
            };
          });
        if (json) {
          io.out.write(`${JSON.stringify(rows, null, 2)}\n`);
          return;
        }
        const lines = rows.map(({ name, schedule, last_run_at, outcome, records, next_run_at, stale }) => [
          name,
          schedule ?? 'by name',
          last_run_at ?? 'never',
          outcome ?? '',
          records === null ? '' : formatCount(records),
          next_run_at ?? '',
          stale ? 'stale' : '',
        ]);
        const header = ['name', 'schedule', 'last run', 'outcome', 'records', 'next run', ''];
        io.out.write(`${textTable([header, ...lines])}\n`);
        for (const { name, reason } of rows) if (reason !== null) io.out.write(`${name}: ${reason}\n`);
      },
    }),
    add: subcommand({
      about: 'write a new source file, after checking it',
      operands: {
        show: 'NAME',
        missing: 'State the name of the source, as in npm run sources -- add shop_a --url URL',
      },
      options: { sources: sourcesOption, ...ADDED },
      async run({ options: { sources: folder = 'sources', ...given }, operands: [name = ''] }, _env, io) {
        if (!SOURCE_NAME.test(name))
          throw new UsageError('The name has 1 to 64 letters, digits, hyphens and underscores.');
        const stated = Object.entries(given).flatMap(([option, value]) =>
          value === undefined ? [] : [[kebabCase(option).replaceAll('-', '_'), value]],
        );
        const content = stringify(Object.fromEntries(stated));
        const read = readSourceFile(content, new Date());
        if ('errors' in read)
          throw new CommandError(
            read.errors.map((error) => describeFinding({ file: name, ...error })).join('\n'),
          );
        const target = path.join(fromCaller(folder), `${name}.yaml`);
        try {
          mkdirSync(fromCaller(folder), { recursive: true });
          writeFileSync(target, content, { flag: 'wx' });
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          throw new CommandError(
            code === 'EEXIST' ? `${target} exists already.` : `${target} cannot be written (${code}).`,
          );
        }
        io.out.write(`${target}\n${content}`);
      },
    }),
  },
});

await start(import.meta.url, main);
