import { hash } from 'node:crypto';
import {
  type FeedMap,
  forCurrency,
  MapError,
  PLATFORM_FORMATS,
  platformMap,
  SECONDARY_FIELDS,
} from '../../src/feeds/map/feed-map.js';
import type { RecordOptions } from '../../src/feeds/map/records.js';
import { DELIMITERS, FEED_FORMATS } from '../../src/feeds/read/feed.js';
import { DEFAULT_MAX_CLEARED } from '../../src/usecases/ingest/cleared-fields.js';
import type { FollowUpStep } from '../../src/sources/follow-up-queue.js';
import { ENGINE_HELP } from '../shared/engine.js';
import { UsageError } from '../shared/exit.js';
import {
  flag,
  oneOf,
  type Option,
  parsed,
  preset,
  several,
  text,
  type Values,
  wholeNumber,
} from '../shared/options.js';
import { FOLLOW_UP_OPTIONS, followUpSteps } from './follow-up-options.js';
import {
  country,
  currency,
  droppable,
  encoding,
  pastTime,
  percent,
  readMapFile,
  shopUrl,
  timezone,
} from './option-values.js';

const delimiters = Object.keys(DELIMITERS) as (keyof typeof DELIMITERS)[];

export const OPTIONS = {
  as: oneOf(PLATFORM_FORMATS, 'the feed is in the format of this platform'),
  map: parsed(
    'FILE',
    'a map that defines how columns become fields of a listing, as YAML or JSON',
    readMapFile,
  ),
  suggestMap: flag('load nothing; write a suggested map for the feed to standard output'),
  source: text('NAME', 'the source of records that state none; records of any other source are rejected'),
  currency: parsed('CODE', 'the currency of prices that state none', currency),
  shopUrl: parsed('URL', 'the beginning of product URLs, for maps that need it', shopUrl),
  timezone: parsed(
    'NAME',
    'the time zone of times without an offset, such as Asia/Singapore (UTC)',
    timezone,
  ),
  deliverTo: parsed(
    'COUNTRY',
    'the country (ISO 3166-1, such as DE) whose delivery prices are read, with --as or --map; by default the one that a record states first',
    country,
  ),
  decimal: oneOf(
    ['point', 'comma'],
    'the decimal separator of amounts, with --as or --map; by default that of the map, or a point',
  ),
  format: oneOf(FEED_FORMATS, 'the format of the feed; by default it is detected from the content'),
  encoding: parsed(
    'NAME',
    'the encoding of the text, such as latin1, utf-16 or shift_jis; by default the one that the feed or its HTTP response states, otherwise UTF-8. Records in another encoding are rejected',
    encoding,
  ),
  delimiter: oneOf(
    delimiters,
    'the delimiter of a CSV feed; by default the most frequent one in its first line',
  ),
  records: text(
    'PATH',
    'where the records are: a path in the JSON documents, such as products, data.items or products.variants, the name of XML elements (item, entry), or the name of a sheet in a workbook',
  ),
  skipLines: wholeNumber('the number of lines before the feed', { min: 0, max: 1_000_000 }),
  complete: several(
    text(
      'SOURCE',
      'the files contain all listings of SOURCE: after they were loaded, its other listings become unavailable (is_available false). May be given several times',
    ),
  ),
  dryRun: flag(
    'read, check and count, but write nothing; a repeated listing may be counted as if it occurred for the first time',
  ),
  patch: flag(
    'records state only the fields that change, such as price and is_available: an absent field is kept, null (or a blank cell) clears it, and records of unknown listings are rejected',
  ),
  observedAt: parsed(
    'TIME',
    'when the listings of records without last_checked were seen in the feed (ISO 8601); by default the Last-Modified of a remote feed, otherwise the time of the load',
    pastTime,
  ),
  declaredHistory: flag(
    'store past prices (price_history, and prices with a last_checked more than a day old) as declared, so that no deal, statistic or flag is based on them. For feeds that are not trusted; by default past prices count as observed',
  ),
  onBad: parsed(
    'FIELD,FIELD=drop',
    'drop these fields if they are invalid, such as gtin,image_url=drop; by default their record is rejected, unless --as or --map is given',
    droppable,
  ),
  strict: flag(
    'with --as or --map, reject records whose price is 0 or in words, or that have an invalid value in a field other than sku, source, name, price and currency; by default such records are loaded without the invalid value, and counted',
  ),
  report: text('FILE', 'write a report as JSON, however the load ends'),
  images: flag('afterwards, hash the images that have no hash yet, as npm run images does'),
  ...FOLLOW_UP_OPTIONS,
  noWait: flag(
    'return as soon as the listings can be found, and leave what depends on them to npm run follow-up',
  ),
  link: flag('afterwards, link the loaded listings to products, as npm run link does'),
  ifChanged: text(
    'FILE',
    'load remote feeds only if they have changed since the load that wrote FILE, by their ETag or Last-Modified. FILE is written after the load. Leave the option out once after a change of the map',
  ),
  giveUpAfter: preset(
    wholeNumber(
      'the time in seconds for which Elasticsearch may accept nothing, for example because its disk is full, before the load ends with exit code 6',
      { min: 1, max: 86_400 },
    ),
    600,
  ),
  rejects: text('DIR|none', 'the folder for rejected records; by default that of the file'),
  maxVanished: preset(
    parsed(
      'PCT',
      "with --complete, the maximum share of a source's available listings that become unavailable, in percent",
      percent,
    ),
    30,
  ),
  maxCleared: preset(
    parsed(
      'PCT',
      'the maximum share of the listings of a source with a price that may lose it, in percent; likewise the availability, URL, picture, brand, category and currency. Nothing is written before that is known. One or two listings may always lose a field, unless PCT is 0',
      percent,
    ),
    DEFAULT_MAX_CLEARED,
  ),
  maxRejected: parsed(
    'PCT',
    'the maximum share of rejected records in percent, checked from the thousandth record on; no limit by default',
    percent,
  ),
  maxPriceChange: parsed(
    'PCT',
    'the maximum change of the median price of the first thousand records against the stored listings, in percent of the lower price: 100 if prices double or halve; no limit by default',
    (given, option) => percent(given, option, 100_000),
  ),
  strictColumns: flag('refuse unknown columns; by default they are reported and not loaded'),
  allowMissing: several(
    text(
      'COLUMN,COLUMN',
      'columns that may be missing although listings of the source have values for them. A missing column, for example because its name is misspelled, would clear these values; for JSON feeds, the first thousand records are examined',
    ),
  ),
  allowRepeats: flag(
    'accept a feed in which more than 20 % of the records without last_checked have the source and SKU of another record. Usually this means that the column of the SKU is wrong, because its values are not unique',
  ),
  allowEmpty: flag('accept a feed without any record'),
  allowPrivate: flag(
    'also fetch feeds from addresses that are not public, such as those of this machine and its network',
  ),
};

