import type { FeedItem } from '../../feeds/read/feed.js';

const MAX_COLUMNS = 300;
const MAX_NAME = 100;
/** The minimum share of records with a column that is compared. In JSON feeds, rarer columns come and go. */
const USUAL = 0.1;

/** Returns the share of records that have each column, from 0 to 1 with two decimals. */
export function columnShares(head: readonly FeedItem[]): Record<string, number> {
  const counts = new Map<string, number>();
  let rows = 0;
  for (const { raw } of head) {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) continue;
    rows += 1;
    for (const name of Object.keys(raw)) {
      const short = name.slice(0, MAX_NAME);
      const known = counts.get(short);
      if (known !== undefined || counts.size < MAX_COLUMNS) counts.set(short, (known ?? 0) + 1);
    }
  }
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, count]) => [name, Math.ceil((100 * count) / rows) / 100]));
}

/** Compares the columns of a feed with those of an earlier one. */
export function changedColumns(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): { lost: string[]; added: string[] } {
  if (Object.keys(before).length === 0 || Object.keys(after).length === 0) return { lost: [], added: [] };
  const only = (these: typeof before, those: typeof before) =>
    Object.entries(these)
      .filter(([name, share]) => share >= USUAL && !Object.hasOwn(those, name))
      .map(([name]) => name);
  return { lost: only(before, after), added: only(after, before) };
}
