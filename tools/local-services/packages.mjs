import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withLock } from './lock.mjs';

/** Compares the lock file with that of node_modules, without optional packages: those for other platforms are never installed. */
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

const PROGRESS_MS = 5_000;

function installed(root) {
  const folder = join(root, 'node_modules');
  if (!existsSync(folder)) return 0;
  return readdirSync(folder).reduce(
    (sum, name) =>
      name.startsWith('@')
        ? sum + readdirSync(join(folder, name)).length
        : sum + (name.startsWith('.') ? 0 : 1),
    0,
  );
}

/** Runs npm ci and reports every few seconds how far it is. @returns its exit code and its output. */
async function install(root, log) {
  const runner = process.env.npm_execpath ?? '';
  const npm = basename(runner) === 'npm-cli.js' ? [process.execPath, runner] : ['npm'];
  const [command, ...args] = [...npm, 'ci', '--include=dev', '--no-progress', '--loglevel=error'];
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const began = Date.now();
  const timer = setInterval(
    () => log(`  ${installed(root)} packages after ${Math.round((Date.now() - began) / 1_000)} s`),
    PROGRESS_MS,
  );
  try {
    const [code] = await once(child, 'close');
    return { code, output: output.trim() };
  } catch (error) {
    return { code: null, output: error.message };
  } finally {
    clearInterval(timer);
  }
}

/** Installs the packages of package-lock.json if they are missing or have other versions. */
export async function ensurePackages(root, log) {
  if (installedAreCurrent(root)) return;
  await withLock(
    join(root, '.demo', 'install.lock'),
    async () => {
      if (installedAreCurrent(root)) return;
      log('Installing packages (npm ci), which takes up to a minute ...');
      const { code, output } = await install(root, log);
      if (code === 0) return;
      throw new Error(
        `npm ci failed, so the packages are not installed:\n${output}\nFix the problem, or run npm ci yourself.`,
      );
    },
    () => log('Waiting for another command that installs the packages ...'),
  );
}
