import type { Client } from '@elastic/elasticsearch';
import type { StoredListing } from '../../src/listing/listing.js';
import { findByText, TEXT_ALONE } from '../../src/usecases/search/text-match.js';

/** What answers show of a listing that was found. */
export type Hit = Pick<StoredListing, 'id' | 'source' | 'sku' | 'name'>;

/** A search that two indices answer with other listings among the first ten. */
export interface ChangedSearch {
  query: string;
  before: Hit[];
  after: Hit[];
  /** Which part of the longer one is in both, 0 to 1. */
  overlap: number;
}

const TOP = 10;
const WORDS = 3;
const SHOWN = 20;
const WIDTH = 36;

/** So much of the first ten must be the same, on average over all golden searches. */
export const ALIKE = 0.95;

/** What people ask for, made of listings: a name, its first words, an SKU, a brand and a category. */
export function goldenSearches(samples: readonly StoredListing[]): string[] {
  const queries = samples.flatMap(({ name, sku, brand, category }) => [
    name,
    name.split(/\s+/).slice(0, WORDS).join(' '),
    sku,
    [brand, category].filter(Boolean).join(' '),
  ]);
  return [...new Set(queries.filter((query) => query !== ''))];
}

/** The first ten listings that the service would return from this index. Their order is the same whichever set is listed. */
export async function topTen(es: Client, index: string, query: string): Promise<Hit[]> {
  const { hits } = await findByText(es, {
    ...TEXT_ALONE,
    match: 'any',
    text: query,
    target: { index },
    page: { slice: { limit: TOP, offset: 0 }, request: { _source: ['id', 'source', 'sku', 'name'] } },
  });
  return hits.flatMap(({ _source }) => _source ?? []);
}

/** @returns the searches that the two indices answer differently. Order within the first ten does not count. */
export async function compareSearches(
  es: Client,
  queries: readonly string[],
  from: string,
  to: string,
): Promise<ChangedSearch[]> {
  const changed: ChangedSearch[] = [];
  for (const query of queries) {
    const [before, after] = await Promise.all([topTen(es, from, query), topTen(es, to, query)]);
    const overlap = overlapOf(before, after);
    if (overlap < 1) changed.push({ query, before, after, overlap });
  }
  return changed;
}

/** Which part of two lists of listings is the same: of the longer one, so that what is lost counts. */
export function overlapOf(before: readonly Hit[], after: readonly Hit[]): number {
  const longer = Math.max(before.length, after.length);
  const ids = new Set(after.map(({ id }) => id));
  return longer === 0 ? 1 : before.filter(({ id }) => ids.has(id)).length / longer;
}

/** Of all searches asked, the ones that did not change included. */
export function meanOverlap(changed: readonly ChangedSearch[], asked: number): number {
  return asked === 0 ? 1 : 1 - changed.reduce((sum, { overlap }) => sum + 1 - overlap, 0) / asked;
}

/** A table for people, the greatest change first. */
export function describeChanges(changed: readonly ChangedSearch[], asked: number): string {
  const rows = changed
    .toSorted((a, b) => a.overlap - b.overlap)
    .slice(0, SHOWN)
    .map(({ query, before, after, overlap }) =>
      [
        `${Math.round(overlap * 100)} %`.padStart(7),
        `${before.length} > ${after.length}`.padStart(7),
        cell(query),
        cell(before[0]?.name ?? 'nothing'),
        after[0]?.name ?? 'nothing',
      ].join('  '),
    );
  const more = changed.length - SHOWN;
  return [
    `${changed.length} of ${asked} golden searches have other listings among the first ten; ${(meanOverlap(changed, asked) * 100).toFixed(1)} % are the same:`,
    ['   same', '  found', cell('search'), cell('first before'), 'first after'].join('  '),
    ...rows,
    ...(more > 0 ? [`    and ${more} more`] : []),
  ].join('\n');
}

const cell = (text: string): string => text.slice(0, WIDTH).padEnd(WIDTH);
