import { Type } from 'typebox';
import type { Context } from '../context.js';
import { needsReindex } from '../../platform/errors.js';
import type { ReadIdentifier } from '../../engine/queries/lookup.js';
import { LIMITS } from '../../schemas/product.js';

export const LOOKUP_ORDER =
  'Listings in stock, or that do not say, come first, then the cheapest in one currency, then the lowest id.';

const text = (description: string, maxLength: number, example?: string) =>
  Type.String({
    description,
    minLength: 1,
    maxLength,
    ...(example === undefined ? {} : { examples: [example] }),
  });

/** What a listing can be looked up by, and what may go with it. */
export const identifierParameters = {
  gtin: text(
    'GTIN-8, UPC-12, EAN-13, GTIN-14 or ISBN-10; blanks and hyphens do not count; or a GS1 Digital Link',
    LIMITS.url,
    '4006381333931',
  ),
  sku: text('SKU, as the feed states it', LIMITS.sku),
  model: text('Model or part number that the feed states, in any spelling', 100),
  url: text(
    "Address of the listing's page at its shop, in any spelling and with any tracking parameters; a GS1 Digital Link is a GTIN",
    LIMITS.url,
  ),
  source: text('With `sku`: the source platform code', LIMITS.source),
  brand: text('With `model`: the brand in full; case and accents do not matter', LIMITS.brand),
};

/** What finds nothing may only be unknown to an index of an earlier schema. @throws ApiError 503 that says what to do. */
export async function checkSchema(
  { schemaVersion }: Context,
  reads: readonly ReadIdentifier[],
): Promise<void> {
  const needed = Math.max(0, ...reads.map((read) => ('schema' in read ? (read.schema ?? 0) : 0)));
  if (needed > 0 && (await schemaVersion()) < needed) throw needsReindex('look-up by URL');
}
