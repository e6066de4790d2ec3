import { DELIMITERS, FEED_FORMATS, type FeedOptions, isEncoding } from '../../src/feeds/read/feed.js';
import { type FeedMap, TARGETS } from '../../src/feeds/map/feed-map.js';
import { formatMap, FORMATS } from '../../src/feeds/map/formats.js';
import { isTimezone } from '../../src/feeds/map/time.js';
import { UsageError } from '../shared/exit.js';
import { flag, oneOf, parsed, preset, several, text, type Values, wholeNumber } from '../shared/options.js';
import { mapFile } from './map-file.js';

const delimiters = Object.keys(DELIMITERS) as (keyof typeof DELIMITERS)[];

export const OPTIONS = {
  as: oneOf(FORMATS, "the feed is in a shop's or a platform's own format"),
  map: parsed('FILE', 'how its columns become those of a listing, as YAML or JSON', mapFile),
  'suggest-map': flag('load nothing; write a first map for the feed to standard output'),
  source: text('NAME', 'of records that name none; records of any other source are rejected'),
  currency: parsed('CODE', 'of prices that name none', currency),
  'shop-url': parsed('URL', 'what addresses of products begin with, where a map needs it', shopUrl),
  timezone: parsed('NAME', 'of times without an offset, such as Asia/Singapore (UTC)', timezone),
  decimal: oneOf(
    ['point', 'comma'],
    'what parts the decimals of amounts in the feed, with --as or --map; else what the map says, or a point',
  ),
  format: oneOf(FEED_FORMATS, 'do not look, take this'),
  encoding: parsed(
    'NAME',
    'of the text, such as latin1, utf-16 or shift_jis; else it is UTF-8, or UTF-16 where its first bytes say so, and records that are not are rejected',
    encoding,
  ),
  delimiter: oneOf(delimiters, 'of a CSV feed; else the one that its first line has most of'),
  records: text(
    'PATH',
    'where the records stand in a JSON document, such as products or data.items; or the name of their elements in XML (item, entry), or of their sheet in a workbook',
  ),
  'skip-lines': wholeNumber('so many lines come before the feed', { min: 0, max: 1_000_000 }),
  complete: several(
    text(
      'SOURCE',
      'the files are all that SOURCE has: after all of them were read, its other listings become unavailable (is_available false). May be given several times',
    ),
  ),
  'dry-run': flag(
    'read, check and count, but write nothing; a listing that comes up again later in a feed counts as if it had not',
  ),
  patch: flag(
    'records state only what changes, such as price and is_available: what is absent stays, null (or a blank cell) clears, and of what is not there none is made',
  ),
  'declared-history': flag(
    'keep what records say of the past (price_history, and prices with a last_checked more than a day old) as declared: no deal, statistic or flag rests on it. For feeds that are not to be trusted; else it counts as observed',
  ),
  'on-bad': parsed(
    'FIELD,FIELD=drop',
    'land without these fields where they are bad, such as gtin,image_url=drop; else their record is rejected',
    droppable,
  ),
  report: text('FILE', 'write what was done as JSON, however it ends'),
  images: flag('afterwards, look at the images that have no hash yet, as npm run images does'),
  'no-quality': flag(
    'leave flags that rest on other listings as they are; else they are found anew where anything has changed',
  ),
  'no-suggest': flag('leave suggestions as they are; else they are made anew where anything has changed'),
  link: flag('afterwards, find out of which product what the load brought is, as npm run link does'),
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
  'allow-private': flag(
    'fetch feeds also from addresses that are not public, such as those of this machine and its network',
  ),
};

/** Options that keep a load from doing harm, under their heading in `--help`. */
export const GUARDS = {
  'Guards stop a load before it does harm, with exit code 3 and a sentence that says what would have happened:':
    ['max-vanished', 'max-rejected', 'strict-columns', 'allow-missing', 'allow-empty', 'allow-private'],
};

export const NOTES = `--complete marks nothing while a rejected record does not tell which listing it is of, and no listing that was observed
after the feed was made: its latest last_checked, or when the file was written if a record has none (for standard
input, when the load began). So yesterday's file does not hide what is new today.

Of several records of one listing without last_checked in one file, the last counts. Records that cannot be taken go to
FILE.rejected.ndjson (stdin.rejected.ndjson here for -), one a line: {"line", "reasons", "record"}, of an archive with
the "file" in it; the others land.

Relative paths are those of the folder that you call npm in. Elasticsearch is the one of ELASTICSEARCH_URL, else that of
a running demo, else http://localhost:9200. INDEX_PREFIX (catalog) must be that of the service, and AFFILIATE_URLS too
where a file is an export of it.
Each load is recorded for dashboards, for EVENTS_RETENTION (30d), unless EVENTS is off.`;

