import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { type Client, type estypes } from '@elastic/elasticsearch';
import { rejectionReasons, rejectionStatus, rejectionType } from '../../engine/errors.js';
import { OperationError } from '../../platform/operation-errors.js';
import { formatCount } from '../../text/quantities.js';

/** Where backups are: a snapshot repository, and the folder with the copies of Redis; null: it is unknown. */
export interface Place {
  repository: string;
  redisFolder: string | null;
}

const NAME = 'backups';
const FOLDERS = { elasticsearch: 'elasticsearch', redis: 'redis' };

/** Whether a text names a folder rather than a repository, whose name contains no slash. */
export const isFolder = (text: string): boolean => text.includes('/') || text.startsWith('.');

/**
 * Finds the repository with a name, or registers the one in a folder, unless it is registered.
 * @param options.place the name of a repository, or an absolute path.
 * @param options.redisFolder the folder with the copies of Redis, if it is not beside the repository.
 * @throws OperationError that says what to do if Elasticsearch cannot use the folder.
 */
export async function placeOf(
  es: Client,
  { place, redisFolder }: { place: string; redisFolder: string | undefined },
): Promise<Place> {
  const name = isFolder(place) ? NAME : place;
  const found = await es.snapshot.getRepository({ name }, { ignore: [404] });
  const { [name]: existing } = found as Partial<typeof found>;
  if (!isFolder(place)) return { repository: name, redisFolder: redisFolder ?? besides(existing) };
  const location = path.join(place, FOLDERS.elasticsearch);
  const beside = redisFolder ?? path.join(place, FOLDERS.redis);
  const current = locationOf(existing);
  if (existing === undefined) await register(es, place, location);
  else if (current !== location && current !== place)
    throw new OperationError(
      `The repository ${NAME} exists already, ${current === null ? `of the type ${existing.type}` : `in ${current}`}. Name it instead of ${place}, or remove it from Elasticsearch (DELETE /_snapshot/${NAME}), which keeps its files.`,
    );
  return { repository: NAME, redisFolder: beside };
}

async function register(es: Client, place: string, location: string): Promise<void> {
  try {
    await es.snapshot.createRepository({ name: NAME, repository: { type: 'fs', settings: { location } } });
  } catch (error) {
    const reasons = rejectionReasons(error);
    if (reasons.length === 0 || rejectionStatus(error) === 403) throw error;
    // An unverified repository stays registered.
    await es.snapshot.deleteRepository({ name: NAME }, { ignore: [404] });
    const isForbidden = reasons.some((reason) => reason.includes('path.repo'));
    throw new OperationError(
      isForbidden
        ? `Elasticsearch may not use ${location}, because its setting path.repo does not allow it. Add path.repo: ["${place}"] to the elasticsearch.yml of every node, restart the nodes one after another, and run this again.`
        : `Elasticsearch cannot write to ${location} (${reasons.at(-1)}). The folder must exist on every node, as the same shared file system if there are several, and belong to the user of Elasticsearch.`,
      { cause: error },
    );
  }
}

/** Checks that every node can use a repository. @throws OperationError if one cannot. */
export async function verifyRepository(es: Client, repository: string): Promise<void> {
  try {
    await es.snapshot.verifyRepository({ name: repository });
  } catch (error) {
    if (rejectionType(error) === 'repository_missing_exception')
      throw new OperationError(
        `There is no repository ${repository}: GET /_snapshot lists them. Name a folder, such as ./${repository}, and npm run backup registers one.`,
        { cause: error },
      );
    const reasons = rejectionReasons(error);
    if (reasons.length === 0 || rejectionStatus(error) === 403) throw error;
    throw new OperationError(`Not every node can use the repository ${repository}: ${reasons.join(': ')}`, {
      cause: error,
    });
  }
}

const locationOf = (repository: estypes.SnapshotRepository | undefined): string | null =>
  repository?.type === 'fs' && path.isAbsolute(repository.settings.location)
    ? path.normalize(repository.settings.location)
    : null;

function besides(repository: estypes.SnapshotRepository | undefined): string | null {
  const location = locationOf(repository);
  if (location === null) return null;
  const folder = path.basename(location) === FOLDERS.elasticsearch ? path.dirname(location) : location;
  return path.join(folder, FOLDERS.redis);
}

