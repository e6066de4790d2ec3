import { Type } from 'typebox';
import type { Product } from '../../../../schemas/product.js';
import { money, singleItem } from '../item.js';
import { MAX_CHARACTERS, shortened, truncated } from '../text.js';
import { linesOfListing } from './listings.js';
import { ask, type Tool } from '../tool.js';

// ChatGPT prescribes the names, arguments and results of these two tools of a connector. The text of a result is JSON.

const RESULTS = 10;
const MAX_TITLE_CHARACTERS = 150;

const uriOf = (id: number): string => `catalog://products/${id}`;

function titleOf({ name, price, currency, source }: Product): string {
  const offer = price === null ? source : `${money(price, currency)} at ${source}`;
  return `${shortened(name, MAX_TITLE_CHARACTERS)} (${offer})`;
}

const resultOf = (listing: Product) => ({
  id: String(listing.id),
  title: titleOf(listing),
  url: listing.buy_url ?? uriOf(listing.id),
});

export const search: Tool = {
  name: 'search',
  title: 'Search (connectors)',
  description: 'Listings by words, in the form that connectors expect; fetch gives one in full.',
  aliases: { q: 'query' },
  input: Type.Object({ query: Type.String() }),
  output: Type.Object({
    results: Type.Array(Type.Object({ id: Type.String(), title: Type.String(), url: Type.String() })),
  }),
  async run({ query }, api) {
    // A connector has no other argument than the words, so price limits and sort orders in them are interpreted.
    const asked = { q: query ?? '', interpret: true, limit: RESULTS };
    const { items } = await ask<{ items: Product[] }>(api, 'GET /v1/search', asked);
    const results = items.map(resultOf);
    // The last results are dropped until the text fits, because the URLs of shops may be long.
    while (JSON.stringify({ results }).length > MAX_CHARACTERS) results.pop();
    return { structured: { results }, lines: [], text: JSON.stringify({ results }) };
  },
};

export const fetch: Tool = {
  name: 'fetch',
  title: 'Fetch (connectors)',
  description: 'One listing in full by its id, in the form that connectors expect.',
  aliases: { product_id: 'id' },
  input: Type.Object({ id: Type.String() }),
  output: Type.Object({
    id: Type.String(),
    title: Type.String(),
    text: Type.String(),
    url: Type.String(),
    metadata: Type.Record(Type.String(), Type.String()),
  }),
  async run({ id }, api) {
    const listing = await ask<Product>(api, 'GET /v1/products/{product_id}', { product_id: id ?? '' });
    const { source, price, currency, last_checked } = listing;
    const metadata = Object.fromEntries(
      Object.entries({ source, price, currency, last_checked }).filter(([, value]) => value !== null),
    );
    const text = linesOfListing({
      ...singleItem('full', api.now, listing),
      description: listing.description,
    }).join('\n');
    const whole = { ...resultOf(listing), metadata };
    const room = MAX_CHARACTERS - JSON.stringify(whole).length;
    return {
      structured: { ...whole, text },
      lines: [],
      text: JSON.stringify({ ...whole, text: asJson(text, room) }),
    };
  },
};

function asJson(text: string, room: number): string {
  let most = text.length;
  while (most > 0 && JSON.stringify(truncated(text, most)).length > room - '"text":,'.length)
    most = Math.floor(most * 0.9);
  return truncated(text, most);
}
