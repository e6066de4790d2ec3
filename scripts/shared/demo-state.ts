import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from './places.js';
import { identify, isRunning, type ProcessIdentity } from '../../src/platform/process-identity.mjs';

export interface DemoState {
  elasticsearchUrl: string;
  redisUrl: string;
  apiUrl: string;
  pid: number;
}

const STATE_FILE = join(projectRoot, '.demo', 'services.json');

/** Writes the addresses of a running demo for other commands, valid as long as the process `pid` runs. */
export function writeDemoState(state: DemoState, file = STATE_FILE): void {
  mkdirSync(dirname(file), { recursive: true });
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, JSON.stringify({ ...state, process: identify(state.pid) }, null, 2) + '\n');
  renameSync(partial, file);
}

/** Returns the addresses of the running demo of this checkout; null if none runs. */
export function readDemoState(file = STATE_FILE): DemoState | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const { process: owner, ...state } = JSON.parse(text) as DemoState & { process: ProcessIdentity };
  return isRunning(owner) ? state : null;
}

export function removeDemoState(file = STATE_FILE): void {
  rmSync(file, { force: true });
}
