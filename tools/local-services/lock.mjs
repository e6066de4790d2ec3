import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, isRunning } from '../../src/platform/process-identity.mjs';

const POLL_MS = 200;

function take(path) {
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(identify()));
  try {
    // A hard link appears with its content at once, so no process ever reads a half-written lock.
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

function readHolder(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Moves the lock of a dead process away. Only one process succeeds, as a file can be renamed only once. */
function breakStale(path, stale) {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return;
  }
  // Another process was quicker, and the moved file is its new lock, so it is put back.
  if (readHolder(aside) !== stale) linkSync(aside, path);
  rmSync(aside, { force: true });
}

/** Runs `work` while holding the lock file at `path`. `onWait` is called once if it has to wait. */
export async function withLock(path, work, onWait = () => {}) {
  mkdirSync(dirname(path), { recursive: true });
  let waiting = false;
  while (!take(path)) {
    const holder = readHolder(path);
    if (holder === undefined) continue;
    if (!isRunning(JSON.parse(holder))) {
      breakStale(path, holder);
      continue;
    }
    if (!waiting) onWait();
    waiting = true;
    await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}
