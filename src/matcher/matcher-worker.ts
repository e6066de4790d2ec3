/** The program of a worker thread that answers match requests. */
import { setPriority } from 'node:os';
import { answerMatchRequest } from './match-request.js';

/**
 * The priority (nice value) of the worker thread. It is low, so that other requests, and an engine on
 * the same machine, take precedence.
 */
const NICE = 5;

try {
  // The priority is set only on Linux, where the call affects this thread alone. Elsewhere it would affect
  // the whole process.
  if (process.platform === 'linux') setPriority(NICE);
} catch {
  // A sandbox may forbid changing the priority. Then all threads have the same priority.
}

export default answerMatchRequest;