/** The values of the options of `npm run ingest` if none is given. */
export const DEFAULTS = Object.fromEntries(
  Object.entries<Option<unknown>>(OPTIONS).map(([name, { fallback }]) => [name, fallback]),
) as Values<typeof OPTIONS>;

export const GUARDS = {
  'Guards stop a harmful load with exit code 3 and a message that says what would have happened:': [
    'maxVanished',
    'maxCleared',
    'maxRejected',
    'maxPriceChange',
    'strictColumns',
    'allowMissing',
    'allowRepeats',
    'allowEmpty',
    'allowPrivate',
  ],
};

export const NOTES = `--complete marks nothing while the source or SKU of a rejected record cannot be read. It keeps listings that were observed
after the feed was made: after its latest last_checked or, if no record has one, after --observed-at, the Last-Modified of a
remote feed or the time at which the file was written (for standard input, after the load began). A file from yesterday therefore does not make listings unavailable that are new today.

If a file has several records of one listing without last_checked, the last one counts. Rejected records are written to
FILE.rejected.ndjson (stdin.rejected.ndjson in the current folder for -), one per line: {"line", "reasons", "record"}, and
"file" for a record in an archive. All other records are loaded.

Relative paths refer to the folder in which you call npm. Each load is recorded for dashboards and kept for EVENTS_RETENTION
(30d), unless EVENTS is off.

${ENGINE_HELP}, and so must AFFILIATE_URLS if a file is an export of the service.`;

