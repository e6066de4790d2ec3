import type { Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FeedError } from './item.js';

/** Input is decompressed in small steps, because a zip bomb expands each step up to a thousandfold before it is noticed. */
const STEP_BYTES = 16 * 1024;

/**
 * Decompresses with one of the streams of `node:zlib`. With a plain pipe, data that was already decompressed would be
 * lost if the rest is damaged; here it is returned before the error.
 * @param source is read no further than the end of the compressed data; the last chunk may contain more.
 * @param damaged creates the error for damaged data.
 * @returns the number of bytes of the last chunk that follow the compressed data.
 * @throws FeedError
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
        // The callback of a write with damaged data, or with data behind the end, is never called.
        await Promise.race([new Promise((resolve) => decompressor.write(step, resolve)), ended]);
        for (const piece of output.splice(0)) {
          yield piece;
          // One step may expand to 16 MB: signals and other requests are handled in between.
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
