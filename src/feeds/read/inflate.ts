import type { Transform } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { FeedError } from './item.js';

/** Small steps bound what a bomb can expand to before it is looked at: a thousandfold of this. */
const STEP_BYTES = 16 * 1024;

/**
 * Unpacks by one of Node's own streams. A plain pipe would lose what was already unpacked when the rest turns out to be
 * cut off or broken; here that is given out first.
 * @param what the data are, for people.
 * @throws FeedError after the last readable byte.
 */
export async function* inflate(
  source: AsyncIterable<Buffer> | Iterable<Buffer>,
  unpacker: Transform,
  what: string,
): AsyncGenerator<Buffer> {
  const unpacked: Buffer[] = [];
  let failure: Error | undefined;
  unpacker.on('data', (chunk: Buffer) => unpacked.push(chunk));
  unpacker.on('error', (error) => (failure = error));
  const ended = new Promise<void>((resolve) => unpacker.once('close', resolve));
  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length && failure === undefined; at += STEP_BYTES) {
        const step = chunk.subarray(at, at + STEP_BYTES);
        // A write that meets damaged data is never called back.
        await Promise.race([new Promise((resolve) => unpacker.write(step, resolve)), ended]);
        for (const piece of unpacked.splice(0)) {
          yield piece;
          // One step may unpack to 16 MB: signals and other requests are handled between its pieces.
          await turn();
        }
      }
      if (failure !== undefined) break;
    }
    unpacker.end();
    await ended;
    yield* unpacked.splice(0);
  } finally {
    unpacker.destroy();
  }
  if (failure !== undefined) throw new FeedError(`${what} is cut off or damaged (${failure.message}).`);
}
