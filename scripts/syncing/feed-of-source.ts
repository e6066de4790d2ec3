import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { type FeedVersions, type Input, inputOf } from '../loading/input.js';
import { publicUrl, timeOf } from '../loading/remote.js';
import type { SourceState } from '../../src/sources/source-states.js';
import type { IngestCommandOptions } from '../loading/options.js';
import { CommandError } from '../shared/exit.js';
import { fileError } from '../shared/terminal.js';
import { feedRequestOf } from './secrets.js';
import type { ConfiguredSource } from './source-files.js';

const NO_INPUT = Readable.from([]);

type LoadedVersion = NonNullable<SourceState['loaded']>;

/** The feed of a source that a run loads. */
export interface SourceFeed {
  input: Input;
  /** Whether the feed is a file that was loaded already. Whether a remote feed was, is only known when it is requested. */
  isKnown: boolean;
  /** Whether the folder contains later files that have to be loaded as well. */
  hasMore: boolean;
  /** Secrets that no message may contain. */
  secrets: string[];
  /** The version of the feed; null before the feed was read. */
  version(): LoadedVersion | null;
  /** Returns when the data was seen, such as its `Last-Modified`, after the feed was read; null: at the time of the run. */
  seenAt(): Date | null;
}

/**
 * Opens the feed of a source.
 * @param context.known the version that was loaded last with the same options.
 * @throws CommandError if there is no feed, or if a credential is missing.
 */
export const feedOf = (
  source: ConfiguredSource,
  options: IngestCommandOptions,
  context: FeedContext,
): SourceFeed =>
  source.file.url === undefined ? fileOf(source, options, context) : remoteFeed(source, options, context);

interface FeedContext {
  known: LoadedVersion | null;
  /** The version of the options with which the feed is loaded. */
  version: string;
  env: NodeJS.ProcessEnv;
  now: () => Date;
}

function remoteFeed(
  { file }: ConfiguredSource,
  { allowPrivate }: IngestCommandOptions,
  { known, version, env, now }: FeedContext,
): SourceFeed {
  const { url, headers, secrets } = feedRequestOf(file, env);
  let loaded: LoadedVersion | null = null;
  const versions: FeedVersions = {
    // Without `Last-Modified`, an unmodified feed has been seen now, so it is loaded again. With it, loading the feed
    // again would not show more recent data.
    of: () =>
      known === null || known.last_modified === null
        ? null
        : { etag: known.etag, lastModified: known.last_modified },
    loaded: (_address, { etag, lastModified }) => {
      loaded = { feed: 'url', etag, last_modified: lastModified, options: version };
    },
  };
  const shownAs = publicUrl(file.url ?? '')
    .replaceAll('%7B', '{')
    .replaceAll('%7D', '}');
  const input = inputOf(url, NO_INPUT, { allowPrivate, versions, now, headers, shownAs });
  const modified = () =>
    timeOf({ etag: null, lastModified: (loaded ?? known)?.last_modified ?? null }, now());
  return { input, isKnown: false, hasMore: false, secrets, version: () => loaded, seenAt: modified };
}

/** The newest file of a folder or, if every file is to be loaded, the first one after the file that was loaded last. */
function fileOf(
  { folder: sourcesFolder, file }: ConfiguredSource,
  { allowPrivate }: IngestCommandOptions,
  { known, version }: FeedContext,
): SourceFeed {
  const folder = path.resolve(sourcesFolder, file.folder ?? '.');
  const pattern = file.files ?? '*';
  const files = filesIn(folder, pattern);
  const isEach = file.every_file === true;
  const next = isEach ? files.find((one) => known === null || isAfter(one, known)) : undefined;
  const chosen = next ?? files.at(-1);
  if (chosen === undefined) throw new CommandError(`${folder} has no file with a name like ${pattern}.`);
  const { name, size, written } = chosen;
  // A run may load several files of changes. Their data was seen when each file was written, possibly days before.
  const seenAt = () => (isEach ? new Date(written) : null);
  const loaded = { feed: `${name} ${size}`, etag: null, last_modified: written, options: version };
  const input = { ...inputOf(path.join(folder, name), NO_INPUT, { allowPrivate }), name, observedAt: seenAt };
  const isSame = known?.feed === loaded.feed && known.last_modified === loaded.last_modified;
  const isKnown = isEach ? next === undefined : isSame;
  const hasMore = next !== undefined && next !== files.at(-1);
  return { input, isKnown, hasMore, secrets: [], version: () => loaded, seenAt };
}

interface FeedFile {
  name: string;
  size: number;
  /** When the file was written, ISO 8601 in UTC, with milliseconds. */
  written: string;
}

/** Whether a file is later than the loaded one, in the order of `filesIn`, or was written again. */
function isAfter({ name, written }: FeedFile, { feed, last_modified }: LoadedVersion): boolean {
  const loaded = last_modified ?? '';
  return written === loaded ? name > feed.slice(0, feed.lastIndexOf(' ')) : written > loaded;
}

/** Returns the feeds of a folder in the order in which they were written; of several, in the order of their names. */
function filesIn(folder: string, pattern: string): FeedFile[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw fileError(folder, error);
  }
  const matches = matcherOf(pattern);
  const files = names.sort().flatMap((name) => {
    // A hidden or partial file is one that is being written.
    if (!matches(name) || name.startsWith('.') || /\.(?:part|partial|tmp)$|\.rejected\.ndjson$/i.test(name))
      return [];
    const stats = statSync(path.join(folder, name), { throwIfNoEntry: false });
    return stats?.isFile() === true ? [{ name, size: stats.size, written: stats.mtime.toISOString() }] : [];
  });
  return files.sort((a, b) => (a.written < b.written ? -1 : a.written > b.written ? 1 : 0));
}

/** Matches names with a pattern in which * stands for any text. It takes linear time for each *. */
function matcherOf(pattern: string): (name: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  return (name) => {
    if (last === undefined) return name === first;
    if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
      return false;
    let at = first.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= name.length - last.length;
  };
}
