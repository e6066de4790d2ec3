/**
 * Watches the price of a product: creates an alert, which the service checks, and prints each time that it fired.
 *
 *   KEY=... npx tsx price-watch.ts http://localhost:3000 "Sonvara SNC-210M5 headphones" 150.00 SGD [--once]
 *
 * With --once, it prints the events until now and ends. The alert stays, so a later run continues.
 */
import { createClient } from 'product-catalogue-client';

declare const process: { argv: string[]; env: Record<string, string | undefined> };

const SECONDS_BETWEEN = 60;
const [url = '', q = '', price_below = '', currency = '', mode] = process.argv.slice(2);
const catalogue = createClient({ url, key: process.env['KEY'] ?? '' });

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

/**
 * Sends a request, and again while the service is busy, and returns the body of the answer.
 * @throws Error with what the service says is wrong.
 */
async function ask<Body>(
  send: () => Promise<{ data?: Body; error?: { detail: unknown }; response: Response }>,
): Promise<Body> {
  for (;;) {
    const { data, error, response } = await send();
    if (data !== undefined) return data;
    if (![429, 503].includes(response.status)) throw new Error(JSON.stringify(error?.detail));
    await pause(Number(response.headers.get('Retry-After') ?? 5));
  }
}

const best = await ask(() => catalogue.GET('/v1/products/best-price', { params: { query: { q } } }));
const product = 'items' in best ? best.items[0] : best;
if (product?.id === undefined) throw new Error(`Nobody sells ${q}`);
console.log(`${product.name}: ${product.currency} ${product.price} at ${product.source}`);

const body = { product_id: product.id, scope: 'product' as const, when: { price_below, currency } };
const { alert_id } = await ask(() => catalogue.POST('/v1/alerts', { body }));
console.log(`Waiting for a price below ${currency} ${price_below}`);

let after: string | undefined;
for (;;) {
  const query = after === undefined ? {} : { after };
  const events = await ask(() =>
    catalogue.GET('/v1/alerts/{alert_id}/events', { params: { path: { alert_id }, query } }),
  );
  for (const { event_id, timestamp, data } of events.items) {
    const found = data.product;
    if (found !== null) console.log(`${timestamp}: ${found.currency} ${found.price} at ${found.source}`);
    after = event_id;
  }
  if (events.has_more) continue;
  if (mode === '--once') break;
  await pause(SECONDS_BETWEEN);
}
