import { Decompress } from 'fzstd';
import { FeedError } from './item.js';

/** A block of four bytes may stand for 128 kB: small steps bound what a bomb can expand to before it is looked at. */
const STEP_BYTES = 512;

/** Unpacks zstd. @throws FeedError after the last readable byte. */
export async function* readZstd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const unpacked: Buffer[] = [];
  const zstd = new Decompress((chunk) => unpacked.push(Buffer.from(chunk)));
  let failure: Error | undefined;
  const push = (step: Uint8Array, final: boolean) => {
    try {
      zstd.push(step, final);
    } catch (error) {
      failure = error as Error;
    }
  };
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length && failure === undefined; at += STEP_BYTES) {
      // The library keeps what it is given.
      push(Uint8Array.from(chunk.subarray(at, at + STEP_BYTES)), false);
      yield* unpacked.splice(0);
    }
    if (failure !== undefined) break;
  }
  if (failure === undefined) push(new Uint8Array(0), true);
  yield* unpacked.splice(0);
  if (failure !== undefined) throw new FeedError(`The zstd data is cut off or damaged (${failure.message}).`);
}
