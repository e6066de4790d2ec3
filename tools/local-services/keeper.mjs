/** node keeper.mjs SPEC: starts a child process that ends with the parent of this one, even by SIGKILL. SPEC is JSON of `KeptSpec`. */
import { spawn } from 'node:child_process';
import { openSync, rmSync } from 'node:fs';

const spec = JSON.parse(process.argv[2]);
let child;
let exited = false;
let stopping = false;

function report(message) {
  if (process.connected) process.send(message, () => {});
}

function killGroup() {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function finish() {
  if (child?.pid) killGroup();
  for (const path of spec.removeAfter) rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  process.exit();
}

function stop() {
  if (stopping) return;
  stopping = true;
  if (exited || !child?.pid) return finish();
  child.once('exit', finish);
  child.kill('SIGTERM');
  setTimeout(killGroup, spec.graceMs);
}

process.on('disconnect', stop);
process.on('SIGTERM', stop);
process.on('SIGINT', () => {});
process.on('SIGHUP', () => {});

const log = openSync(spec.log, 'a');
child = spawn(spec.command, spec.args, {
  cwd: spec.cwd,
  env: { ...process.env, ...spec.env },
  uid: spec.uid,
  gid: spec.gid,
  detached: true,
  stdio: ['ignore', log, log],
});
child.on('spawn', () => report({ pid: child.pid }));
child.on('error', (error) => report({ failed: error.message }));
child.on('exit', (code, signal) => {
  exited = true;
  report({ exit: { code, signal } });
});
// The parent may have died before the `disconnect` listener was added.
if (!process.connected) stop();
