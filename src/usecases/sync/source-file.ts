import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Static, Type } from 'typebox';
import { PLATFORM_FORMATS } from '../../feeds/map/feed-map.js';
import { isTimezone } from '../../feeds/map/time.js';
import { DELIMITERS, FEED_FORMATS, isEncoding } from '../../feeds/read/feed.js';
import { isCurrency } from '../../listing/currency.js';
import { type FileFinding, type Finding, readCheckedYaml } from '../../platform/checked-yaml.js';
import { nextTime, type Schedule } from './schedule.js';
import { parseDuration } from '../../listing/instant.js';

const MAX_BYTES = 64 * 1024;

const Text = (description: string, more: Record<string, unknown> = {}) =>
  Type.String({ minLength: 1, maxLength: 2_000, description, ...more });
const Code = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, pattern: '^\\S(.*\\S)?$', description });
const Percent = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });
const Flag = (description: string) => Type.Boolean({ description });

/** A credential by reference. The prefix and the folder ensure that no source file can send another secret of the service. */
const Reference = Type.Partial(
  Type.Object({
    env: Type.String({
      pattern: '^SOURCE_[A-Z0-9_]{1,100}$',
      description: 'The name of an environment variable, which begins with SOURCE_',
    }),
    file: Type.String({
      pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}$',
      description: 'The name of a file in the folder SOURCE_CREDENTIALS',
    }),
  }),
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: 'Where a secret is: {env: SOURCE_NAME} or {file: name}',
  },
);
export type SecretReference = Static<typeof Reference>;

const References = (pattern: string, description: string) => {
  const options = { maxProperties: 10, additionalProperties: false, description };
  return Type.Record(Type.String({ pattern }), Reference, options);
};

const Credentials = Type.Partial(
  Type.Object({
    basic: Type.Object({ username: Reference, password: Reference }, { additionalProperties: false }),
    bearer: Reference,
    headers: References('^[A-Za-z][A-Za-z0-9-]{0,60}$', 'Request headers with secret values'),
    url: References('^[A-Za-z][A-Za-z0-9_]{0,60}$', 'The secrets that replace {NAME} in the url'),
  }),
  { additionalProperties: false, minProperties: 1 },
);

const Guards = Type.Partial(
  Type.Object({
    max_rejected: Percent(
      'The maximum share of rejected records, of at least a thousand or of the whole feed (20)',
    ),
    max_vanished: Percent(
      'The maximum share of the available listings that become unavailable in one run (30)',
    ),
    max_cleared: Percent(
      'The maximum share of the listings with a price, an availability, a URL, a picture, a brand, a category or a currency that lose it in one run (20)',
    ),
    max_price_change: Type.Number({
      minimum: 1,
      maximum: 100_000,
      description:
        'The maximum change of the median price against the stored listings, in percent of the lower price (50)',
    }),
    strict_columns: Flag('Refuse unknown columns'),
    allow_missing: Type.Array(Text('A field'), {
      maxItems: 30,
      description: 'Fields that the feed may lack although listings of the source have them',
    }),
    allow_repeats: Flag('Many records may have the source and SKU of another record'),
    allow_empty: Flag('The feed may contain no record'),
  }),
  { additionalProperties: false },
);

/** The schema of a file in `sources/`, which describes where the listings of one source come from. */
export const SourceFileSchema = Type.Partial(
  Type.Object({
    about: Text('A note for people'),
    source: Code('The code of the source; by default the name of the file without .yaml'),
    owner: Text('Who is responsible, such as a team or an address'),
    shop: Code(
      'The shop to which the listings belong, if several sources are of one shop: these sources count as one in votes on prices and as candidates',
    ),
    url: Text('The address of the feed, http or https', { examples: ['https://a.example/feed.csv'] }),
    folder: Text(
      'A folder with feeds, relative to the folder of this file. The newest one is loaded, unless every_file is true',
    ),
    files: Text('The names of the feeds in the folder, with * for any text (*)', { maxLength: 200 }),
    every_file: Flag(
      'Load every new file of the folder in the order in which they were written: for feeds of changes, with complete: false',
    ),
    as: Text(`The platform whose format the feed has, such as ${PLATFORM_FORMATS.slice(0, 3).join(', ')}`),
    map: Text('A file in this folder or below that maps the columns of the feed to fields', {
      examples: ['maps/shop_a.yaml'],
    }),
    format: Text('The format of the feed; by default it is detected', { examples: [FEED_FORMATS[0]] }),
    encoding: Text('The encoding of the text; by default the one that the feed states, or UTF-8', {
      examples: ['latin1'],
    }),
    delimiter: Text('The delimiter of a CSV feed', { examples: Object.keys(DELIMITERS) }),
    records: Text('Where the records are in the document, as --records of npm run ingest'),
    skip_lines: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Lines before the feed' }),
    currency: Type.String({
      pattern: '^[A-Z]{3}$',
      description: 'The currency of prices that state none, ISO 4217',
    }),
    decimal: Type.Unsafe<'point' | 'comma'>({
      type: 'string',
      enum: ['point', 'comma'],
      description: 'The decimal separator of amounts',
    }),
    timezone: Text('The time zone of times in the feed without an offset (UTC)'),
    shop_url: Text('The beginning of product URLs, for maps that need it'),
    complete: Flag(
      'Whether the feed contains all listings of the source, so that others become unavailable (true)',
    ),
    strict: Flag('Reject records with an invalid value in a secondary field'),
    declared_history: Flag('Store past prices as declared: for feeds that are not trusted'),
    allow_private: Flag('The url may lead to addresses that are not public'),
    credentials: Credentials,
    guards: Guards,
    schedule: Text('When to load: a cron expression of five fields. Without it, only by name', {
      examples: ['15 6 * * *'],
      maxLength: 200,
    }),
    schedule_timezone: Text('The time zone of the schedule (UTC)', { examples: ['Europe/Berlin'] }),
    expected_freshness: Type.String({
      pattern: '^[1-9]\\d{0,4}[mhd]$',
      description: 'The age from which the data of the source counts as stale, such as 36h, 90m or 2d',
    }),
  }),
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A source of listings, which npm run sync loads',
    additionalProperties: false,
  },
);
export type SourceFile = Static<typeof SourceFileSchema>;

