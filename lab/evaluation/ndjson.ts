import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { fromCaller } from '../../scripts/shared/terminal.js';

/** Reads the records with a name from an NDJSON file, which may be gzipped. */
export async function* readNamed<Listing extends { name: string }>(
  file: string,
): AsyncGenerator<Partial<Listing> & { name: string }> {
  const stream = createReadStream(fromCaller(file));
  const input = file.endsWith('.gz') ? stream.pipe(createGunzip()) : stream;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const record = (line.trim() === '' ? {} : JSON.parse(line)) as Partial<Listing>;
    const { name } = record;
    if (typeof name === 'string') yield { ...record, name };
  }
}
