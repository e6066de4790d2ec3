import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../local-services/lock.mjs';
import { cacheRoot } from '../../scripts/shared/places.js';
import { CommandError } from '../../scripts/shared/exit.js';

export const CLIENT_GENERATOR = 'openapi-python-client==0.29.1';

/** The Python packages of the fuzz test: one sends generated requests, the other generates a client of the API. */
export const FUZZING = ['schemathesis==4.32.5', CLIENT_GENERATOR];
const NEEDED =
  'Python 3.11 or newer with venv is needed (Debian, Ubuntu: apt-get install python3 python3-venv)';

/** Creates a Python virtual environment in the cache folder, and returns the folder of its programs. */
export async function providePython(
  packages: readonly string[],
  log: (line: string) => void,
): Promise<string> {
  const folder = join(cacheRoot(), packages.join('-').replaceAll('==', '-'));
  const complete = join(folder, 'complete');
  const programs = join(folder, 'bin');
  if (existsSync(complete)) return programs;
  mkdirSync(dirname(folder), { recursive: true });
  return withLock(
    `${folder}.lock`,
    async () => {
      if (existsSync(complete)) return programs;
      await checkPython();
      log(`Installing ${packages.join(', ')} into ${folder}`);
      rmSync(folder, { recursive: true, force: true });
      await run('python3', ['-m', 'venv', folder], NEEDED);
      await run(
        join(folder, 'bin', 'python'),
        ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages],
        `${packages.join(', ')} could not be installed`,
      );
      writeFileSync(complete, '');
      return programs;
    },
    () => {
      log('Waiting for another process that installs it');
    },
  );
}

async function checkPython(): Promise<void> {
  const version = 'import sys; print("%d.%d" % sys.version_info[:2])';
  const found = await promisify(execFile)('python3', ['-c', version]).catch(() => null);
  const [major = 0, minor = 0] = found?.stdout.trim().split('.').map(Number) ?? [];
  if (major < 3 || (major === 3 && minor < 11)) {
    throw new CommandError(
      `${NEEDED}; ${found === null ? 'there is no python3' : `python3 is ${found.stdout.trim()}`}.`,
    );
  }
}

async function run(command: string, args: string[], otherwise: string): Promise<void> {
  // The standard output of the command is for results only, so pip's output goes to standard error.
  const child = spawn(command, args, { stdio: ['ignore', process.stderr, 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new CommandError(`${otherwise}.`);
}
