/**
 * node tools/built.mjs: brings `dist` up to date before `npm start`. Without development packages, an existing build is used as
 * it is.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from './local-services/packages.mjs';

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
