import { fileWriter, parquetWriteRows, type SchemaElement } from 'hyparquet-writer';
import { groupOf, type StoredListing } from '../../src/listing/listing.js';
import { statedDelivery } from '../../src/listing/delivery.js';
import { toUnits } from '../../src/listing/price.js';
import { PRODUCT_FIELDS } from '../../src/schemas/product.js';

/** The number of rows in each row group of a Parquet file, which are held in memory at a time. */
const ROW_GROUP = 10_000;

const INTEGER = { type: 'INT64' } as const;
const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
const TIME = { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' } as const;
/** Prices have at most four decimals and are stored as ten-thousandths, so they are exact. */
const PRICE = { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 4 } as const;

const TYPES: Readonly<Record<string, Omit<SchemaElement, 'name'>>> = {
  id: INTEGER,
  group_id: INTEGER,
  price: PRICE,
  list_price: PRICE,
  is_available: { type: 'BOOLEAN' },
  last_checked: TIME,
  updated_at: TIME,
  first_observed_at: TIME,
  observed_at: TIME,
};
const LISTS: ReadonlySet<string> = new Set(['category_path', 'gtin']);

const elementsOf = (name: string): SchemaElement[] =>
  LISTS.has(name)
    ? [
        { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'OPTIONAL', ...TEXT },
      ]
    : [{ name, repetition_type: 'OPTIONAL', ...(TYPES[name] ?? TEXT) }];

/** Writes listings to a Parquet file with typed columns. @param history whether to write price histories. */
export async function writeParquet(
  file: string,
  listings: AsyncIterable<StoredListing>,
  history: boolean,
): Promise<void> {
  const names = [
    ...PRODUCT_FIELDS,
    'gtin',
    'list_price',
    'delivery',
    'condition',
    'group_id',
    'first_observed_at',
    'observed_at',
    ...(history ? ['price_history'] : []),
  ];
  async function* rows() {
    for await (const listing of listings) yield rowOf(listing, history);
  }
  await parquetWriteRows({
    writer: fileWriter(file),
    rows: rows(),
    columns: names.map((name) => ({ name, nullable: true })),
    schema: [{ name: 'root', num_children: names.length }, ...names.flatMap(elementsOf)],
    rowGroupSize: ROW_GROUP,
  });
}

function rowOf(listing: StoredListing, history: boolean): Record<string, unknown> {
  const { declared_gtins, list_price, first_observed_at, observed_at, price_history } = listing.internal;
  const delivery = statedDelivery(listing.internal);
  const { id, price, last_checked, updated_at, metadata } = listing;
  return {
    ...listing,
    id: BigInt(id),
    price: unitsOf(price),
    last_checked: dateOf(last_checked),
    updated_at: dateOf(updated_at),
    metadata: metadata === null ? null : JSON.stringify(metadata),
    gtin: declared_gtins,
    list_price: unitsOf(list_price),
    delivery: delivery === null ? null : JSON.stringify(delivery),
    condition: listing.internal.condition?.stated ?? null,
    group_id: BigInt(groupOf(listing)),
    first_observed_at: dateOf(first_observed_at),
    observed_at: dateOf(observed_at),
    ...(history ? { price_history: JSON.stringify(price_history) } : {}),
  };
}

const unitsOf = (amount: string | null): bigint | null => (amount === null ? null : BigInt(toUnits(amount)));
const dateOf = (time: string | null): Date | null => (time === null ? null : new Date(time));