/** The pattern of the name of a source file, which is also the default code of the source. */
export const SOURCE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The validator of source files, compiled at its first use, because that takes long. */
let validator: ValidateFunction<SourceFile> | undefined;

/** Reads a source file. @returns its content, or all errors in the order of their lines. */
export function readSourceFile(text: string, now: Date): { file: SourceFile } | { errors: FileFinding[] } {
  validator ??= new Ajv2020({ allErrors: true, strict: false }).compile<SourceFile>(SourceFileSchema);
  const read = readCheckedYaml(text, {
    maxBytes: MAX_BYTES,
    validate: validator,
    schemaErrorText,
    contentErrors: (file) => contentErrors(file, now),
  });
  return 'value' in read ? { file: read.value } : read;
}

const REFERENCES = ['type', 'minProperties', 'maxProperties'];

function schemaErrorText({ keyword, instancePath, params }: ErrorObject): string | null {
  if (instancePath.startsWith('/credentials')) {
    if (REFERENCES.includes(keyword))
      return 'must be a reference, {env: SOURCE_NAME} or {file: name}: a source file contains no secrets';
    if (keyword === 'pattern') return 'must be the name of a variable that begins with SOURCE_, or of a file';
  }
  if (instancePath === '/expected_freshness') return 'must be a time such as 36h, 90m or 2d';
  if (instancePath === '/currency') return 'must be an ISO 4217 code such as SGD';
  return keyword === 'pattern' ? `must match ${(params as { pattern: string }).pattern}` : null;
}

export const scheduleOf = ({ schedule, schedule_timezone: timezone = 'UTC' }: SourceFile): Schedule | null =>
  schedule === undefined ? null : { cron: schedule, timezone };

/** Returns the age in seconds from which a source is stale; null if the file states none. */
export function freshnessOf({ expected_freshness: text }: SourceFile): number | null {
  const ms = text === undefined ? null : parseDuration(text);
  return ms === null ? null : ms / 1_000;
}

const SECRET_PARAMETER =
  /^(?:api[-_]?key|key|(?:access[-_]?)?token|auth|pass(?:word|wd)?|pwd|secret|sig(?:nature)?|hash)$/i;
const PLACEHOLDER = /\{([A-Za-z]\w*)\}/g;

