import { badRequest } from '../../platform/errors.js';
import { MAX_OFFSET } from '../../schemas/page.js';

/** @throws ApiError 400 for an offset that is too large; the message names the export as the alternative. */
export function checkOffset(offset: number): void {
  if (offset > MAX_OFFSET) {
    throw badRequest(
      `offset must not exceed ${MAX_OFFSET}; use GET /v1/products/export to read the whole catalogue`,
    );
  }
}

/** Returns the members of a page other than its items, from the exact total and the number of items on the page. */
export function pageFrame(
  { total, items }: { total: number; items: number },
  { limit, offset }: { limit: number; offset: number },
) {
  return { total, limit, offset, has_more: items > 0 && offset + items < total };
}
