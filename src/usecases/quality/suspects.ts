import type { estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../../listing/listing.js';
import type { Flag } from '../../schemas/flags.js';
import type { Look, Said } from './look.js';

type Query = estypes.QueryDslQueryContainer;

/** One listing as it is judged, and where it was read. */
export interface Read {
  listing: StoredListing;
  at: Required<Pick<estypes.SearchHit, '_index' | '_id' | '_seq_no' | '_primary_term'>>;
}

/** Flags that others give a listing, and may take again. */
const GIVEN: readonly Flag[] = ['price_placeholder', 'price_outlier', 'gtin_conflict', 'duplicate'];

/** Listings a page, and values a query. */
const PAGE = 1_000;

const JUDGED_BY = [
  'id',
  'source',
  'name',
  'brand',
  'category',
  'image_url',
  'price',
  'currency',
  'metadata',
  'internal',
];

/**
 * Whatever may have to be judged otherwise than it is: all offers of a product together, where their prices are far
 * apart; alone what others say something else of, or said before. Some come twice.
 * @param alone which listings are judged alone.
 */
export async function* suspects(
  look: Look,
  said: Said,
  alone: readonly Query[] = aloneQueries(said),
): AsyncGenerator<Read[][]> {
  for (const groups of batches(said.uneven)) {
    const sort: estypes.SortCombinations[] = [{ 'internal.group_id': 'asc' }, { id: 'asc' }];
    let open: Read[] = [];
    for await (const page of pagesOf(look, { terms: { 'internal.group_id': groups } }, sort)) {
      const whole: Read[][] = [];
      for (const read of page) {
        if (open[0] !== undefined && groupOf(open[0]) !== groupOf(read)) {
          whole.push(open);
          open = [];
        }
        open.push(read);
      }
      yield whole;
    }
    if (open.length > 0) yield [open];
  }
  for (const query of alone) {
    const unscored: Query = { bool: { filter: query } };
    for await (const page of pagesOf(look, unscored, [{ id: 'asc' }])) yield page.map((read) => [read]);
  }
}

const groupOf = ({ listing }: Read) => listing.internal.group_id;

function aloneQueries({ shared, contested, twins }: Said): Query[] {
  const pairs = shared
    .pairs()
    .map(({ source, units }): Query => ({
      bool: { filter: [{ term: { source } }, { term: { 'internal.price_units': units } }] },
    }));
  return [
    { terms: { 'internal.flags': [...GIVEN] } },
    ...batches([...twins.keys()]).map((keys): Query => ({ terms: { 'internal.twin': keys } })),
    ...batches([...contested.keys()]).map((gtins): Query => ({ terms: { 'internal.gtins': gtins } })),
    ...batches(pairs, 100).map((should): Query => ({ bool: { should } })),
  ];
}

function batches<T>(values: readonly T[], size = PAGE): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) =>
    values.slice(i * size, (i + 1) * size),
  );
}

async function* pagesOf(
  { es, products, backoff }: Look,
  query: Query,
  sort: estypes.SortCombinations[],
): AsyncGenerator<Read[]> {
  let after: estypes.SortResults | undefined;
  do {
    const request: estypes.SearchRequest = {
      index: products,
      query,
      sort,
      size: PAGE,
      _source: JUDGED_BY,
      seq_no_primary_term: true,
      track_total_hits: false,
      allow_partial_search_results: false,
      ...(after === undefined ? {} : { search_after: after }),
    };
    const { hits } = await backoff.retry(() => es.search<StoredListing>(request));
    backoff.reset();
    yield hits.hits.flatMap(({ _source, _index, _id = '', _seq_no = 0, _primary_term = 0 }) =>
      _source === undefined ? [] : [{ listing: _source, at: { _index, _id, _seq_no, _primary_term } }],
    );
    after = hits.hits.length < PAGE ? undefined : hits.hits.at(-1)?.sort;
  } while (after !== undefined);
}
