import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '@elastic/elasticsearch';
import { type Fate, FOLDERS, SPACES, storedIndices } from '../../src/platform/stored.js';
import type { CopyFolder, RedisStore } from '../../src/usecases/backups/redis-copy.js';
import { isFolder, placeOf } from '../../src/usecases/backups/repository.js';
import { CommandError, UsageError } from './exit.js';
import { flag, preset, text } from './options.js';
import { fromCaller } from './terminal.js';
import { useKeys } from './use-keys.js';

const EXTENSION = '.ndjson';

export const REDIS_OPTIONS = {
  redis: text(
    'DIR',
    'the folder with the copies of Redis; by default the folder redis beside the repository',
  ),
  withoutRedis: flag('leave Redis out'),
};

export const SNAPSHOT_OPTIONS = {
  repository: preset(
    text('DIR|NAME', 'the folder that npm run backup was given, or the name of the snapshot repository'),
    'backups',
  ),
  snapshot: preset(text('NAME', 'the snapshot; latest is the newest complete one'), 'latest'),
  ...REDIS_OPTIONS,
};

/** How the help describes what happens to each kind of stored data: the heading of its list, and the label of its last column. */
const FATES: [Fate, title: string, label: string][] = [
  ['backed up', 'A backup contains, as <prefix>-NAME in Elasticsearch or <prefix>:NAME in Redis:', 'Loss'],
  ['rebuilt', 'It does not contain what is rebuilt:', 'Loss'],
  ['expires', 'Neither does it contain what expires:', 'Ends'],
];

/** All data that the service stores, for help texts: what it is, and what its loss means. */
export function storedHelp(): string {
  const entries = [
    ...storedIndices.map(([kind, entry]) => ({
      ...entry,
      names: entry.form === undefined ? kind : `${kind}*`,
    })),
    ...Object.values(SPACES).map((entry) => ({ ...entry, names: entry.spaces.join(', ') })),
    ...Object.entries(FOLDERS).map(([names, entry]) => ({ ...entry, names })),
  ];
  return FATES.map(([fate, title, label]) =>
    [
      title,
      ...entries
        .filter((entry) => entry.fate === fate)
        .map(({ names, holds, loss }) => `  ${names}: ${holds}\n    ${label}: ${loss}`),
    ].join('\n'),
  ).join('\n\n');
}

interface Given {
  redis: string | undefined;
  withoutRedis: boolean;
}

/** Finds or registers the repository of a folder or name, and the folder for copies of Redis; null: Redis is left out. */
export async function findBackups(
  es: Client,
  place: string,
  { redis, withoutRedis }: Given,
): Promise<{ repository: string; folder: CopyFolder | null }> {
  if (withoutRedis && redis !== undefined)
    throw new UsageError('--redis has no meaning with --without-redis.');
  const { repository, redisFolder } = await placeOf(es, {
    place: isFolder(place) ? path.resolve(fromCaller(place)) : place,
    redisFolder: redis === undefined ? undefined : path.resolve(fromCaller(redis)),
  });
  return { repository, folder: withoutRedis || redisFolder === null ? null : copiesIn(redisFolder) };
}

/** Runs work with the Redis of the environment. */
export const withRedis = <T>(env: NodeJS.ProcessEnv, work: (store: RedisStore) => Promise<T>): Promise<T> =>
  useKeys(env, (keys, redis) => work({ keys, redis }));

/** The copies of Redis in a folder that only its owner can enter. */
function copiesIn(folder: string): CopyFolder {
  const fileOf = (snapshot: string) => path.join(folder, `${snapshot}${EXTENSION}`);
  return {
    path: folder,
    read: (snapshot) => readFile(fileOf(snapshot), 'utf8').catch(unlessMissing(folder, null)),
    async write(snapshot, content) {
      const file = fileOf(snapshot);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(`${file}.partial`, content, { mode: 0o600, flush: true });
        await rename(`${file}.partial`, file);
      } catch (error) {
        throw new CommandError(`${folder} cannot be written: ${(error as Error).message}`, { cause: error });
      }
    },
    async list() {
      const names = await readdir(folder).catch(unlessMissing<string[]>(folder, []));
      const copies = names.filter((name) => name.endsWith(EXTENSION));
      return Promise.all(
        copies.map(async (name) => ({
          snapshot: name.slice(0, -EXTENSION.length),
          writtenAt: (await stat(path.join(folder, name))).mtimeMs,
        })),
      );
    },
    remove: (snapshot) => rm(fileOf(snapshot), { force: true }),
  };
}

const unlessMissing =
  <T>(folder: string, instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return instead;
    throw new CommandError(`${folder} cannot be read: ${error.message}`, { cause: error });
  };
