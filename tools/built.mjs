/**
 * node tools/built.mjs: makes sure that `dist` is what the sources say, for `npm start`. Where the packages of
 * development are not installed, a tree that was built before is taken as it is, and one that was not is built after all.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from './services/packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const canBuild = existsSync(join(root, 'node_modules', 'typescript'));

if (canBuild || !existsSync(join(root, 'dist', 'src', 'main.js'))) {
  try {
    if (!canBuild) await ensurePackages(root, (line) => process.stderr.write(`${line}\n`));
    const { status, error } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
    if (error) throw error;
    process.exitCode = status ?? 1;
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
