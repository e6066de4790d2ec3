import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { readCsv } from '../../scripts/shared/csv-file.js';
import { formatUnits, toUnits } from '../../src/listing/price.js';
import { quantityOf, type StoredQuantity } from '../../src/listing/quantity.js';
import { shareEstimate, drawSample } from '../../src/text/statistics.js';
import type { UnitPriceUnit } from '../../src/schemas/unit-price.js';
import { fromCaller } from '../../scripts/shared/terminal.js';
import { listingKey } from '../../src/listing/identify.js';
import type { Findings, Table } from './report.js';
import { type Figure } from './statistics.js';

type QuantityListing = Parameters<typeof quantityOf>[0] & {
  source: string;
  sku: string;
  price: string | null;
  currency: string | null;
};

interface JudgedQuantity {
  listing: QuantityListing;
  found: StoredQuantity | null;
}

const WORST = 100;
const SEED = 32;

/** For each unit of a truth file: the unit of unit prices, and its size in g, ml, mm or pieces. */
const TRUE_UNITS: Record<string, [UnitPriceUnit, number]> = {
  g: ['kg', 1],
  kg: ['kg', 1000],
  ml: ['l', 1],
  l: ['l', 1000],
  mm: ['m', 1],
  cm: ['m', 10],
  m: ['m', 1000],
  stk: ['piece', 1],
  unit: ['piece', 1],
  piece: ['piece', 1],
};

/** Reads the listings with a name from an NDJSON file, which may be gzipped. */
async function readCases(file: string): Promise<JudgedQuantity[]> {
  const stream = createReadStream(fromCaller(file));
  const input = file.endsWith('.gz') ? stream.pipe(createGunzip()) : stream;
  const cases: JudgedQuantity[] = [];
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const record = (line.trim() === '' ? {} : JSON.parse(line)) as Partial<QuantityListing>;
    if (typeof record.name !== 'string') continue;
    const listing: QuantityListing = {
      name: record.name,
      source: record.source ?? '',
      sku: record.sku ?? '',
      category: record.category ?? null,
      category_path: record.category_path ?? [],
      metadata: record.metadata ?? null,
      price: record.price ?? null,
      currency: record.currency ?? null,
    };
    const units = typeof listing.price === 'string' ? toUnits(listing.price) : null;
    cases.push({ listing, found: quantityOf(listing, units) });
  }
  return cases;
}

/** Measures quantities with a CSV file of true ones (a row without one: no unit price); null: only draws examples. */
export async function evaluateUnitPrices(
  files: readonly string[],
  truth: string | null,
  draw: number,
): Promise<Findings> {
  const cases = (await Promise.all(files.map(readCases))).flat();
  const given = cases.filter(({ found }) => found !== null);
  const examples: Table = {
    title: 'Random unit prices',
    header: ['per', 'amount', 'basis', 'price', 'unit price', 'name'],
    rows: drawSample(given, draw, SEED).map(rowOf),
  };
  const coverage = share('listings with a unit price', given.length, cases.length);
  if (truth === null) return { figures: [coverage], tables: draw > 0 ? [examples] : [], worst: [] };

  const rows = await readCsv(fromCaller(truth), ['source', 'sku', 'quantity', 'unit']);
  const trueOf = new Map(rows.map((row) => [listingKey(row), row]));
  const judged = cases.map((one) => {
    const { quantity = '', unit = '' } = trueOf.get(listingKey(one.listing)) ?? {};
    const [per, size] = TRUE_UNITS[unit] ?? [null, 0];
    const amount = quantity === '' || per === null ? null : Number(quantity) * size;
    return { ...one, per, amount, truth: `${quantity} ${unit}`.trim() || 'none' };
  });
  const isRight = ({ found, per, amount }: (typeof judged)[number]) =>
    found !== null && amount !== null && found.per === per && isClose(Number(found.amount), amount);
  const withTruth = judged.filter(({ amount }) => amount !== null);
  const answered = judged.filter(({ found }) => found !== null);
  const right = answered.filter(isRight);
  const ofOnePackage = answered.filter((one) => !isRight(one) && isOnePackage(one));
  const wrong = answered.filter((one) => !isRight(one));
  const missed = withTruth.filter(({ found }) => found === null);
  const quantityErrorText = ({ listing, found, truth: is }: (typeof judged)[number]) =>
    `${found === null ? 'none' : `${found.amount} (${found.per})`} instead of ${is}: ${listing.name}`;
  return {
    figures: [
      share('precision', right.length, answered.length),
      share('precision, without truths of one package', right.length, answered.length - ofOnePackage.length),
      share('recall', right.length, withTruth.length),
      coverage,
    ],
    tables: [
      {
        title: 'Right and wrong by unit',
        header: ['per', 'right', 'wrong', 'missed'],
        rows: (['kg', 'l', 'm', 'piece'] as const).map((unit) => [
          unit,
          right.filter(({ found }) => found?.per === unit).length,
          wrong.filter(({ found }) => found?.per === unit).length,
          missed.filter(({ per }) => per === unit).length,
        ]),
      },
      ...(draw > 0 ? [examples] : []),
    ],
    worst: [
      ...drawSample(wrong, WORST, SEED).map(quantityErrorText),
      ...drawSample(missed, Math.floor(WORST / 2), SEED).map(quantityErrorText),
    ],
  };
}

const share = (name: string, hits: number, cases: number): Figure => ({
  name,
  ...shareEstimate(hits, cases),
  cases,
});

const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 0.001 * Math.max(a, b);

/** Whether the truth is the size of one package of the several that the name states: 8 g for `10 x 8 g`. */
const isOnePackage = ({ listing, found, amount }: JudgedQuantity & { amount: number | null }): boolean => {
  const times = amount === null || found === null ? 0 : Number(found.amount) / amount;
  return (
    times > 1 && Number.isInteger(times) && new RegExp(`\\b${times} ?[x×] ?${amount}`, 'i').test(listing.name)
  );
};

function rowOf({ listing, found }: JudgedQuantity): string[] {
  const units = found?.unit_price?.[found.per];
  return [
    found?.per ?? '',
    found?.amount ?? '',
    found?.basis ?? '',
    `${listing.price ?? '-'} ${listing.currency ?? ''}`,
    units === undefined ? '-' : formatUnits(units, null),
    listing.name.slice(0, 120),
  ];
}
