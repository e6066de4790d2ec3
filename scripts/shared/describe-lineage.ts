import { settersOf, TRACED_FIELDS } from '../../src/listing/lineage.js';
import type { LineageEntry, StoredListing } from '../../src/listing/listing.js';
import type { RunRecord } from '../../src/sources/runs.js';
import { cleanText } from '../../src/text/clean.js';
import { textTable } from './terminal.js';

const MAX_VALUE = 40;
const SHOWN_RUNS = 10;

/** Describes which run, file, line and version of the map set each field of a listing, and its last runs. */
export function describeLineage(listing: StoredListing, runs: ReadonlyMap<string, RunRecord>): string {
  const { id, name, source, sku, internal } = listing;
  const head = `Listing ${id}: ${cleanText(name)} (${cleanText(`${source} ${sku}`)})\n`;
  const lineage = internal.lineage ?? [];
  if (lineage.length === 0)
    return `${head}\nNo run has been recorded for it: it was loaded by an earlier version, or it has not been loaded again since npm run reindex.\n`;
  const place = ({ run, line, file }: LineageEntry): string[] => {
    const record = runs.get(run);
    const feed = run.startsWith('api-') ? 'POST /v1/listings' : (record?.files.join(', ') ?? 'not recorded');
    return [
      run,
      file === undefined ? feed : `${feed}, ${cleanText(file)}`,
      line === undefined ? 'absent' : String(line),
      record?.map === undefined || record.map === null ? '' : `${record.map.name} ${record.map.version}`,
    ];
  };
  const setters = settersOf(lineage, TRACED_FIELDS);
  const fields = TRACED_FIELDS.flatMap((field) => {
    const value = valueOf(listing, field);
    const entry = setters.get(field);
    if (entry === undefined)
      return value === null ? [] : [[field, shortened(value), 'unknown', '', '', '', '']];
    // A field that no feed ever stated was not set by any run.
    if (value === null && !entry.set.includes(field)) return [];
    return [[field, value === null ? 'none' : shortened(value), entry.at, ...place(entry)]];
  });
  const last = lineage
    .slice(-SHOWN_RUNS)
    .toReversed()
    .map((entry) => [
      entry.at,
      ...place(entry),
      runs.get(entry.run)?.outcome ?? '',
      entry.set.length === 0 ? 'none' : entry.set.join(', '),
    ]);
  const columns = ['run', 'file', 'line', 'map'];
  return [
    head,
    textTable([['field', 'value', 'set at', ...columns], ...fields]),
    '',
    `The last ${last.length === 1 ? 'run' : `${last.length} runs`} that wrote the listing, with the fields that no later run has set (* stands for all others):`,
    textTable([['at', ...columns, 'outcome', 'fields'], ...last]),
    '',
  ].join('\n');
}

function valueOf(listing: StoredListing, field: string): unknown {
  const { declared_gtins, list_price } = listing.internal;
  const value =
    field === 'gtin'
      ? declared_gtins
      : field === 'list_price'
        ? list_price
        : listing[field as keyof StoredListing];
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0) ? null : value;
}

function shortened(value: unknown): string {
  // A line break in a value would break the table.
  const text = cleanText(typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ');
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE - 1)}…`;
}