const placeholdersOf = (url: string): string[] => [...url.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

/** Replaces each `{NAME}` in a URL by a value that is encoded for it. */
export const fillPlaceholders = (url: string, values: Readonly<Record<string, string>>): string =>
  url.replaceAll(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(values, name) ? encodeURIComponent(values[name] ?? '') : whole,
  );

/** Headers that the service itself sets, or with which a server would respond with something else than the feed. */
const OWN_HEADERS =
  /^(?:host|connection|content-.*|transfer-encoding|accept-encoding|range|if-.*|upgrade|te|trailer|expect|proxy-.*)$/i;

/** Reports errors that the schema cannot describe. */
function contentErrors(file: SourceFile, now: Date): Finding[] {
  const errors: Finding[] = [];
  const report = (key: string, message: string) => void errors.push({ path: [key], message });
  if ((file.url === undefined) === (file.folder === undefined))
    report(file.url === undefined ? 'folder' : 'url', 'the file needs either a url or a folder');
  if (file.files !== undefined && file.folder === undefined) report('files', 'needs a folder');
  if (file.every_file === true && file.folder === undefined) report('every_file', 'needs a folder');
  if (file.every_file === true && file.complete !== false)
    report('every_file', 'needs complete: false, because a complete feed makes earlier files unnecessary');
  if (file.files?.includes('/')) report('files', 'must be names without a folder');
  if (file.url !== undefined) errors.push(...urlErrors(file, file.url));
  else if (file.credentials !== undefined) report('credentials', 'needs a url');
  if (file.as !== undefined && file.map !== undefined)
    report('map', 'as selects a map and map names another one');
  const oneOf = (key: 'as' | 'format' | 'delimiter', words: readonly string[]) => {
    const word = file[key];
    if (word !== undefined && !words.includes(word)) report(key, `must be one of ${words.join(', ')}`);
  };
  oneOf('as', PLATFORM_FORMATS);
  oneOf('format', FEED_FORMATS);
  oneOf('delimiter', Object.keys(DELIMITERS));
  if (file.encoding !== undefined && !isEncoding(file.encoding))
    report('encoding', 'must be an encoding such as latin1, utf-16 or shift_jis');
  if (file.currency !== undefined && !isCurrency(file.currency))
    report('currency', 'must be an ISO 4217 code such as SGD');
  if (file.decimal !== undefined && (file.as ?? file.map) === undefined)
    report('decimal', 'needs as or map: other prices have a decimal point');
  if (file.strict === true && (file.as ?? file.map) === undefined) report('strict', 'needs as or map');
  for (const key of ['timezone', 'schedule_timezone'] as const)
    if (file[key] !== undefined && !isTimezone(file[key]))
      report(key, 'must be a time zone such as Asia/Singapore');
  if (file.shop_url !== undefined && !isWebUrl(file.shop_url))
    report('shop_url', 'must be a URL such as https://shop.example');
  if (file.map !== undefined && isOutside(file.map))
    report('map', 'must be a file in the folder of sources or below it');
  if (file.schedule_timezone !== undefined && file.schedule === undefined)
    report('schedule_timezone', 'needs a schedule');
  if (file.complete === false && file.guards?.max_vanished !== undefined)
    report('guards', 'max_vanished needs a complete feed');
  const schedule = scheduleOf(file);
  if (schedule !== null && isTimezone(schedule.timezone)) {
    const reason = scheduleError(schedule, now);
    if (reason !== null) report('schedule', reason);
  }
  return errors;
}

function scheduleError(schedule: Schedule, now: Date): string | null {
  const form = 'must be a cron expression of five fields such as "15 6 * * *"';
  if (schedule.cron.trim().split(/\s+/).length !== 5) return form;
  try {
    return nextTime(schedule, now) === null ? 'no time ever matches this expression' : null;
  } catch (error) {
    return `${form}: ${(error as Error).message.replace(/^CronPattern: /, '').slice(0, 200)}`;
  }
}

const isOutside = (name: string): boolean =>
  /^(?:[/\\]|[A-Za-z]:)/.test(name) || name.split(/[/\\]/).includes('..');

const isWebUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

function urlErrors({ credentials, allow_private = false }: SourceFile, url: string): Finding[] {
  const errors: Finding[] = [];
  const report = (message: string, path: string[] = ['url']) => void errors.push({ path, message });
  const named = placeholdersOf(url);
  const given = Object.keys(credentials?.url ?? {});
  const filledWith = (text: string) =>
    fillPlaceholders(url, Object.fromEntries(named.map((name) => [name, text])));
  const filled = filledWith('a');
  if (!isWebUrl(filled)) {
    report('must be an http or https URL');
    return errors;
  }
  const { protocol, username, password, searchParams, host } = new URL(filled);
  if (username !== '' || password !== '')
    report('must not contain a user or password: state them in credentials.basic by reference');
  if (placeholdersOf(/^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '').length > 0 || host === '')
    report('a secret must not be part of the host');
  // If the value in the URL is a reference, it changes when another secret is filled in; otherwise it is a secret itself.
  const { searchParams: others } = new URL(filledWith('b'));
  for (const [name, value] of searchParams)
    if (SECRET_PARAMETER.test(name) && value === others.get(name))
      report(
        `the value of ${name} is a secret: write ${name}={NAME}, and NAME in credentials.url by reference`,
      );
  for (const name of named) if (!given.includes(name)) report(`{${name}} is not in credentials.url`);
  for (const name of given)
    if (!named.includes(name)) report(`the url does not contain {${name}}`, ['credentials', 'url', name]);
  if (credentials !== undefined && protocol === 'http:' && !allow_private)
    report('credentials need https, unless allow_private is true');
  if (credentials?.basic !== undefined && credentials.bearer !== undefined)
    report('basic and bearer set the same header: choose one', ['credentials', 'bearer']);
  for (const name of Object.keys(credentials?.headers ?? {})) {
    const path = ['credentials', 'headers', name];
    if (OWN_HEADERS.test(name)) report('this header cannot be set', path);
    if (/^authorization$/i.test(name) && (credentials?.basic ?? credentials?.bearer) !== undefined)
      report('basic and bearer set this header', path);
  }
  return errors;
}
