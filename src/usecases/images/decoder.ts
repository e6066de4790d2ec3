import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Said } from './decode-process.js';
import { ImageFailure } from './failure.js';

/** Looks at strangers' images in processes of their own, which are ended where an image does them harm. */
export interface ImageDecoder {
  /**
   * The perceptual hash of an image.
   * @param signal gives it up: the process is ended at once.
   * @throws ImageFailure where there is none; the signal's reason.
   */
  hash(bytes: Buffer, signal?: AbortSignal): Promise<string>;
  close(): void;
}

export interface DecoderOptions {
  /** Images at once. */
  processes?: number;
  /** Of wall time, for one image. */
  deadlineMs?: number;
  /** Of memory, for one process. */
  maxKilobytes?: number;
}

/** The largest pictures that are looked at take two to seven seconds, on a core that they share with others. */
const DEADLINE_MS = 20_000;
const STARTS_WITHIN_MS = 60_000;

/**
 * How much one may take besides its code (RLIMIT_DATA). The largest AVIF needs four fifths of it, every other format a
 * quarter; an SVG of 9 MB of text asks for 2.5 GB.
 */
const MAX_KILOBYTES = 1_000_000;

/** Sources are run by tsx, the built tree by Node alone. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const COMMAND = [
  process.execPath,
  ...(IS_SOURCE ? ['--import', import.meta.resolve('tsx')] : []),
  fileURLToPath(new URL(IS_SOURCE ? 'decode-process.ts' : 'decode-process.js', import.meta.url)),
];

/** Processes are started when there is something to look at, and are used again for as long as all goes well. */
export function createImageDecoder(options: DecoderOptions = {}): ImageDecoder {
  const { processes = Math.min(4, availableParallelism()), deadlineMs = DEADLINE_MS } = options;
  const { maxKilobytes = MAX_KILOBYTES } = options;
  const running = new Set<ChildProcess>();
  const idle: ChildProcess[] = [];
  const waiting: (() => void)[] = [];
  let busy = 0;

  const end = (child: ChildProcess) => {
    running.delete(child);
    child.kill('SIGKILL');
  };
  const start = async (): Promise<ChildProcess> => {
    const child = spawnLimited(maxKilobytes);
    running.add(child);
    if ((await answerOf(child, STARTS_WITHIN_MS)) === 'ready') return child;
    end(child);
    throw new Error('the process that decodes images does not start');
  };
  const look = async (
    child: ChildProcess,
    isUsed: boolean,
    bytes: Buffer,
    signal?: AbortSignal,
  ): Promise<string> => {
    const answer = answerOf(child, deadlineMs, signal);
    child.send(bytes);
    const said = await answer;
    if (typeof said === 'object') {
      idle.push(child);
      if ('hash' in said) return said.hash;
      throw new ImageFailure(said.failure);
    }
    end(child);
    signal?.throwIfAborted();
    // What others left behind in it is not this image's fault.
    if (said === 'ended' && isUsed) return look(await start(), false, bytes, signal);
    throw new ImageFailure(said === 'late' ? 'too slow to decode' : 'too much for the decoder');
  };

  return {
    async hash(bytes, signal) {
      while (busy >= processes) await new Promise<void>((resolve) => waiting.push(resolve));
      busy += 1;
      try {
        signal?.throwIfAborted();
        const used = idle.pop();
        return await look(used ?? (await start()), used !== undefined, bytes, signal);
      } finally {
        busy -= 1;
        waiting.shift()?.();
      }
    },
    close() {
      for (const child of running) end(child);
    },
  };
}

/** It inherits none of the environment's secrets. Where there is no shell that sets limits, there is the deadline. */
function spawnLimited(maxKilobytes: number): ChildProcess {
  const [command = '', ...args] =
    process.platform === 'win32'
      ? COMMAND
      : ['/bin/sh', '-c', 'ulimit -d "$0" 2>/dev/null; exec "$@"', String(maxKilobytes), ...COMMAND];
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(command, args, {
    env: { PATH, HOME, TMPDIR },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  // A send to one that has just crashed: its end tells.
  child.on('error', () => undefined);
  return child;
}

/** What it says next; that it ended, or has not said anything in time. */
async function answerOf(
  child: ChildProcess,
  withinMs: number,
  signal?: AbortSignal,
): Promise<Said | 'ended' | 'late'> {
  const over = new AbortController();
  const late = AbortSignal.timeout(withinMs);
  const given = { signal: AbortSignal.any([over.signal, late, ...(signal === undefined ? [] : [signal])]) };
  try {
    return await Promise.race([
      once(child, 'message', given).then(([said]) => said as Said),
      once(child, 'exit', given).then(() => 'ended' as const),
    ]);
  } catch (error) {
    if (given.signal.aborted) return 'late';
    throw error;
  } finally {
    over.abort();
  }
}
