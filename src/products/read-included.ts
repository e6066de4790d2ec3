import { getListingsById } from '../engine/documents.js';
import { CANDIDATE_FIELDS } from '../engine/queries/candidates.js';
import type { StoredListing } from '../listing/listing.js';
import { type LinkSettings, toProduct } from '../listing/product.js';
import type { Include } from '../schemas/include.js';
import type { Product } from '../schemas/product.js';
import { includedFields, includedIn, type IncludeSettings } from './included.js';
import type { Catalogue } from './product-ids.js';

/**
 * Returns a function that does for match candidates what `productWith` does for listings. Reads the candidates again, by id, if
 * they lack a field of the members that `include` adds.
 */
export async function candidatesWith(
  include: Include,
  candidates: readonly StoredListing[],
  context: Catalogue & IncludeSettings & { config: LinkSettings },
  now?: Date,
): Promise<(candidate: StoredListing) => Product> {
  const { es, products, config } = context;
  const fields = includedFields(include);
  const lackNone = fields.every((field) => CANDIDATE_FIELDS.includes(field));
  const ids = lackNone ? [] : candidates.map(({ id }) => id);
  const read = await getListingsById(es, products, ids, ['id', ...fields]);
  return (candidate) => ({
    ...toProduct(candidate, config),
    ...includedIn(read.get(candidate.id) ?? candidate, include, context, now),
  });
}