export interface Options {
  files: string[];
  /** How the feeds are written. */
  feed: FeedOptions;
  /** How their rows become records; null: they are records. */
  map: FeedMap | null;
  suggestMap: boolean;
  source: string | undefined;
  currency: string | undefined;
  shopUrl: string | undefined;
  timezone: string | undefined;
  /** Sources that the files are all of. */
  complete: string[];
  dryRun: boolean;
  patch: boolean;
  /** Whether what records say of the past is only declared. */
  declaredHistory: boolean;
  /** Fields that a record may land without where they are bad. */
  onBad: ReadonlySet<string>;
  report: string | undefined;
  images: boolean;
  /** Whether listings are judged afterwards, */
  quality: boolean;
  /** and whether suggestions follow. */
  suggest: boolean;
  link: boolean;
  /** A folder; `none`: they are not kept; undefined: beside the file. */
  rejects: string | undefined;
  /** In percent. */
  maxVanished: number;
  maxRejected: number | undefined;
  strictColumns: boolean;
  allowMissing: string[];
  allowEmpty: boolean;
  allowPrivate: boolean;
}

/** @throws UsageError where some do not go together. */
export function optionsOf(files: string[], values: Values<typeof OPTIONS>): Options {
  const { format, encoding, delimiter, source, currency, timezone } = values;
  const { complete, images, link, rejects, 'dry-run': dryRun, 'skip-lines': skipLines } = values;
  if (values.as !== undefined && values.map !== undefined)
    throw new UsageError('--as names a map that is there, --map brings another: choose one.');
  const map = withDecimal(
    values.as === undefined ? (values.map ?? null) : formatMap(values.as),
    values.decimal,
  );
  if (map !== null && map.fields.source === undefined && source === undefined && !values['suggest-map'])
    throw new UsageError('The feed names no source, and the map neither: say --source NAME.');
  const { patch } = values;
  if (patch && complete.length > 0)
    throw new UsageError('--patch states what changes, --complete all that there is: choose one.');
  const required = ['sku', ...(source === undefined ? ['source'] : []), ...(patch ? [] : ['name'])];
  if (images && dryRun) throw new UsageError('--images writes, --dry-run does not: choose one.');
  if (link && dryRun) throw new UsageError('--link writes, --dry-run does not: choose one.');
  return {
    quality: !dryRun && !values['no-quality'],
    suggest: !dryRun && !values['no-suggest'],
    files,
    source,
    currency,
    timezone,
    map,
    suggestMap: values['suggest-map'],
    shopUrl: values['shop-url'],
    complete: [...new Set(complete)],
    dryRun,
    images,
    link,
    rejects,
    patch,
    report: values.report,
    declaredHistory: values['declared-history'],
    onBad: values['on-bad'] ?? new Set<string>(),
    feed: {
      format,
      encoding,
      delimiter,
      skipLines,
      records: values.records ?? map?.records,
      foreign: map !== null,
      required,
      document: map?.document,
    },
    maxVanished: values['max-vanished'],
    maxRejected: values['max-rejected'],
    strictColumns: values['strict-columns'],
    allowMissing: values['allow-missing'].flatMap((names) => names.split(/[\s,]+/)),
    allowEmpty: values['allow-empty'],
    allowPrivate: values['allow-private'],
  };
}

function withDecimal(map: FeedMap | null, decimal: 'point' | 'comma' | undefined): FeedMap | null {
  if (decimal === undefined) return map;
  if (map === null) throw new UsageError('--decimal goes with --as or --map: other prices have a point.');
  return { ...map, decimal: decimal === 'comma' ? ',' : '.' };
}

function encoding(name: string, option: string): string {
  if (isEncoding(name)) return name;
  throw new UsageError(`${option} knows no "${name}"; latin1, utf-16 and shift_jis are some it knows.`);
}

function currency(given: string, option: string): string {
  if (/^[A-Za-z]{3}$/.test(given)) return given.toUpperCase();
  throw new UsageError(`${option} is an ISO 4217 code such as SGD, not "${given}".`);
}

function timezone(name: string, option: string): string {
  if (isTimezone(name)) return name;
  throw new UsageError(`${option} knows no "${name}"; Asia/Singapore is one it knows.`);
}

function shopUrl(given: string, option: string): string {
  if (URL.canParse(given) && /^https?:/.test(given)) return given.endsWith('/') ? given.slice(0, -1) : given;
  throw new UsageError(`${option} is an address such as https://shop.example, not "${given}".`);
}

const NEEDED: readonly string[] = ['sku', 'source', 'name'];

function droppable(given: string, option: string): Set<string> {
  const [names = '', what] = given.split('=');
  const fields = names.split(',').map((name) => name.trim());
  const wrong = fields.find((name) => NEEDED.includes(name) || !TARGETS.some((target) => target === name));
  if (what !== 'drop' || wrong !== undefined)
    throw new UsageError(
      `${option} is such as gtin,image_url=drop, of fields that a record can do without, not "${given}".`,
    );
  return new Set(fields);
}

function percent(given: string, option: string): number {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,4})?)\s?%?$/.exec(given) ?? [];
  if (digits === undefined || Number(digits) > 100) {
    throw new UsageError(`${option} is a percentage from 0 to 100, not "${given}".`);
  }
  return Number(digits);
}
