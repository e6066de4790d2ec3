/** npm run link: forms groups of listings that are one product; see --help. */
import { formatInstant } from '../src/listing/instant.js';
import { readDecisions } from './link/decisions.js';
import { link } from './link/run.js';
import type { Scope } from './link/work.js';
import { command } from './shared/command.js';
import { UsageError } from './shared/exit.js';
import { flag, parsed, text } from './shared/options.js';
import { judgeAfterLink } from './quality/run.js';
import { start } from './shared/start.js';

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const main = command({
  name: 'link',
  about: `Finds out which listings are one product, and keeps that with each: GET /v1/products/{id}/offers, compare, best-price
and group=product read it. Looks at the listings that were not linked yet, or that say since then that they are something
else; a price that moves changes nothing. Groups keep their ids. Where any group has changed, prices are judged by the
groups then, as npm run quality does; nothing else is written, and loads may go on meanwhile. Stop or kill it at any time
and run it again: it goes on where it was, and ends in the same groups.`,
  options: {
    all: flag('look at every listing again; after an update that changes how listings are compared'),
    since: parsed('AGE', 'look at every listing again that changed in the last 24h, 7d or 90m', age),
    decisions: text(
      'FILE',
      'CSV a_source,a_sku,b_source,b_sku,decision with same or different: what people know better. Kept, and obeyed by this and every later run; a later decision about the same two replaces it',
    ),
    'dry-run': flag('only tell what would change'),
    'no-quality': flag('do not judge prices by the groups afterwards; npm run quality does it later'),
  },
  notes: `A group has at most 200 listings. Two groups become one where the mean probability of the pairs compared between them is
0.5 or more and none of these is contradicted (another size, colour, model).
Elasticsearch is the one of ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200. INDEX_PREFIX
(catalog) must be that of the service, and EXCHANGE_RATES_FILE too.`,
  exits: { interrupted: 'interrupted; run it again' },
  onInterrupt: { message: 'Interrupted. Run it again to go on.', graceMs: 0 },
  async run({ options: { all, since, decisions, 'dry-run': dryRun, 'no-quality': noQuality } }, env, io) {
    if (all && since !== undefined) throw new UsageError('Choose one of --all and --since.');
    const read = decisions === undefined ? [] : await readDecisions(decisions);
    const changed = await link({ scope: scopeOf(all, since), decisions: read, dryRun }, env, io);
    if (changed && !noQuality) await judgeAfterLink(env, io);
  },
});

function scopeOf(all: boolean, sinceMs: number | undefined): Scope {
  if (all) return { kind: 'all' };
  if (sinceMs === undefined) return { kind: 'pending', since: null };
  return { kind: 'since', since: formatInstant(Date.now() - sinceMs) };
}

/** In milliseconds. */
function age(given: string, option: string): number {
  const [, number, unit] = /^(\d{1,5})([mhd])$/.exec(given) ?? [];
  if (number === undefined || unit === undefined)
    throw new UsageError(`${option} is an age such as 24h, 7d or 90m, not "${given}".`);
  return Number(number) * UNITS[unit as keyof typeof UNITS];
}

await start(import.meta.url, main);
