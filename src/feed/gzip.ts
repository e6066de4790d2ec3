import { createGunzip } from 'node:zlib';
import { FeedError } from './item.js';

/** Small steps bound what a bomb can expand to before it is looked at: a thousandfold of this. */
const STEP_BYTES = 16 * 1024;

/**
 * Unzips. A plain pipe would lose what was already unzipped when the rest turns out to be cut off or broken; here
 * that is given out first.
 * @throws FeedError after the last readable byte.
 */
export async function* readGzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const unzipped: Buffer[] = [];
  let failure: Error | undefined;
  gunzip.on('data', (chunk: Buffer) => unzipped.push(chunk));
  gunzip.on('error', (error) => (failure = error));
  const ended = new Promise<void>((resolve) => gunzip.once('close', resolve));
  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length && failure === undefined; at += STEP_BYTES) {
        const step = chunk.subarray(at, at + STEP_BYTES);
        // A write that meets damaged data is never called back.
        await Promise.race([new Promise((resolve) => gunzip.write(step, resolve)), ended]);
        yield* unzipped.splice(0);
      }
      if (failure !== undefined) break;
    }
    gunzip.end();
    await ended;
    yield* unzipped.splice(0);
  } finally {
    gunzip.destroy();
  }
  if (failure !== undefined) throw new FeedError(`The gzip data is cut off or damaged (${failure.message}).`);
}
