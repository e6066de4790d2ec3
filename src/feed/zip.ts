import { Unzip, UnzipInflate, type UnzipFile, UnzipPassThrough } from 'fflate';
import { FeedError } from './item.js';

/** Small steps bound what a bomb can expand to before it is looked at: a thousandfold of this. */
const STEP_BYTES = 16 * 1024;

/** What archivers add of their own accord. */
const BESIDE = /(^|\/)(\.|__MACOSX\/)|\/$/;

/**
 * Unpacks the one file that a zip archive holds, as it comes in: also from standard input.
 * @throws FeedError after the last readable byte; also where there is a second file.
 */
export async function* readZip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const unzip = new Unzip();
  unzip.register(UnzipInflate);
  unzip.register(UnzipPassThrough);
  const unpacked: Buffer[] = [];
  const state: { name?: string; ended: boolean; failure?: string } = { ended: false };
  unzip.onfile = (file) => take(file, state, unpacked);
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length && state.failure === undefined; at += STEP_BYTES) {
      try {
        // The library keeps what it is given.
        unzip.push(Uint8Array.from(chunk.subarray(at, at + STEP_BYTES)), false);
      } catch (error) {
        state.failure = `The zip archive is damaged (${(error as Error).message}).`;
      }
      yield* unpacked.splice(0);
    }
    if (state.failure !== undefined) break;
  }
  yield* unpacked.splice(0);
  if (state.failure !== undefined) throw new FeedError(state.failure);
  if (state.name === undefined) throw new FeedError('The zip archive holds no file.');
  if (!state.ended) throw new FeedError('The zip archive is cut off.');
}

function take(
  file: UnzipFile,
  state: { name?: string; ended: boolean; failure?: string },
  unpacked: Buffer[],
): void {
  if (BESIDE.test(file.name)) return;
  if (state.name !== undefined) {
    state.failure ??= `The zip archive holds more than one file: behind ${state.name} comes ${file.name}, which is not read.`;
    return;
  }
  state.name = file.name;
  file.ondata = (error, chunk, final) => {
    if (error !== null) state.failure = `The zip archive is damaged (${error.message}).`;
    else unpacked.push(Buffer.from(chunk));
    state.ended ||= final;
  };
  file.start();
}
