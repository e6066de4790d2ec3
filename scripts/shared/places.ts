import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const APP = 'product-catalogue';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

export const isRoot = process.getuid?.() === 0;

export interface User {
  name: string;
  uid: number;
  gid: number;
}

/** Returns the user as whom Elasticsearch is started by root, because it refuses to run as root. */
export function unprivilegedUser(): User | undefined {
  if (!isRoot) return undefined;
  for (const name of ['elasticsearch', 'nobody']) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { name, uid: id('-u'), gid: id('-g') };
    } catch {
      continue;
    }
  }
  throw new Error(
    'Elasticsearch does not run as root, and there is no user "elasticsearch" or "nobody" to run it as.',
  );
}

/** Returns whether all users may enter a folder and its parents. */
export function isOpenToAll(folder: string): boolean {
  const open = (statSync(folder).mode & 0o001) !== 0;
  return open && (folder === dirname(folder) || isOpenToAll(dirname(folder)));
}

/** Returns the folder for downloads. For root, it is one that the unprivileged user may enter. */
export function cacheRoot(): string {
  if (isRoot) return join('/var/cache', APP);
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), APP);
}

/** A hash that distinguishes this checkout from others on the same machine. */
export const checkoutKey = createHash('sha256').update(projectRoot).digest('hex').slice(0, 8);

/** Returns the folder in which the data of the demo is kept between runs. Each checkout has its own. */
export function demoDataRoot(): string {
  const data = isRoot ? '/var/lib' : (process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'));
  return join(data, APP, `${basename(projectRoot)}-${checkoutKey}`);
}

/** Creates a temporary folder. For root, it is in /tmp, which the unprivileged user may enter. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), `${APP}-${name}-`));
}

/** The file system in memory that Linux provides, and the number of free bytes from which it is used. */
const MEMORY = '/dev/shm';
const MEMORY_BYTES = 2 ** 31;

/** Creates a temporary folder in memory. Without enough free memory for it, the folder is on disk. */
export function memoryFolder(name: string): string {
  if (!existsSync(MEMORY)) return temporaryFolder(name);
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < MEMORY_BYTES ? temporaryFolder(name) : mkdtempSync(join(MEMORY, `${APP}-${name}-`));
}

export function giveTo(user: User, folder: string): void {
  mkdirSync(folder, { recursive: true });
  chownSync(folder, user.uid, user.gid);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveTo(user, path);
    else lchownSync(path, user.uid, user.gid);
  }
}
