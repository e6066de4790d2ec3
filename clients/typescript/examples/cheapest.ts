import { createClient } from 'product-catalogue-client';

declare const process: { env: Record<string, string | undefined> };

const catalogue = createClient({ url: 'http://localhost:3000', key: process.env['KEY'] ?? '' });
const { data, error } = await catalogue.GET('/v1/products/best-price', {
  params: { query: { q: 'Sonvara SNC-210M5 headphones', limit: 3 } },
});
if (error !== undefined) console.log(error.detail);
else for (const { name, price } of 'items' in data ? data.items : [data]) console.log(price, name);
