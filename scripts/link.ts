/** npm run link: forms groups of listings that offer the same product; see --help. */
import { listingKey } from '../src/listing/identify.js';
import { formatInstant, parseDuration } from '../src/listing/instant.js';
import type { StoredDecision } from '../src/schemas/decisions.js';
import { DEFAULT_WORKERS } from '../src/usecases/link/compare.js';
import type { LinkScope } from '../src/usecases/link/run.js';
import { linkListings } from './jobs/link.js';
import { flagAfterLink } from './jobs/quality.js';
import { command } from './shared/command.js';
import { readCsv, refuse } from './shared/csv-file.js';
import { UsageError } from './shared/exit.js';
import { flag, parsed, text } from './shared/options.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'link',
  about: `Finds the listings that offer the same product, and stores a group id with each. GET /v1/products/{id}/offers, compare,
best-price and group=product use the groups. It compares the listings that are new or whose content has changed; a change of
price does not count. Groups keep their ids. The quality flags of the listings in changed groups are recomputed as by npm run
quality; nothing else is written, and loads may continue meanwhile. Stop or kill it at any time and run it again: it continues,
and ends with the same groups.`,
  options: {
    all: flag(
      'compare every listing again, for example after an update that changes how listings are compared',
    ),
    since: parsed(
      'AGE',
      'compare again every listing that changed within this time, such as 90m, 24h or 7d',
      age,
    ),
    decisions: text(
      'FILE',
      'CSV a_source,a_sku,b_source,b_sku,decision with same or different: human decisions. They are stored, and this run and all later ones obey them. A new decision replaces an earlier one about the same two listings',
    ),
    dryRun: flag('only report what would change'),
    noQuality: flag('do not recompute the quality flags afterwards; npm run quality does it later'),
  },
  notes: `A group has at most 200 listings. Two groups are merged if the mean match probability of the compared pairs is 0.5 or
more and no pair contradicts it (another size, colour, model).

Elasticsearch is the one at ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200. INDEX_PREFIX (catalog)
and EXCHANGE_RATES_FILE must be those of the service.`,
  exits: { interrupted: 'interrupted; run it again' },
  onInterrupt: { message: 'Interrupted. Run it again to continue.', graceMs: 0 },
  async run({ options: { all, since, decisions, dryRun, noQuality } }, env, io) {
    if (all && since !== undefined) throw new UsageError('Choose one of --all and --since.');
    const read = decisions === undefined ? [] : await readDecisions(decisions);
    const changed = await linkListings(
      { scope: scopeOf(all, since), decisions: read, dryRun, workers: DEFAULT_WORKERS },
      env,
      io,
    );
    if (!noQuality) await flagAfterLink(changed, env, io);
  },
});

function scopeOf(all: boolean, sinceMs: number | undefined): LinkScope {
  if (all) return { kind: 'all' };
  if (sinceMs === undefined) return { kind: 'pending', since: null };
  return { kind: 'since', since: formatInstant(Date.now() - sinceMs) };
}

function age(given: string, option: string): number {
  const ms = parseDuration(given);
  if (ms === null) throw new UsageError(`${option} is an age such as 24h, 7d or 90m, not "${given}".`);
  return ms;
}

const COLUMNS = ['a_source', 'a_sku', 'b_source', 'b_sku', 'decision'] as const;

/** Reads human decisions about pairs of listings. @throws CommandError that quotes the invalid rows. */
async function readDecisions(file: string): Promise<StoredDecision[]> {
  const rows = await readCsv(file, COLUMNS);
  type Row = (typeof rows)[number];
  const format = (row: Row) => COLUMNS.map((column) => row[column]).join(',');
  const isWrong = (row: Row) =>
    COLUMNS.some((column) => row[column] === '') || !['same', 'different'].includes(row.decision);
  refuse(
    file,
    rows.filter(isWrong).map(format),
    'a decision is same or different, of two listings by source and sku',
  );
  const ofOne = rows.find(
    (row) =>
      listingKey({ source: row.a_source, sku: row.a_sku }) ===
      listingKey({ source: row.b_source, sku: row.b_sku }),
  );
  if (ofOne !== undefined) refuse(file, [format(ofOne)], 'a decision is about two listings');
  return rows as StoredDecision[];
}

await start(import.meta.url, main);
