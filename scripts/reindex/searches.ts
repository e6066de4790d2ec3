import type { Client, estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../../src/listing/listing.js';
import type { Found } from '../../src/engine/pages.js';
import type { Selection } from '../../src/engine/queries/selection.js';
import { findByText, TEXT_ALONE, type TextSearch } from '../../src/usecases/search/find-by-text.js';

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

/** Only the order of the first ten matters here, which is the same whichever set is listed. */
const FIRST_TEN: TextSearch = { ...TEXT_ALONE, match: 'any' };

/** The first ten that the service would answer from this index. */
export async function topTen(es: Client, index: string, query: string): Promise<Hit[]> {
  const read = async ({ suggest, ...selection }: Selection): Promise<Found<Hit>> => {
    const answer = await es.search<Hit>({
      index,
      ...selection,
      size: TOP,
      _source: ['id', 'source', 'sku', 'name'],
      ...(suggest === undefined ? {} : { suggest }),
      track_total_hits: false,
      allow_partial_search_results: false,
    });
    const listings = answer.hits.hits.flatMap(({ _source }) => _source ?? []);
    return { total: listings.length, listings, suggest: answer.suggest };
  };
  const count = (body: estypes.SearchRequest) => es.search({ index, ...body });
  return (await findByText<Hit, Found<Hit>>(query, FIRST_TEN, { read, count })).listings;
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
