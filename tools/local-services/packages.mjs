import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withLock } from './lock.mjs';

/**
 * Compares the lock file with the one that npm writes into node_modules at the end of an installation.
 * Optional packages are ignored: those for other platforms are never installed.
 */
export function areCurrent(wanted, installed) {
  if (!installed) return false;
  const required = Object.entries(wanted.packages).filter(([path, entry]) => path !== '' && !entry.optional);
  return (
    required.every(([path, { version }]) => installed.packages[path]?.version === version) &&
    Object.keys(installed.packages).every((path) => path in wanted.packages)
  );
}

function readLock(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

function installedAreCurrent(root) {
  return areCurrent(
    readLock(join(root, 'package-lock.json')),
    readLock(join(root, 'node_modules', '.package-lock.json')),
  );
}

/** Installs the packages of package-lock.json if they are missing or have other versions. */
export async function ensurePackages(root, log) {
  if (installedAreCurrent(root)) return;
  await withLock(
    join(root, '.demo', 'install.lock'),
    () => {
      if (installedAreCurrent(root)) return;
      log('Installing packages (npm ci) ...');
      const runner = process.env.npm_execpath ?? '';
      const npm = basename(runner) === 'npm-cli.js' ? [process.execPath, runner] : ['npm'];
      const [command, ...args] = [...npm, 'ci', '--include=dev', '--no-progress', '--loglevel=error'];
      const { status, error, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
      if (status === 0) return;
      const output = error?.message ?? `${stdout}${stderr}`.trim();
      throw new Error(
        `npm ci failed, so the packages are not installed:\n${output}\nFix the problem, or run npm ci yourself.`,
      );
    },
    () => log('Waiting for another command that installs the packages ...'),
  );
}
