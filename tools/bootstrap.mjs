/**
 * node tools/bootstrap.mjs [--watch] FILE.ts [ARGUMENT...]: runs a file even in a fresh clone; without development packages,
 * its build.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureExplorer } from './explorer.mjs';
import { ensurePackages } from './local-services/packages.mjs';

const PARENT_POLL_MS = 500;

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function checkNode() {
  const { engines } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'));
  const needed = engines.node.match(/\d+/g).map(Number);
  const present = process.versions.node.split('.').map(Number);
  const differs = needed.findIndex((part, i) => part !== present[i]);
  if (differs >= 0 && present[differs] < needed[differs]) {
    throw new Error(`Node.js ${needed.join('.')} or newer is needed; this is ${process.versions.node}.`);
  }
}

/** Ends this process when npm is killed, which leaves its script running. Without npm, it may outlive its parent (nohup). */
function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_POLL_MS).unref();
}

/** Runs the file with `node --watch`, which requires a supervising process of its own. */
function watch(file, args) {
  const child = spawn(process.execPath, ['--import', 'tsx', '--watch', file, ...args], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + constants.signals[signal] : code;
  });
}

async function main() {
  const watching = process.argv[2] === '--watch';
  const [file, ...args] = process.argv.slice(watching ? 3 : 2);
  if (!file) throw new Error('usage: node tools/bootstrap.mjs [--watch] FILE.ts [ARGUMENT...]');
  checkNode();
  const built = resolve(root, 'dist', relative(root, resolve(file)).replace(/\.ts$/, '.js'));
  if (!watching && !existsSync(resolve(root, 'node_modules', 'tsx')) && existsSync(built)) {
    endWithNpm();
    process.argv.splice(1, process.argv.length, built, ...args);
    return () => import(pathToFileURL(built).href);
  }
  await ensurePackages(root, (line) => process.stderr.write(`${line}\n`));
  await ensureExplorer();
  endWithNpm();
  const path = resolve(file);
  if (watching) return watch(path, args);
  process.argv.splice(1, process.argv.length, path, ...args);
  await import('tsx');
  return () => import(pathToFileURL(path).href);
}

let run;
try {
  run = await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
// Runs the file outside of the try block, so that its errors keep their stack traces.
await run?.().catch((error) => {
  if (error?.name !== 'ShippedFileError') throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
