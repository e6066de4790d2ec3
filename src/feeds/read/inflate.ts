import type { Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FeedError } from './item.js';

/** The compressed bytes of one step. Steps are small, because a zip bomb expands them a thousandfold. */
const STEP_BYTES = 16 * 1024;

/**
 * Decompresses data with a stream of `node:zlib`. Unlike with a pipe, data before a damaged part is returned before the error.
 * @param source is read no further than the end of the compressed data; the last chunk may contain more.
 * @returns how many bytes of the last chunk follow the compressed data. @throws FeedError if the data is damaged.
 */
export async function* inflate(
  source: AsyncIterable<Buffer>,
  decompressor: Transform & { bytesWritten: number },
  damaged: (why: string) => FeedError,
): AsyncGenerator<Buffer, number> {
  const output: Buffer[] = [];
  let failure: Error | undefined;
  let read = 0;
  decompressor.on('data', (chunk: Buffer) => output.push(chunk));
  decompressor.on('error', (error) => (failure = error));
  const ended = new Promise<void>((resolve) => {
    decompressor.once('close', resolve);
    decompressor.once('end', resolve);
  });
  try {
    for await (const chunk of source) {
      read += chunk.length;
      for (let at = 0; at < chunk.length && isOpen(decompressor, failure); at += STEP_BYTES) {
        const step = chunk.subarray(at, at + STEP_BYTES);
        // The end is awaited too, because zlib never calls back after a write of damaged data, or of data after the end.
        await Promise.race([new Promise((resolve) => decompressor.write(step, resolve)), ended]);
        for (const piece of output.splice(0)) {
          yield piece;
          // One step may expand to 16 MB, so other requests are handled between steps.
          await nextTurn();
        }
      }
      if (!isOpen(decompressor, failure)) break;
    }
    if (isOpen(decompressor, failure)) {
      decompressor.end();
      await ended;
    }
    yield* output.splice(0);
  } finally {
    decompressor.destroy();
  }
  if (failure !== undefined) throw damaged(failure.message);
  return read - decompressor.bytesWritten;
}

const isOpen = (decompressor: Transform, failure: Error | undefined): boolean =>
  failure === undefined && !decompressor.readableEnded;
