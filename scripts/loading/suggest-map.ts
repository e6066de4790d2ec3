import { FeedError, readFeed } from '../../src/feeds/read/feed.js';
import { suggestMap as suggest } from '../../src/feeds/map/suggest.js';
import type { Io } from '../shared/command.js';
import { readBeginning } from '../../src/usecases/ingest/guards.js';
import { CommandError, EXIT } from '../shared/exit.js';
import { inputOf } from './input.js';
import type { IngestCommandOptions } from './options.js';

export async function suggestMap(
  { files, feed, source, allowPrivate }: IngestCommandOptions,
  io: Io,
): Promise<number> {
  const [file = '-'] = files;
  const { chunks, close } = inputOf(file, io.stdin, { allowPrivate }).open();
  try {
    const { head, isBroken, records } = await readBeginning(readFeed(chunks, { ...feed, anyColumns: true }));
    const rows = head.flatMap(({ value, error }) =>
      error === undefined && typeof value === 'object' && value !== null
        ? [value as Record<string, unknown>]
        : [],
    );
    if (rows.length === 0 && isBroken) await drain(records);
    const [bad] = head.flatMap(({ line, error }) => (error === undefined ? [] : [`line ${line}: ${error}`]));
    if (rows.length === 0)
      throw new CommandError(`${file} has no row that can be read${bad === undefined ? '.' : ` (${bad}).`}`);
    io.out.write(suggest(rows, source ?? null));
    return EXIT.done;
  } catch (error) {
    throw error instanceof FeedError ? new CommandError(`${file}: ${error.message}`) : error;
  } finally {
    close();
  }
}

async function drain(records: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of records);
}
