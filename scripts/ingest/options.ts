import { FEED_FORMATS, type FeedFormat, isEncoding } from '../../src/feed/feed.js';
import { UsageError } from '../shared/exit.js';
import { flag, oneOf, parsed, preset, several, text, type Values } from '../shared/options.js';

export const OPTIONS = {
  format: oneOf(FEED_FORMATS, 'do not look, take this'),
  encoding: parsed(
    'NAME',
    'of the text, such as latin1, utf-16 or shift_jis; else it is UTF-8, or UTF-16 where its first bytes say so, and records that are not are rejected',
    encoding,
  ),
  complete: several(
    text(
      'SOURCE',
      'the files are all that SOURCE has: after all of them were read, its other listings become unavailable (is_available false). May be given several times',
    ),
  ),
  'dry-run': flag(
    'read, check and count, but write nothing; a listing that comes up again later in a feed counts as if it had not',
  ),
  images: flag('afterwards, look at the images that have no hash yet, as npm run images does'),
  rejects: text('DIR|none', 'where rejected records go; else beside the file'),
  'max-vanished': preset(
    parsed('PCT', "with --complete, of a source's available listings (30)", percent),
    30,
  ),
  'max-rejected': parsed(
    'PCT',
    'of the records so far, of a thousand at least; no limit unless given',
    percent,
  ),
  'strict-columns': flag('refuse columns that no listing has; else they are named, and not loaded'),
  'allow-missing': several(
    text(
      'COLUMN,COLUMN',
      'these may be absent, although listings of the source have them. Absent is unknown, so a misspelt header would wipe a column; of JSON feeds the first thousand records tell',
    ),
  ),
  'allow-empty': flag('a feed may hold no record'),
};

/** Options that keep a load from doing harm, under their heading in `--help`. */
export const GUARDS = {
  'Guards stop a load before it does harm, with exit code 3 and a sentence that says what would have happened:':
    ['max-vanished', 'max-rejected', 'strict-columns', 'allow-missing', 'allow-empty'],
};

export const NOTES = `--complete marks nothing while a rejected record does not tell which listing it is of, and no listing that was observed
after the feed was made: its latest last_checked, or when the file was written if a record has none (for standard
input, when the load began). So yesterday's file does not hide what is new today.

Of several records of one listing without last_checked in one file, the last counts. Records that cannot be taken go to
FILE.rejected.ndjson (stdin.rejected.ndjson here for -), one a line: {"line", "reasons", "record"}; the others land.

Relative paths are those of the folder that you call npm in. Elasticsearch is the one of ELASTICSEARCH_URL, else that of
a running demo, else http://localhost:9200. INDEX_PREFIX (catalog) must be that of the service, and AFFILIATE_URLS too
where a file is an export of it.
Each load is recorded for dashboards, for EVENTS_RETENTION (30d), unless EVENTS is off.`;

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

/** @throws UsageError where some do not go together. */
export function optionsOf(files: string[], values: Values<typeof OPTIONS>): Options {
  const { format, encoding, complete, images, rejects, 'dry-run': dryRun } = values;
  if (images && dryRun) throw new UsageError('--images writes, --dry-run does not: choose one.');
  return {
    ...{ files, format, encoding, complete: [...new Set(complete)], dryRun, images, rejects },
    maxVanished: values['max-vanished'],
    maxRejected: values['max-rejected'],
    strictColumns: values['strict-columns'],
    allowMissing: values['allow-missing'].flatMap((names) => names.split(/[\s,]+/)),
    allowEmpty: values['allow-empty'],
  };
}

function encoding(name: string, option: string): string {
  if (isEncoding(name)) return name;
  throw new UsageError(`${option} knows no "${name}"; latin1, utf-16 and shift_jis are some it knows.`);
}

function percent(given: string, option: string): number {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,4})?)\s?%?$/.exec(given) ?? [];
  if (digits === undefined || Number(digits) > 100) {
    throw new UsageError(`${option} is a percentage from 0 to 100, not "${given}".`);
  }
  return Number(digits);
}
