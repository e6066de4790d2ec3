import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { bulkhead } from 'cockatiel';
import type { DecodedImage, DecoderInput, DecoderMessage } from './decode-process.js';
import { ImageFailure } from './failure.js';

export interface DecoderOptions {
  processes?: number;
  deadlineMs?: number;
  maxKilobytes?: number;
}

/** Decoding the largest allowed images takes two to seven seconds on a busy core. */
const DEADLINE_MS = 20_000;

const PIXELS = /^(?:\xff\xd8|\x89PNG|GIF8|RIFF|.{4}ftyp)/s;

/** Drawings (SVG) are decoded in milliseconds, except malicious ones: a file of 3 kB can take years. So their limit is lower. */
const DRAWING_SHARE = 1 / 10;

const STARTS_WITHIN_MS = 60_000;

/** The memory limit of a decoder process (RLIMIT_DATA) in kilobytes. The largest AVIF image needs 80 % of it, others 25 %. */
const MAX_KILOBYTES = 1_000_000;

/** Whether this module runs as TypeScript source, for which a child process needs tsx. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const COMMAND = [
  process.execPath,
  ...(IS_SOURCE ? ['--import', import.meta.resolve('tsx')] : []),
  fileURLToPath(new URL(IS_SOURCE ? 'decode-process.ts' : 'decode-process.js', import.meta.url)),
];

/** Creates a decoder of untrusted images in processes, which are started on demand, and killed if an image crashes or blocks them. */
export function createImageDecoder(options: DecoderOptions = {}) {
  const { processes = Math.min(4, availableParallelism()), deadlineMs = DEADLINE_MS } = options;
  const { maxKilobytes = MAX_KILOBYTES } = options;
  const running = new Set<ChildProcess>();
  const idle: ChildProcess[] = [];
  const slots = bulkhead(processes, Infinity);

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
  const decode = async (
    child: ChildProcess,
    isUsed: boolean,
    input: DecoderInput,
    signal?: AbortSignal,
  ): Promise<DecodedImage> => {
    const answer = answerOf(child, deadlineOf(input.bytes, deadlineMs), signal);
    child.send(input);
    const message = await answer;
    if (typeof message === 'object') {
      idle.push(child);
      if ('hash' in message) return message;
      throw new ImageFailure(message.failure);
    }
    end(child);
    signal?.throwIfAborted();
    // An earlier image may have damaged a reused process, so the image is tried once more in a new one.
    if (message === 'ended' && isUsed) return decode(await start(), false, input, signal);
    throw new ImageFailure(message === 'late' ? 'too slow to decode' : 'too much for the decoder');
  };

  return {
    /**
     * Returns the perceptual hash of an image, and a small picture if one is requested. @param signal kills the process.
     * @throws ImageFailure if the image cannot be decoded; the reason of the signal if it was aborted.
     */
    decode: (input: DecoderInput, signal?: AbortSignal): Promise<DecodedImage> =>
      slots.execute(async () => {
        signal?.throwIfAborted();
        const used = idle.pop();
        return decode(used ?? (await start()), used !== undefined, input, signal);
      }),
    close() {
      for (const child of running) end(child);
    },
  };
}

export type ImageDecoder = ReturnType<typeof createImageDecoder>;

/** The time limit in ms of an image: a tenth of `deadlineMs` for what is not made of pixels. */
export const deadlineOf = (bytes: Uint8Array, deadlineMs: number): number =>
  PIXELS.test(Buffer.from(bytes.subarray(0, 16)).toString('latin1'))
    ? deadlineMs
    : deadlineMs * DRAWING_SHARE;

/** Starts a decoder process with a memory limit (not on Windows), which does not inherit secrets of the environment. */
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
  // Sending a message to a process that has just crashed fails, but the `exit` event reports the crash.
  child.on('error', () => undefined);
  return child;
}

/** Waits for a message of a decoder process. @returns `ended` if it exits first, `late` if neither happens in time. */
async function answerOf(child: ChildProcess, withinMs: number, signal?: AbortSignal) {
  const over = new AbortController();
  const late = AbortSignal.timeout(withinMs);
  const given = { signal: AbortSignal.any([over.signal, late, ...(signal === undefined ? [] : [signal])]) };
  try {
    return await Promise.race([
      once(child, 'message', given).then(([message]) => message as DecoderMessage),
      once(child, 'exit', given).then(() => 'ended' as const),
    ]);
  } catch (error) {
    if (given.signal.aborted) return 'late';
    throw error;
  } finally {
    over.abort();
  }
}
