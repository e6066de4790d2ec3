import { FeedError, readFeed } from '../../src/feeds/read/feed.js';
import { suggestMap as suggest } from '../../src/feeds/map/suggest.js';
import type { Io } from '../shared/command.js';
import { CommandError, EXIT } from '../shared/exit.js';
import { inputOf } from './input.js';
import { lookAhead } from './look-ahead.js';
import type { Options } from './options.js';

/** Writes a first map for a feed to standard output. @throws CommandError where it has no row that can be read. */
export async function suggestMap({ files, feed, source, allowPrivate }: Options, io: Io): Promise<number> {
  const [file = '-'] = files;
  const { chunks, close } = inputOf(file, io.stdin, { allowPrivate }).open();
  try {
    const { head, isBroken, records } = await lookAhead(readFeed(chunks, { ...feed, foreign: true }));
    const rows = head.flatMap(({ value, error }) =>
      error === undefined && typeof value === 'object' && value !== null
        ? [value as Record<string, unknown>]
        : [],
    );
    if (rows.length === 0 && isBroken) await drained(records);
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

/** @throws FeedError that the reading ended with. */
async function drained(records: AsyncIterable<unknown>): Promise<void> {
  const rest = records[Symbol.asyncIterator]();
  while ((await rest.next()).done !== true);
}
