/** A thread that judges, and does nothing else. */
import { setPriority } from 'node:os';
import { judge } from './judge.js';

/** Searches of others, and the engine on the same machine, go before it. */
const NICE = 5;

try {
  // On Linux it is this thread's alone; elsewhere it would be the whole process's.
  if (process.platform === 'linux') setPriority(NICE);
} catch {
  // A sandbox that forbids it: then all have the same priority.
}

export default judge;
