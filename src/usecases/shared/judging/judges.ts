import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import { type ThreadFile, threadFile } from '../../../platform/thread-file.js';
import type { Question, Verdict } from './judge.js';

export type Judge = (question: Question) => Promise<Verdict>;

/** The threads that judged ended, or took too long: what was asked may be asked again. */
export class JudgesGoneError extends Error {
  override name = 'JudgesGoneError';
}

interface JudgesOptions {
  thread?: ThreadFile;
  /** How many there are at most. */
  threads?: number;
  /** For a question, with its waiting. */
  deadlineMs?: number;
}

/** One processor is for the requests. Where the service has several processes, each has one thread beside it. */
const THREADS = cluster.isWorker ? 1 : Math.max(1, Math.min(4, availableParallelism() - 1));

/** A flood that all places let in takes a second or two: what takes longer hangs. */
const DEADLINE_MS = 20_000;

/**
 * Judges in threads of their own, which start when there is something to judge and keep no process from ending.
 * Where one cannot be started, or hangs, all of them are given up, and others start with the next question.
 * @returns a function that throws JudgesGoneError then, and else what `judge` throws.
 */
export function createJudges({
  thread = threadFile(import.meta.url, 'judge-thread'),
  threads = THREADS,
  deadlineMs = DEADLINE_MS,
}: JudgesOptions = {}): Judge {
  type Pool = Piscina<Question, Verdict>;
  let pool: Promise<Pool> | undefined;
  const gone = new WeakSet<Pool>();

  const giveUp = (judges: Pool) => {
    if (gone.has(judges)) return;
    gone.add(judges);
    pool = undefined;
    void judges.destroy();
  };

  const start = async (): Promise<Pool> => {
    const { Piscina } = await import('piscina');
    const judges: Pool = new Piscina({
      filename: thread.url.href,
      ...(thread.execArgv === undefined ? {} : { execArgv: thread.execArgv }),
      minThreads: 1,
      maxThreads: threads,
      idleTimeout: Infinity,
      recordTiming: false,
      // Else a thread that is free puts every second question to the end of the queue.
      stricterFIFO: true,
    });
    // Of a thread that ends without a question. What is asked of such a pool would never be answered.
    judges.on('error', () => {
      giveUp(judges);
    });
    return judges;
  };

  return async (question) => {
    pool ??= start().catch((error: unknown) => {
      pool = undefined;
      throw new JudgesGoneError('no thread can be had for comparing', { cause: error });
    });
    const judges = await pool;
    const late = setTimeout(() => {
      giveUp(judges);
    }, deadlineMs);
    try {
      return await judges.run(question);
    } catch (error) {
      if (!gone.has(judges)) throw error;
      throw new JudgesGoneError('the threads that compare have ended', { cause: error });
    } finally {
      clearTimeout(late);
    }
  };
}

/** `judge` apart from the thread that serves requests, for all of this process. */
export const judgeApart: Judge = createJudges();
