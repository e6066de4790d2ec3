/** The program of a worker thread that answers match requests. */
import { setPriority } from 'node:os';
import { answerMatchRequest } from './match-request.js';

/** A low priority, so that other requests, and an engine on the same machine, take precedence. */
const NICE = 5;

try {
  // Only on Linux does the call affect this thread alone, and not the whole process.
  if (process.platform === 'linux') setPriority(NICE);
} catch {
  // A sandbox may forbid changing the priority. Then all threads have the same priority.
}

export default answerMatchRequest;
