/** A feed record with what a test is about, and plain values for what every record needs. */
export function record(fields: { sku: string } & Record<string, unknown>): Record<string, unknown> {
  return { source: 'shop_a', name: `Listing ${fields.sku}`, price: '10.00', currency: 'SGD', ...fields };
}

/** SKUs of a page, in order. */
export const skus = (body: { items: { sku: string }[] }): string[] => body.items.map(({ sku }) => sku);