export type IngestCommandOptions = Omit<Values<typeof OPTIONS>, 'map' | 'onBad' | 'records'> &
  RecordOptions & {
    files: string[];
    /** The fields that are left out if they are invalid. If another field is invalid, the record is rejected. */
    onBad: ReadonlySet<string>;
    mayBeDumped: boolean;
    followUp: FollowUpStep[];
    /** Whether the command ends only after the follow-up of the load. */
    wait: boolean;
  };

export function optionsOf(files: string[], values: Values<typeof OPTIONS>): IngestCommandOptions {
  const { format, encoding, delimiter, source, complete, dryRun, skipLines, patch } = values;
  if (values.as !== undefined && values.map !== undefined)
    throw new UsageError('--as selects a map and --map reads another one: choose one.');
  const map = withCurrency(
    withDeliveryTo(
      withDecimal(values.as === undefined ? (values.map ?? null) : platformMap(values.as), values.decimal),
      values.deliverTo,
    ),
    values.currency,
  );
  if (map !== null && map.fields.source === undefined && source === undefined && !values.suggestMap)
    throw new UsageError('Neither the feed nor the map states a source: add --source NAME.');
  if (patch && complete.length > 0)
    throw new UsageError(
      '--patch is for records that change, --complete for feeds with all listings: choose one.',
    );
  for (const name of ['images', 'link'] as const)
    if (values[name] && dryRun)
      throw new UsageError(`--${name} cannot be combined with --dry-run, which writes nothing.`);
  return {
    ...values,
    followUp: dryRun ? [] : followUpSteps(values),
    wait: !values.noWait,
    files,
    map,
    // Records that are not trusted may not state when their listings changed.
    mayBeDumped: map === null && !patch && !values.declaredHistory,
    isDecimalCertain: values.decimal !== undefined,
    complete: [...new Set(complete)],
    onBad: new Set([...(values.onBad ?? []), ...(map === null || values.strict ? [] : SECONDARY_FIELDS)]),
    feed: {
      format,
      encoding,
      delimiter,
      skipLines,
      records: values.records ?? map?.records,
      anyColumns: map !== null,
      required: ['sku', ...(source === undefined ? ['source'] : []), ...(patch ? [] : ['name'])],
      document: map?.document,
      layout: map?.csv,
    },
    allowMissing: values.allowMissing.flatMap((names) => names.split(/[\s,]+/)),
  };
}

/** A hash of everything that decides how a feed is read: the map, and the options of the source. */
export function readingVersion({ map, ...options }: IngestCommandOptions): string {
  const { source, currency, shopUrl, timezone, isDecimalCertain, feed, onBad, declaredHistory } = options;
  const decisive = [
    map,
    source,
    currency,
    shopUrl,
    timezone,
    isDecimalCertain,
    feed,
    [...onBad],
    declaredHistory,
  ];
  return hash('sha256', JSON.stringify(decisive), 'hex').slice(0, 12);
}

function withDecimal(map: FeedMap | null, decimal: 'point' | 'comma' | undefined): FeedMap | null {
  if (decimal === undefined) return map;
  if (map === null) throw new UsageError('--decimal needs --as or --map: other prices have a decimal point.');
  return { ...map, decimal: decimal === 'comma' ? ',' : '.' };
}

function withCurrency(map: FeedMap | null, currency: string | undefined): FeedMap | null {
  try {
    return map && forCurrency(map, currency);
  } catch (error) {
    throw error instanceof MapError ? new UsageError(error.message) : error;
  }
}

function withDeliveryTo(map: FeedMap | null, to: string | undefined): FeedMap | null {
  if (to === undefined) return map;
  if (map === null)
    throw new UsageError('--deliver-to needs --as or --map: other records state one delivery price.');
  return { ...map, delivery: { ...map.delivery, to: { const: to } } };
}
