import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import { type ThreadFile, threadFile } from '../platform/thread-file.js';
import type { MatchRequest, MatchResponse } from './match-request.js';

/** Sends a request to a worker thread, and waits for the response. */
export type Matcher<Request = MatchRequest, Response = MatchResponse> = (
  request: Request,
) => Promise<Response>;

/** The error if a matcher worker ended or timed out. The client may repeat the request. */
export class MatcherUnavailableError extends Error {
  override name = 'MatcherUnavailableError';
}

interface WorkerPoolOptions {
  thread?: ThreadFile;
  /** The maximum number of matcher worker threads. */
  threads?: number;
  /** The maximum time for one match request, including its time in the queue, in milliseconds. */
  deadlineMs?: number;
}

/** One processor is left to the thread that serves requests. Each of several processes has one worker thread. */
const THREADS = cluster.isWorker ? 1 : Math.max(1, Math.min(4, availableParallelism() - 1));

/** All requests that admission control admits at once take one or two seconds, so a worker that takes this long hangs. */
const DEADLINE_MS = 20_000;

/**
 * Creates a pool of matcher workers, which start with the first request. If one cannot be started, ends or hangs, the pool is
 * replaced at the next request. @returns a function that then throws MatcherUnavailableError, else the error of the request.
 */
export function createMatcherPool<Request = MatchRequest, Response = MatchResponse>({
  thread = threadFile(import.meta.url, 'matcher-worker'),
  threads = THREADS,
  deadlineMs = DEADLINE_MS,
}: WorkerPoolOptions = {}): Matcher<Request, Response> {
  type Pool = Piscina<Request, Response>;
  let current: Promise<Pool> | undefined;
  const closed = new WeakSet<Pool>();

  const close = (pool: Pool) => {
    if (closed.has(pool)) return;
    closed.add(pool);
    current = undefined;
    void pool.destroy();
  };

  const start = async (): Promise<Pool> => {
    const { Piscina } = await import('piscina');
    const pool: Pool = new Piscina({
      filename: thread.url.href,
      ...(thread.execArgv === undefined ? {} : { execArgv: thread.execArgv }),
      minThreads: 1,
      maxThreads: threads,
      idleTimeout: Infinity,
      recordTiming: false,
      // Without this option, the pool puts every second request at the end of the queue when a worker becomes free.
      stricterFIFO: true,
    });
    // The pool emits an error if an idle worker ends. It is then closed, because it would answer no further requests.
    pool.on('error', () => {
      close(pool);
    });
    return pool;
  };

  return async (request) => {
    current ??= start().catch((error: unknown) => {
      current = undefined;
      throw new MatcherUnavailableError('a matcher worker could not be started', { cause: error });
    });
    const pool = await current;
    const timeout = setTimeout(() => {
      close(pool);
    }, deadlineMs);
    try {
      return await pool.run(request);
    } catch (error) {
      if (!closed.has(pool)) throw error;
      throw new MatcherUnavailableError('the matcher workers have ended', { cause: error });
    } finally {
      clearTimeout(timeout);
    }
  };
}

/** The pool of matcher workers of this process. It keeps matching off the thread that serves requests. */
export const matchInWorker: Matcher = createMatcherPool();
