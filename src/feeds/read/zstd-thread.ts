/** A thread that `zstd.ts` can end: the library trusts the lengths that a block declares, so a few bytes may take minutes. */
import { parentPort } from 'node:worker_threads';
import { Decompress } from 'fzstd';

/** A part of a zstd frame. Parts are sent in order: the header, each block, the end. */
export interface Packed {
  bytes: Uint8Array;
  part: 'header' | 'block' | 'end';
}

/** The decompressed data of a part, or the error of the library. */
export type Unpacked = { bytes: Uint8Array } | { damage: string };

let unpacked: Uint8Array[] = [];
let frame = new Decompress();

parentPort?.on('message', ({ bytes, part }: Packed) => {
  if (part === 'header') frame = new Decompress((chunk) => unpacked.push(chunk));
  unpacked = [];
  let answer: Unpacked;
  try {
    frame.push(bytes, part === 'end');
    answer = { bytes: Buffer.concat(unpacked) };
  } catch (error) {
    answer = { damage: (error as Error).message };
  }
  parentPort?.postMessage(answer);
});
