import type { Client, estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../../src/listing/listing.js';
import { PRODUCT_FIELDS } from '../../src/schemas/product.js';

/** A listing as a record of a feed, with the id of the listing. */
export type DumpRow = Record<string, unknown>;

/** The columns of a Parquet file. Prices are text, because a binary float would not be exact. */
export const COLUMNS = [...PRODUCT_FIELDS, 'gtin', 'list_price', 'price_history'].map((name) => ({
  name,
  type:
    name === 'id' ? ('INT64' as const) : name === 'is_available' ? ('BOOLEAN' as const) : ('STRING' as const),
}));

/** The fields of a feed record that are not part of the API's Product, by their paths in the index. */
const STATED_FIELDS = ['internal.declared_gtins', 'internal.list_price'];

const PAGE = 1_000;
const KEEP_ALIVE = '5m';

/** Returns all listings of the catalogue, sorted by id and consistent at one point in time. */
export async function* dumpRows(
  es: Client,
  {
    index,
    history,
    source,
    signal,
  }: { index: string; history: boolean; source: string | undefined; signal: AbortSignal },
): AsyncGenerator<DumpRow> {
  const pit = {
    id: (await es.openPointInTime({ index, keep_alive: KEEP_ALIVE })).id,
    keep_alive: KEEP_ALIVE,
  };
  try {
    let after: estypes.SortResults | undefined;
    do {
      const { hits, pit_id } = await es.search<StoredListing>({
        pit,
        size: PAGE,
        sort: [{ id: 'asc' }],
        track_total_hits: false,
        query: source === undefined ? { match_all: {} } : { term: { source } },
        _source: [...PRODUCT_FIELDS, ...STATED_FIELDS, ...(history ? ['internal.price_history'] : [])],
        ...(after === undefined ? {} : { search_after: after }),
      });
      pit.id = pit_id ?? pit.id;
      after = hits.hits.at(-1)?.sort;
      for (const { _source } of hits.hits) if (_source !== undefined) yield rowOf(_source, history);
    } while (after !== undefined && !signal.aborted);
  } finally {
    await es.closePointInTime({ id: pit.id }, { ignore: [404] });
  }
}

function rowOf(listing: StoredListing, history: boolean): DumpRow {
  const { declared_gtins, list_price } = listing.internal;
  const row = {
    ...Object.fromEntries(PRODUCT_FIELDS.map((field) => [field, listing[field]])),
    gtin: declared_gtins.length > 0 ? declared_gtins : null,
    list_price,
  };
  if (!history) return row;
  // Feeds state past prices in the listing's own currency only. Declared prices keep the member `declared`.
  const own = listing.internal.price_history.filter(({ currency }) => currency === undefined);
  return { ...row, price_history: own };
}
