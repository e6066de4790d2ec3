import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { timeOf } from '../loading/remote.js';
import { type FeedVersions, type Input, inputOf } from '../loading/input.js';
import { publicUrl } from '../loading/remote.js';
import type { SourceState } from '../../src/usecases/shared/source-states.js';
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
  /** Whether the feed is a file that was loaded already. A remote feed tells it when it is fetched. */
  isKnown: boolean;
  /** Secrets that no message may contain. */
  secrets: string[];
  /** The version of the feed, once it was read. */
  version(): LoadedVersion | null;
  /** When the data of the feed was seen, once it was read: its `Last-Modified`; null: at the time of the run. */
  seenAt(): Date | null;
}

/**
 * Opens the feed of a source.
 * @param known the version that was loaded last with the same options.
 * @throws CommandError if there is no feed, or if a credential is missing.
 */
export function feedOf(
  source: ConfiguredSource,
  options: IngestCommandOptions,
  {
    known,
    version,
    env,
    now,
  }: { known: LoadedVersion | null; version: string; env: NodeJS.ProcessEnv; now: () => Date },
): SourceFeed {
  return source.file.url === undefined
    ? newestFile(source, options, { known, version })
    : remoteFeed(source, options, { known, version, env, now });
}

function remoteFeed(
  { file }: ConfiguredSource,
  { allowPrivate }: IngestCommandOptions,
  {
    known,
    version,
    env,
    now,
  }: { known: LoadedVersion | null; version: string; env: NodeJS.ProcessEnv; now: () => Date },
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
  return { input, isKnown: false, secrets, version: () => loaded, seenAt: modified };
}

function newestFile(
  { folder: sourcesFolder, file }: ConfiguredSource,
  { allowPrivate }: IngestCommandOptions,
  { known, version }: { known: LoadedVersion | null; version: string },
): SourceFeed {
  const folder = path.resolve(sourcesFolder, file.folder ?? '.');
  const name = newestIn(folder, file.files ?? '*');
  const whole = path.join(folder, name);
  const { size, mtime } = statSync(whole);
  const loaded = {
    feed: `${name} ${size}`,
    etag: null,
    last_modified: mtime.toISOString(),
    options: version,
  };
  const input = { ...inputOf(whole, NO_INPUT, { allowPrivate }), name };
  const isKnown = known?.feed === loaded.feed && known.last_modified === loaded.last_modified;
  return { input, isKnown, secrets: [], version: () => loaded, seenAt: () => null };
}

/** Returns the name of the file that was modified last; of several, the last name. */
function newestIn(folder: string, pattern: string): string {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw fileError(folder, error);
  }
  const matches = matcherOf(pattern);
  let newest: { name: string; ms: number } | null = null;
  for (const name of names.sort()) {
    // A hidden or partial file is one that is being written.
    if (!matches(name) || name.startsWith('.') || /\.(?:part|partial|tmp)$|\.rejected\.ndjson$/i.test(name))
      continue;
    const stats = statSync(path.join(folder, name), { throwIfNoEntry: false });
    if (stats?.isFile() !== true) continue;
    if (newest === null || stats.mtimeMs >= newest.ms) newest = { name, ms: stats.mtimeMs };
  }
  if (newest === null) throw new CommandError(`${folder} has no file with a name like ${pattern}.`);
  return newest.name;
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
