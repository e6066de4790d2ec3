import { accessSync, constants, createReadStream, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { isPublicAddress, anyAddress } from '../../src/platform/outbound.js';
import type { FeedSource, OpenFeed } from '../../src/usecases/ingest/feed-source.js';
import { CommandError } from '../shared/exit.js';
import { fileError, fromCaller } from '../shared/terminal.js';
import { type FeedVersion, fetchFeed, isRemote, remoteFile, publicUrl, timeOf } from './remote.js';
import { Spool } from './spool.js';

export interface Input extends FeedSource {
  name: string;
  rejectsPath: string;
  /** Returns when the feed was last modified; null if it is unknown, such as that of a remote feed before its response. */
  modified: () => Date | null;
  /** The number of bytes that were read since the feed was last opened. */
  bytes: () => number;
}

/** Which version of a remote feed was loaded last, and where the version of this load is noted. */
export interface FeedVersions {
  of(address: string): FeedVersion | null;
  loaded(address: string, version: FeedVersion): void;
}

interface InputOptions {
  rejects?: string | undefined;
  allowPrivate: boolean;
  /** The versions of remote feeds that were loaded last; undefined: every feed is fetched. */
  versions?: FeedVersions;
  now?: () => Date;
  /** Request headers with credentials, and what messages call a feed whose URL contains a secret. */
  headers?: Readonly<Record<string, string>>;
  shownAs?: string;
}

export function inputOf(name: string, stdin: Readable, options: InputOptions): Input {
  const input = unmeasured(name, stdin, options);
  const spool = input.size === null ? new Spool(input.open) : null;
  let last: OpenFeed | null = null;
  return {
    ...input,
    bytes: () => last?.position() ?? 0,
    open: () => (last = spool?.open() ?? input.open()),
    release: () => spool?.release(),
  };
}

function unmeasured(name: string, stdin: Readable, options: InputOptions): Omit<Input, 'bytes' | 'release'> {
  const { rejects } = options;
  if (name === '-') {
    return {
      name: 'standard input',
      rejectsPath: path.join(fromCaller(rejects ?? '.'), 'stdin.rejected.ndjson'),
      size: null,
      modified: () => null,
      observedAt: () => null,
      open: () => opened(stdin),
    };
  }
  if (isRemote(name)) return remoteInput(name, options);
  const file = fromCaller(name);
  const stats = readableStats(file, name);
  const folder = rejects === undefined ? path.dirname(file) : fromCaller(rejects);
  return {
    name,
    rejectsPath: path.join(folder, `${path.basename(file)}.rejected.ndjson`),
    size: stats.isFile() ? stats.size : null,
    modified: () => (stats.isFile() ? stats.mtime : null),
    observedAt: () => null,
    open: () => opened(createReadStream(file)),
  };
}

function remoteInput(name: string, options: InputOptions): Omit<Input, 'bytes' | 'release'> {
  if (!URL.canParse(name)) throw new CommandError(`${name} is not a URL.`);
  const { rejects = '.', allowPrivate, versions, now = () => new Date(), headers = {} } = options;
  const shownAs = options.shownAs ?? publicUrl(name);
  let lastModified: Date | null = null;
  let charset: string | null = null;
  const onCharset = (stated: string | null) => {
    charset = stated;
  };
  return {
    name: shownAs,
    rejectsPath: path.join(fromCaller(rejects), `${remoteFile(name)}.rejected.ndjson`),
    size: null,
    modified: () => lastModified,
    observedAt: () => lastModified,
    open: () => {
      const end = new AbortController();
      const accepts = allowPrivate ? anyAddress : isPublicAddress;
      const onVersion = (version: FeedVersion) => {
        lastModified = timeOf(version, now());
        versions?.loaded(name, version);
      };
      const known = versions?.of(name) ?? null;
      const input = opened(
        Readable.from(
          fetchFeed(name, end.signal, { accepts, known, onVersion, onCharset, headers, shownAs }),
        ),
      );
      return { ...input, charset: () => charset, close: () => end.abort() };
    },
  };
}

/** Throws a CommandError if a file of rejected records would be written twice or overwrite a feed. */
export function checkDistinct(inputs: readonly Input[], files: readonly string[]): void {
  const paths = inputs.map(({ rejectsPath }) => rejectsPath);
  const repeated = paths.find((one, i) => paths.indexOf(one) !== i);
  const feeds = files.filter((file) => !isRemote(file)).map(fromCaller);
  const overwritten = paths.find((one) => feeds.includes(one));
  if (repeated !== undefined)
    throw new CommandError(`Two feeds would write their rejected records to ${repeated}.`);
  if (overwritten !== undefined)
    throw new CommandError(`The rejected records of another feed would overwrite ${overwritten}.`);
}

function readableStats(file: string, name: string): Stats {
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new CommandError(`${name} is a directory; name the feed files in it.`);
    accessSync(file, constants.R_OK);
    return stats;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw fileError(name, error);
  }
}

function opened(stream: Readable): OpenFeed {
  let position = 0;
  async function* counted() {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      position += chunk.length;
      yield chunk;
    }
  }
  return { chunks: counted(), position: () => position, close: () => void stream.destroy() };
}
