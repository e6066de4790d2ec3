import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { Client } from '@elastic/elasticsearch';
import { OperationError } from '../../platform/operation-errors.js';
import { formatCount } from '../../text/quantities.js';
import { locationOf } from './repository.js';

/** What `index-N`, the list of the snapshots of a repository, says about its files. */
interface FileList {
  snapshots: { name: string; uuid: string; index_metadata_lookup: Record<string, string> }[];
  indices: Record<string, { id: string; snapshots: string[]; shard_generations: string[] }>;
  index_metadata_identifiers: Record<string, string>;
}

/** The names at the top of a repository. */
const OF_REPOSITORY = /^(index-\d+|index\.latest|(snap|meta)-.+\.dat|indices)$/;

/** Errors of a folder that is on other machines, or belongs to another user. */
const UNREACHABLE = ['ENOENT', 'ENOTDIR', 'EACCES'];

/** Files end with the footer of Lucene: this number, four bytes, and the CRC-32 of everything before it in eight bytes. */
const FOOTER = { magic: 0xc02893e8, bytes: 16, checksumBytes: 8 };

/**
 * Checks the files that describe a snapshot and its repository, without the content of shards, which Elasticsearch checks as it
 * restores it. A restore is complete without some of these files, but later backups need them.
 * @returns a line for the operator, which says why the files are not checked if they are not in a folder of this machine.
 * @throws OperationError that names the files that are missing or damaged.
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

/** The name of the newest list of snapshots; null: there is none. */
function newestList(names: readonly string[]): string | null {
  const numbers = names.flatMap((name) => /^index-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  return numbers.length === 0 ? null : `index-${Math.max(...numbers)}`;
}

/** Checks the files of a snapshot. @returns how many there should be, and what is wrong with them. */
async function check(
  folder: string,
  snapshot: string,
  list: string | null,
): Promise<{ checked: number; faults: string[] }> {
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

/** The content of a file; null: it is missing. */
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
