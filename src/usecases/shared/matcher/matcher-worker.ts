/** A worker thread that answers match requests. */
import { setPriority } from 'node:os';
import { answerMatchRequest } from './match-request.js';

/** Lowers the priority, so that other requests, and an engine on the same machine, take precedence. */
const NICE = 5;

try {
  // On Linux, the priority is that of this thread. Elsewhere it is that of the whole process.
  if (process.platform === 'linux') setPriority(NICE);
} catch {
  // A sandbox may forbid it. Then all threads have the same priority.
}

export default answerMatchRequest;
