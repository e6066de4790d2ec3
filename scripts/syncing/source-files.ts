import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FileFinding } from '../../src/platform/checked-yaml.js';
import { MAX_SOURCE_FILES } from '../../src/sources/source-states.js';
import { readSourceFile, SOURCE_NAME, type SourceFile } from '../../src/usecases/sync/source-file.js';
import { readMapFile } from '../loading/option-values.js';
import { DEFAULTS, type IngestCommandOptions, optionsOf } from '../loading/options.js';
import { CommandError } from '../shared/exit.js';
import { fileError, fromCaller } from '../shared/terminal.js';
import { text } from '../shared/options.js';

/** A source as its file describes it. */
export interface ConfiguredSource {
  /** The name of the file without `.yaml`. */
  name: string;
  /** The folder of the file, to which paths in it refer. */
  folder: string;
  code: string;
  file: SourceFile;
}

/** A finding in a source file, for people. */
export interface SourceFinding extends FileFinding {
  file: string;
}

export interface SourceFolder {
  sources: ConfiguredSource[];
  findings: SourceFinding[];
}

export const sourcesOption = text('DIR', 'the folder with the source files (sources)');

const EXTENSION = '.yaml';
/** The guards of sources that state none, because nobody watches their loads. */
const DEFAULT_GUARDS = { max_rejected: 20, max_price_change: 50 };

/** Reads all source files in a folder; one with errors has findings. @throws CommandError if the folder cannot be read. */
export function readSources(given: string | undefined, now: Date): SourceFolder {
  const shown = given ?? 'sources';
  const folder = fromCaller(shown);
  const sources: ConfiguredSource[] = [];
  const findings: SourceFinding[] = [];
  for (const entry of namesIn(folder, shown)) {
    const file = path.join(shown, entry);
    const read = readOne(path.join(folder, entry), entry, now);
    if ('errors' in read) findings.push(...read.errors.map((error) => ({ file, ...error })));
    else sources.push({ ...read.source, folder });
  }
  const byCode = new Map<string, ConfiguredSource>();
  for (const source of sources) {
    const first = byCode.get(source.code);
    if (first === undefined) byCode.set(source.code, source);
    else
      findings.push({
        file: path.join(shown, `${source.name}${EXTENSION}`),
        line: 1,
        path: 'source',
        message: `${first.name}${EXTENSION} is of the source ${JSON.stringify(source.code)}, too`,
      });
  }
  return { sources: [...byCode.values()], findings };
}

function namesIn(folder: string, shown: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw fileError(`the folder of source files (--sources), ${shown}`, error);
  }
  // Other files, such as a README, are no sources. An editor's hidden files are none either.
  const found = names.filter((name) => /\.ya?ml$/i.test(name) && !name.startsWith('.')).sort();
  if (found.length > MAX_SOURCE_FILES)
    throw new CommandError(`${shown} has more than ${MAX_SOURCE_FILES} source files.`);
  return found;
}

type Read = { errors: FileFinding[] } | { source: Omit<ConfiguredSource, 'folder'> };

const problem = (message: string): Read => ({ errors: [{ line: 1, path: '', message }] });

function readOne(file: string, entry: string, now: Date): Read {
  const name = entry.slice(0, -EXTENSION.length);
  if (!entry.endsWith(EXTENSION)) return problem(`the name of a source file ends with ${EXTENSION}`);
  if (!SOURCE_NAME.test(name))
    return problem('the name of a source file has 1 to 64 letters, digits, hyphens and underscores');
  let content: string;
  try {
    if (!statSync(file).isFile()) return problem('is not a file');
    content = readFileSync(file, 'utf8');
  } catch (error) {
    return problem(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const read = readSourceFile(content, now);
  if ('errors' in read) return read;
  const source = { name, code: read.file.source ?? name, file: read.file };
  try {
    // Options are parsed already here, so that an error in a map is reported before the source is due.
    ingestOptionsOf({ ...source, folder: path.dirname(file) }, []);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const line = content.split('\n').findIndex((text) => text.startsWith('map:')) + 1;
    return { errors: [{ line: Math.max(line, 1), path: 'map', message: error.message }] };
  }
  return { source };
}

/** The options of `npm run ingest` with which the feeds of a source are loaded. */
export function ingestOptionsOf(
  { file, folder, code }: ConfiguredSource,
  files: string[],
): IngestCommandOptions {
  const guards = { ...DEFAULT_GUARDS, ...file.guards };
  const map = file.map === undefined ? undefined : readMapFile(path.join(folder, file.map), 'map');
  return optionsOf(files, {
    ...DEFAULTS,
    as: file.as as (typeof DEFAULTS)['as'],
    map,
    source: code,
    currency: file.currency,
    shopUrl: file.shop_url?.replace(/\/$/, ''),
    timezone: file.timezone,
    decimal: file.decimal,
    format: file.format as (typeof DEFAULTS)['format'],
    encoding: file.encoding,
    delimiter: file.delimiter as (typeof DEFAULTS)['delimiter'],
    records: file.records,
    skipLines: file.skip_lines,
    complete: file.complete === false ? [] : [code],
    declaredHistory: file.declared_history ?? false,
    strict: file.strict ?? false,
    maxVanished: guards.max_vanished ?? DEFAULTS.maxVanished,
    maxCleared: guards.max_cleared ?? DEFAULTS.maxCleared,
    maxRejected: guards.max_rejected,
    maxPriceChange: guards.max_price_change,
    strictColumns: guards.strict_columns ?? false,
    allowMissing: guards.allow_missing ?? [],
    allowRepeats: guards.allow_repeats ?? false,
    allowEmpty: guards.allow_empty ?? false,
    allowPrivate: file.allow_private ?? false,
    rejects: 'none',
  });
}

/** An option of `npm run ingest` in a message, with the value that the message proposes. */
const OPTION =
  /(\buse )?--(max-vanished|max-cleared|max-rejected|max-price-change|strict-columns|allow-missing|allow-repeats|allow-empty|allow-private|decimal|encoding|currency)(?: ((?<=--allow-missing )[\w,]+|\d+(?:\.\d+)?|CODE|point|comma)\b)?/g;

/** The options of `npm run ingest` that are not guards in a source file. */
const NO_GUARDS: readonly string[] = ['allow-private', 'decimal', 'encoding', 'currency'];

/** Rewrites the names of options of `npm run ingest` in a message to the keys of a source file. */
export const phrasedForSource = (message: string, { name }: Pick<ConfiguredSource, 'name'>): string =>
  message.replaceAll(OPTION, (_, use: string | undefined, option: string, value: string | undefined) => {
    const key = `${NO_GUARDS.includes(option) ? '' : 'guards.'}${option.replaceAll('-', '_')}`;
    const proposed = option === 'allow-missing' && value !== undefined ? `[${value}]` : value;
    const setting = proposed ?? (use === undefined ? undefined : 'true');
    const phrase = setting === undefined ? `${key} of` : `${key}: ${setting} in`;
    return `${use ?? ''}${phrase} ${name}${EXTENSION}`;
  });

/** A finding as one line: the file with the line, the place and the message. */
export const describeFinding = ({ file, line, path: place, message }: SourceFinding): string =>
  [`${file}:${line}`, place, message].filter((part) => part !== '').join(': ');
