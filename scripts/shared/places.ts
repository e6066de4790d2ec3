import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, lchownSync, mkdirSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const APP = 'product-catalogue';

/** The folder of this checkout. */
export const projectRoot = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

export const isRoot = process.getuid?.() === 0;

export interface User {
  name: string;
  uid: number;
  gid: number;
}

/** Whom root starts Elasticsearch as, since it refuses to run as root. */
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

/** Whether every user may enter the folder: only the last permission bit of each folder on the way counts. */
export function isOpenToAll(folder: string): boolean {
  const open = (statSync(folder).mode & 0o001) !== 0;
  return open && (folder === dirname(folder) || isOpenToAll(dirname(folder)));
}

/** Where downloads are unpacked. Root's is where the unprivileged user may enter. */
export function cacheRoot(): string {
  if (isRoot) return join('/var/cache', APP);
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), APP);
}

/** Tells this checkout from every other one on the machine. */
export const checkoutKey = createHash('sha256').update(projectRoot).digest('hex').slice(0, 8);

/** Where the demo's data stays from one run to the next; of its own for each checkout. */
export function demoDataRoot(): string {
  const data = isRoot ? '/var/lib' : (process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'));
  return join(data, APP, `${basename(projectRoot)}-${checkoutKey}`);
}

/** A new temporary folder; root's TMPDIR may be closed to the unprivileged user, /tmp is not. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), `${APP}-${name}-`));
}

/** Makes a folder and all that is in it the user's own. */
export function giveTo(user: User, folder: string): void {
  mkdirSync(folder, { recursive: true });
  chownSync(folder, user.uid, user.gid);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveTo(user, path);
    else lchownSync(path, user.uid, user.gid);
  }
}
