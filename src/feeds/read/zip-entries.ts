import { createInflateRaw } from 'node:zlib';
import { inflate } from './inflate.js';
import { FeedError } from './item.js';

/** A file in an archive, still packed. */
interface Entry {
  method: number;
  packed: Buffer;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;

/** Of the record that ends an archive, and the longest comment behind it. */
const END_BYTES = 22;
const MAX_COMMENT = 65_535;

const damaged = () => new FeedError('The zip archive is cut off or damaged.');

/** The files of an archive that is here as a whole, by name, as its directory at the end tells. @throws FeedError */
export function zipEntries(archive: Buffer): Map<string, Entry> {
  try {
    return entriesOf(archive);
  } catch (error) {
    // An offset that leads out of it.
    throw error instanceof RangeError ? damaged() : error;
  }
}

function entriesOf(archive: Buffer): Map<string, Entry> {
  const end = endOf(archive);
  const entries = new Map<string, Entry>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (archive.readUInt32LE(at) !== CENTRAL) throw damaged();
    const [name, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const local = archive.readUInt32LE(at + 42);
    if (archive.readUInt32LE(local) !== LOCAL) throw damaged();
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    entries.set(archive.toString('utf8', at + 46, at + 46 + (name ?? 0)), {
      method: archive.readUInt16LE(at + 10),
      packed: archive.subarray(start, start + archive.readUInt32LE(at + 20)),
    });
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}

function endOf(archive: Buffer): number {
  for (
    let at = archive.length - END_BYTES;
    at >= Math.max(0, archive.length - END_BYTES - MAX_COMMENT);
    at -= 1
  )
    if (archive.readUInt32LE(at) === END) return at;
  throw damaged();
}

const PIECE_BYTES = 16 * 1024;
const STORED = 0;
const DEFLATED = 8;

/** The bytes of a file. @throws FeedError */
export async function* unpackEntry({ method, packed }: Entry): AsyncGenerator<Buffer> {
  if (method === STORED) {
    // In pieces, because signals and other requests are handled between them.
    for (let at = 0; at < packed.length; at += PIECE_BYTES) yield packed.subarray(at, at + PIECE_BYTES);
  } else if (method === DEFLATED) yield* inflate([packed], createInflateRaw(), 'The zip archive');
  else throw new FeedError('The zip archive is packed in a way that is not read here; save it again.');
}
