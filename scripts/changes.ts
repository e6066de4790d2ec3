/** npm run changes -- --follow --out FILE: writes what changes in the catalogue as NDJSON; see --help. */
import { CHANGES_SCHEMA } from '../src/listing/schema-versions.js';
import { schemaVersionOf } from '../src/engine/index-versions.js';
import { toProduct } from '../src/listing/product.js';
import { CHANGE_KINDS } from '../src/schemas/changes.js';
import { formatCount } from '../src/text/quantities.js';
import { ChangeFeed, PositionError } from '../src/products/changes/change-feed.js';
import type { Change } from '../src/products/changes/change.js';
import { readCursor, toCursor } from '../src/products/changes/cursor.js';
import { followChanges } from '../src/products/changes/follow-changes.js';
import { ChangeFile } from './shared/change-file.js';
import { command, GRACE_MS } from './shared/command.js';
import { catalogueOf, type CommandEngine, ENGINE_HELP, withEngine } from './shared/engine.js';
import { CommandError, StoppedError, UsageError } from './shared/exit.js';
import { describeUnknownSource } from './shared/known-source.js';
import { flag, oneOf, several, text } from './shared/options.js';
import { start } from './shared/start.js';
import { fromCaller, withProgress } from './shared/terminal.js';

const LIMIT = 1_000;

export const main = command({
  name: 'changes',
  about: `Writes what changes in the catalogue as NDJSON: first all listings, then their changes, as GET /v1/changes returns them. Each
line has the id of a listing, the kinds of its changes, and the listing itself; product is null if it was withdrawn or no longer
passes the filter. The last line of each id is its current state, so the file is a mirror of the catalogue.

With --out, the command continues where it ended before, also after a crash: FILE.cursor has the cursor. No change is missed, and
none is in the file that FILE.cursor does not cover.`,
  options: {
    follow: flag('wait for further changes, until interrupted'),
    out: text('FILE', 'the file to append to; by default standard output, from the start'),
    source: several(text('SOURCE', 'only listings of this source; may be given several times')),
    category: text('TEXT', 'only listings whose category contains this text'),
    kind: several(oneOf(CHANGE_KINDS, 'only changes of this kind; may be given several times')),
  },
  notes: `${ENGINE_HELP}, and so must PUBLIC_URL and AFFILIATE_URLS for the links in the listings.`,
  exits: {
    done: 'done',
    stopped: 'the catalogue was restored from a backup, so the file must be made again',
    interrupted: 'interrupted; the file is complete up to its cursor',
  },
  onInterrupt: { message: 'Interrupted; run it again to continue.', graceMs: GRACE_MS },
  async run({ options: { follow, out, source, category, kind } }, env, io) {
    return withEngine(env, async (engine) => {
      const { es, indexPrefix } = engine;
      if ((await schemaVersionOf(es, await catalogueOf(engine))) < CHANGES_SCHEMA)
        throw new CommandError('The index does not record changes yet: run npm run reindex first.');
      // With --follow, the name of a source need not be known yet: it may be loaded for the first time later.
      for (const one of follow ? [] : source) {
        const unknown = await describeUnknownSource(one, 'nothing was written', engine);
        if (unknown !== null) throw new UsageError(unknown);
      }
      const feed = new ChangeFeed(es, indexPrefix, () => new Date());
      const file = out === undefined ? null : new ChangeFile(fromCaller(out));
      let written = 0;
      try {
        const cursor = file?.cursor ?? null;
        const position = cursor === null ? await feed.start({ isInitial: true }) : readCursor(cursor);
        if (position === null) throw new CommandError(`${out}.cursor has no cursor of the change feed.`);
        const read = { limit: LIMIT, source, category, kinds: kind.length > 0 ? kind : undefined };
        await withProgress('changes', io.err, async (display) => {
          const pages = followChanges(feed, position, {
            read,
            signal: io.signal,
            follow,
            onWait: display.line,
          });
          for await (const page of pages) {
            const lines = page.changes
              .map((change) => `${JSON.stringify(lineOf(change, engine))}\n`)
              .join('');
            if (file === null) io.out.write(lines);
            else file.append(lines, toCursor(page.position));
            written += page.changes.length;
            display.update({ share: null, note: counted(written) });
            if (file === null && !io.out.writable) break;
          }
        });
      } catch (error) {
        if (error instanceof PositionError) throw explain(error, out ?? '');
        throw error;
      } finally {
        file?.close();
        feed.stop();
      }
      if (file !== null) io.out.write(`${counted(written)} in ${out}\n`);
    });
  },
});

const counted = (changes: number): string => (changes === 1 ? '1 change' : `${formatCount(changes)} changes`);

const lineOf = ({ id, kinds, at, listing }: Change, links: CommandEngine) => ({
  id,
  kinds,
  at,
  product: listing === null ? null : toProduct(listing, links),
});

const explain = ({ reason }: PositionError, out: string): Error =>
  reason === 'replaced'
    ? new StoppedError(
        `The catalogue was restored from a backup since ${out} was written. Remove ${out} and ${out}.cursor, and run this again.`,
      )
    : new UsageError(`${out} is a file of another catalogue.`);

await start(import.meta.url, main);
