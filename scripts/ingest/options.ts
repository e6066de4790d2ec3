import { parseArgs } from 'node:util';
import { FEED_FORMATS, type FeedFormat, isEncoding } from '../../src/feed/feed.js';
import { CommandError } from '../shared/terminal.js';

export const HELP = `npm run ingest -- FILE...

Loads listings into the catalogue: NDJSON, a JSON array or CSV, plain or gzip, as the content tells; - is standard
input. A listing is found by its source and sku, and a record states the whole of it. Loading a file again changes
nothing, so a load that was stopped or killed is simply run again.

  --format FORMAT      ${FEED_FORMATS.join(', ')}: do not look, take this
  --encoding NAME      of the text, such as latin1, utf-16 or shift_jis; else it is UTF-8, or UTF-16 where its
                       first bytes say so, and records that are not are rejected
  --complete SOURCE    the files are all that SOURCE has: after all of them were read, its other listings become
                       unavailable (is_available false). May be given several times
  --dry-run            read, check and count, but write nothing; a listing that comes up again later in a feed
                       counts as if it had not
  --images             afterwards, look at the images that have no hash yet, as npm run images does
  --rejects DIR|none   where rejected records go; else beside the file
  --help

Guards stop a load before it does harm, with exit code 3 and a sentence that says what would have happened:
  --max-vanished PCT   with --complete, of a source's available listings (30)
  --max-rejected PCT   of the records so far, of a thousand at least; no limit unless given
  --strict-columns     refuse columns that no listing has; else they are named, and not loaded
  --allow-missing COLUMN,COLUMN
                       these may be absent, although listings of the source have them. Absent is unknown, so a
                       misspelt header would wipe a column; of JSON feeds the first thousand records tell
  --allow-empty        a feed may hold no record

--complete marks nothing while a rejected record does not tell which listing it is of, and no listing that was observed
after the feed was made: its latest last_checked, or when the file was written if a record has none (for standard
input, when the load began). So yesterday's file does not hide what is new today.

Of several records of one listing without last_checked in one file, the last counts. Records that cannot be taken go to
FILE.rejected.ndjson (stdin.rejected.ndjson here for -), one a line: {"line", "reasons", "record"}; the others land.

Relative paths are those of the folder that you call npm in. Elasticsearch is the one of ELASTICSEARCH_URL, else that of
a running demo, else http://localhost:9200. INDEX_PREFIX (catalog) must be that of the service, and AFFILIATE_URLS too
where a file is an export of it.
Each load is recorded for dashboards, for EVENTS_RETENTION (30d), unless EVENTS is off.
Exit code: 0 all records landed, 2 all but the rejected ones, 3 stopped by a guard, 1 failed, 130 interrupted.
`;

const MAX_VANISHED = '30';

export interface Options {
  files: string[];
  format: FeedFormat | undefined;
  encoding: string | undefined;
  /** Sources that the files are all of. */
  complete: string[];
  dryRun: boolean;
  images: boolean;
  /** A folder; `none`: they are not kept; undefined: beside the file. */
  rejects: string | undefined;
  /** In percent. */
  maxVanished: number;
  maxRejected: number | undefined;
  strictColumns: boolean;
  allowMissing: string[];
  allowEmpty: boolean;
}

/** @returns null when only help is wanted. @throws CommandError when the command line makes no sense. */
export function parse(args: string[]): Options | null {
  const { values, positionals } = parseCommandLine(args);
  if (values.help === true) return null;
  if (positionals.length === 0)
    throw new CommandError('Name the feed files, or - for standard input; see --help.');
  const format = FEED_FORMATS.find((name) => name === values.format);
  if (values.format !== undefined && format === undefined) {
    throw new CommandError(`--format must be one of ${FEED_FORMATS.join(', ')}, not "${values.format}".`);
  }
  const { complete = [], images = false, 'dry-run': dryRun = false, encoding, rejects } = values;
  if (encoding !== undefined && !isEncoding(encoding)) {
    throw new CommandError(
      `--encoding knows no "${encoding}"; latin1, utf-16 and shift_jis are some it knows.`,
    );
  }
  if (complete.includes('')) throw new CommandError('--complete needs the name of a source.');
  if (images && dryRun) throw new CommandError('--images writes, --dry-run does not: choose one.');
  return {
    ...{ files: positionals, format, encoding, complete: [...new Set(complete)], dryRun, images, rejects },
    maxVanished: percent('--max-vanished', values['max-vanished'] ?? MAX_VANISHED),
    maxRejected:
      values['max-rejected'] === undefined ? undefined : percent('--max-rejected', values['max-rejected']),
    strictColumns: values['strict-columns'] ?? false,
    allowMissing: (values['allow-missing'] ?? []).flatMap((names) => names.split(/[\s,]+/)),
    allowEmpty: values['allow-empty'] ?? false,
  };
}

function parseCommandLine(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        format: { type: 'string' },
        encoding: { type: 'string' },
        complete: { type: 'string', multiple: true },
        'dry-run': { type: 'boolean' },
        images: { type: 'boolean' },
        rejects: { type: 'string' },
        'max-vanished': { type: 'string' },
        'max-rejected': { type: 'string' },
        'strict-columns': { type: 'boolean' },
        'allow-missing': { type: 'string', multiple: true },
        'allow-empty': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new CommandError(`${(error as Error).message} See --help.`);
  }
}

function percent(option: string, text: string): number {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,4})?)\s?%?$/.exec(text) ?? [];
  if (digits === undefined || Number(digits) > 100) {
    throw new CommandError(`${option} is a percentage from 0 to 100, not "${text}".`);
  }
  return Number(digits);
}
