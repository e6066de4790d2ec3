import type { Api } from './api.js';

/** A feed record with what a test is about, and plain values for what every record needs. */
export function record(fields: { sku: string } & Record<string, unknown>): Record<string, unknown> {
  return { source: 'shop_a', name: `Listing ${fields.sku}`, price: '10.00', currency: 'SGD', ...fields };
}

/** SKUs of a page, in order. */
export const skus = (body: { items: { sku: string }[] }): string[] => body.items.map(({ sku }) => sku);

/** Puts listings into one group now, as `npm run link` does. */
export async function groupListings(api: Api, members: readonly string[]): Promise<void> {
  const ids = await Promise.all(members.map((sku) => api.id(sku)));
  await api.es.updateByQuery({
    index: api.products,
    query: { ids: { values: ids.map(String) } },
    script: {
      source: 'ctx._source.internal.group_id = params.id; ctx._source.internal.linked_at = params.at',
      params: { id: ids[0], at: new Date().toISOString() },
    },
    refresh: true,
  });
}
