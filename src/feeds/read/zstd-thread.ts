/**
 * A thread that unpacks zstd and does nothing else. The library follows whatever lengths a block states, so one of a few
 * bytes may keep it busy for minutes; `zstd.ts` ends the thread then.
 */
import { parentPort } from 'node:worker_threads';
import { Decompress } from 'fzstd';

/** Bytes of a frame, in order: its header, each block, its end. */
export interface Packed {
  bytes: Uint8Array;
  part: 'header' | 'block' | 'end';
}

/** What they hold, or why they hold nothing. */
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