/** What `index-N`, the list of the snapshots of a repository, says about its files. */
interface FileList {
  snapshots: { name: string; uuid: string; index_metadata_lookup: Record<string, string> }[];
  indices: Record<string, { id: string; snapshots: string[]; shard_generations: string[] }>;
  index_metadata_identifiers: Record<string, string>;
}

const OF_REPOSITORY = /^(index-\d+|index\.latest|(snap|meta)-.+\.dat|indices)$/;

/** The errors with which Node.js cannot read a folder because it is on another machine or belongs to another user. */
const UNREACHABLE = ['ENOENT', 'ENOTDIR', 'EACCES'];

/** The files end with a Lucene footer: this magic number, four bytes, and the CRC-32 of everything before it in eight bytes. */
const FOOTER = { magic: 0xc02893e8, bytes: 16, checksumBytes: 8 };

/**
 * Checks the files that describe a snapshot and its repository. Elasticsearch does not need all of them to restore the snapshot,
 * but to take later ones. It checks the content of shards itself while it restores them.
 */
export async function checkFiles(es: Client, repository: string, snapshot: string): Promise<string> {
  const { [repository]: registered } = await es.snapshot.getRepository({ name: repository });
  const folder = locationOf(registered);
  if (folder === null) return `not checked: ${repository} is not in a folder`;
  try {
    const names = await readdir(folder);
    if (!names.some((name) => OF_REPOSITORY.test(name)))
      return `not checked: ${folder} on this machine is not the folder of Elasticsearch`;
    const { checked, faults } = await check(folder, snapshot, newestList(names));
    if (faults.length === 0) return `${formatCount(checked)} checked in ${folder}`;
    const more = faults.length > 2 ? `; and ${formatCount(faults.length - 2)} more` : '';
    throw new OperationError(
      `The repository in ${folder} is damaged: ${faults.slice(0, 2).join('; ')}${more}.`,
    );
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!UNREACHABLE.includes(code)) throw error;
    return `not checked: ${message}`;
  }
}

function newestList(names: readonly string[]): string | null {
  const numbers = names.flatMap((name) => /^index-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  return numbers.length === 0 ? null : `index-${Math.max(...numbers)}`;
}

async function check(folder: string, snapshot: string, list: string | null) {
  if (list === null) return { checked: 1, faults: ['index-N, the list of snapshots, is missing'] };
  const files = filesOf(snapshot, await readFile(path.join(folder, list)));
  if (files === null) return { checked: 1, faults: [`${list} is damaged, or does not list ${snapshot}`] };
  const faults: string[] = [];
  const pointer = await contentOf(folder, 'index.latest');
  if (pointer?.length !== 8 || `index-${pointer.readBigInt64BE()}` !== list)
    faults.push(`index.latest ${pointer === null ? 'is missing' : `does not name ${list}`}`);
  for (const file of files) {
    const content = await contentOf(folder, file);
    if (content === null) faults.push(`${file} is missing`);
    else if (!isIntact(content)) faults.push(`${file} is damaged`);
  }
  return { checked: files.length + 2, faults };
}

/** The files that describe a snapshot; null: the list of snapshots does not name them. */
function filesOf(snapshot: string, list: Buffer): string[] | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(list);
    const { snapshots, indices, index_metadata_identifiers: metadata } = JSON.parse(text) as FileList;
    const taken = snapshots.find(({ name }) => name === snapshot);
    if (taken === undefined) return null;
    const { uuid, index_metadata_lookup: lookup } = taken;
    const contained = Object.values(indices).filter((index) => index.snapshots.includes(uuid));
    return [
      `snap-${uuid}.dat`,
      `meta-${uuid}.dat`,
      ...contained.flatMap(({ id, shard_generations: generations }) => [
        `indices/${id}/meta-${metadata[lookup[id] ?? '']}.dat`,
        ...generations.map((generation, shard) => `indices/${id}/${shard}/index-${generation}`),
      ]),
    ];
  } catch {
    return null;
  }
}

const contentOf = (folder: string, file: string): Promise<Buffer | null> =>
  readFile(path.join(folder, file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

function isIntact(content: Buffer): boolean {
  const { magic, bytes, checksumBytes } = FOOTER;
  if (content.length < bytes || content.readUInt32BE(content.length - bytes) !== magic) return false;
  const checked = content.subarray(0, -checksumBytes);
  return content.readBigUInt64BE(checked.length) === BigInt(crc32(checked));
}
