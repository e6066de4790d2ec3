import type { Client } from '@elastic/elasticsearch';
import { productsAlias } from '../../engine/indices.js';
import type { FeedItem } from '../../feeds/read/feed.js';
import { listingId } from '../../listing/identify.js';
import type { StoredListing } from '../../listing/listing.js';
import { toUnits } from '../../listing/price.js';
import { readKey } from '../../listing/validate.js';
import { formatCount } from '../../text/quantities.js';
import { GuardError } from './guards.js';
import { median } from '../../text/statistics.js';

/** The minimum number of listings from which a change of the whole source can be recognised. */
const MIN_COMPARED = 3;

/**
 * Compares the prices at the beginning of a feed with stored ones. If most moved by the same factor, the decimal separator, the
 * currency or the column of the price is probably wrong.
 * @param maxPercent the maximum change of the median, in percent of the lower price.
 * @throws GuardError if the median moved further, or if most prices are in another currency.
 */
export async function guardPrices(
  head: readonly FeedItem[],
  maxPercent: number,
  { es, indexPrefix }: { es: Client; indexPrefix: string },
): Promise<void> {
  const records = pricedRecords(head);
  if (records.length < MIN_COMPARED) return;
  const index = productsAlias(indexPrefix);
  const { docs } = await es.mget<Pick<StoredListing, 'source' | 'sku' | 'price' | 'currency'>>({
    index,
    ids: records.map(({ id }) => String(id)),
    _source: ['source', 'sku', 'price', 'currency'],
  });
  const pairs = docs.flatMap((doc, at) => {
    const record = records[at];
    const known = 'found' in doc && doc.found ? doc._source : undefined;
    return record === undefined || typeof known?.price !== 'string' || known.sku !== record.sku
      ? []
      : [{ record, before: toUnits(known.price), currency: known.currency }];
  });
  if (pairs.length < MIN_COMPARED) return;
  const others = pairs.filter(({ record, currency }) => record.currency !== currency);
  const [moved] = others;
  if (moved !== undefined && 2 * others.length > pairs.length)
    throw refusal(
      `${formatCount(others.length)} of the ${formatCount(pairs.length)} compared prices are in ${moved.record.currency ?? 'an unknown currency'}, and were in ${moved.currency ?? 'an unknown currency'}. Nothing was loaded.`,
    );
  // The changes are natural logarithms, so that doubling and halving cancel out.
  const changed = pairs.filter(({ record, before }) => before > 0 && record.price > 0);
  const change = median(changed.map(({ record, before }) => Math.log(record.price / before)));
  if (percentOf(change) <= maxPercent) return;
  const shown = Number(percentOf(change).toFixed(1)).toLocaleString('en-US');
  throw refusal(
    `The median price of ${formatCount(pairs.length)} compared listings has ${change > 0 ? 'risen' : 'fallen'} by a factor of ${Number(Math.exp(Math.abs(change)).toPrecision(3))} (${shown} % of the lower price), above the ${maxPercent} % of --max-price-change. Nothing was loaded. Is the decimal separator right, and the column of the price?`,
  );
}

const refusal = (message: string) => new GuardError('max_price_change', message);

/** The change of a price as a natural logarithm, in percent of the lower price: 100 if it doubles or halves. */
const percentOf = (change: number): number => 100 * (Math.exp(Math.abs(change)) - 1);

const AMOUNT = /^\d{1,12}(?:\.\d{1,4})?$/;

function pricedRecords(head: readonly FeedItem[]) {
  // Of several records of a listing, the last one counts.
  const records = new Map<number, { id: number; sku: string; price: number; currency: string | null }>();
  for (const { value, error, reasons } of head) {
    const key = error === undefined && reasons === undefined ? readKey(value) : null;
    if (key === null) continue;
    const { price, currency } = value as { price?: unknown; currency?: unknown };
    const amount = typeof price === 'number' ? String(price) : typeof price === 'string' ? price.trim() : '';
    if (!AMOUNT.test(amount)) continue;
    const id = listingId(key.source, key.sku, 0);
    const code =
      typeof currency === 'string' && currency.trim() !== '' ? currency.trim().toUpperCase() : null;
    records.set(id, { id, sku: key.sku, price: toUnits(amount), currency: code });
  }
  return [...records.values()];
}
