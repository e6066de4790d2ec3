import type { Client, estypes } from '@elastic/elasticsearch';
import type { Backoff } from '../../engine/backoff.js';
import type { StoredListing } from '../../listing/listing.js';
import type { Look, Related } from './look.js';
import { SMALL_UNITS } from './prices.js';

type Query = estypes.QueryDslQueryContainer;

/** The values by which listings are judged together. */
export interface Written {
  id: number;
  source: string;
  gtins: readonly string[];
  twin: string | null;
  group: number;
  /** In ten-thousandths; null: no price. */
  units: number | null;
}

export const writtenOf = ({ id, source, internal }: StoredListing): Written => ({
  id,
  source,
  gtins: internal.gtins,
  twin: internal.twin ?? null,
  units: internal.price_units,
  group: internal.group_id ?? id,
});

/** At most so many related listings are judged; the rest is left to the next `npm run quality`. */
const MOST_RELATED = 1_000;
const MOST_MEMBERS = 10_000;

/**
 * Which listings have to be judged again when some were written: these, and those that share a value with them.
 * @returns a query for those that are judged alone, and the values by which they and the offers of their products are judged.
 */
export async function relatedTo(
  written: readonly Written[],
  look: Look,
): Promise<{ alone: Query; related: Related }> {
  const small = written.filter(({ units }) => units !== null && units <= SMALL_UNITS);
  const should: Query[] = [
    // The written listings come first: there may be too many related ones.
    { constant_score: { filter: { terms: { id: written.map(({ id }) => id) } }, boost: 100 } },
    { terms: { 'internal.gtins': written.flatMap(({ gtins }) => gtins) } },
    { terms: { 'internal.twin': written.flatMap(({ twin }) => twin ?? []) } },
    { terms: { 'internal.group_id': written.map(({ group }) => group) } },
    ...small.map(({ source, units }): Query => ({
      bool: { filter: [{ term: { source } }, { term: { 'internal.price_units': units ?? 0 } }] },
    })),
  ];
  const affected = await read(look, { bool: { should } }, MOST_RELATED);
  const groups = [...new Set(affected.map(({ group }) => group))];
  // A price is judged by all offers of its product, which are judged with it.
  const members = await read(look, { terms: { 'internal.group_id': groups } }, MOST_MEMBERS);
  const all = [...affected, ...members];
  return {
    // If not all offers are read, nothing is judged: prices would lose the flags that the missing offers give them.
    alone:
      members.length < MOST_MEMBERS ? { terms: { id: affected.map(({ id }) => id) } } : { match_none: {} },
    related: {
      sources: [...new Set(all.map(({ source }) => source))],
      gtins: new Set(all.flatMap(({ gtins }) => gtins)),
      twins: [...new Set(all.flatMap(({ twin }) => twin ?? []))],
      groups: members.length < MOST_MEMBERS ? groups : [],
    },
  };
}

const FIELDS = [
  'id',
  'source',
  'internal.gtins',
  'internal.twin',
  'internal.group_id',
  'internal.price_units',
];

async function read(
  { es, products, backoff }: { es: Client; products: string; backoff: Backoff },
  query: Query,
  size: number,
): Promise<Written[]> {
  const { hits } = await backoff.retry(() =>
    es.search<StoredListing>({
      index: products,
      query,
      size,
      sort: [{ _score: { order: 'desc' } }, { id: 'asc' }],
      _source: FIELDS,
      track_total_hits: false,
      allow_partial_search_results: false,
    }),
  );
  backoff.reset();
  return hits.hits.flatMap(({ _source }) => (_source === undefined ? [] : [writtenOf(_source)]));
}
