import { badRequest } from '../../errors.js';
import { MAX_OFFSET } from '../../schemas/page.js';

/** @throws ApiError 400 for an offset that no page reaches, naming the way that does. */
export function checkOffset(offset: number): void {
  if (offset > MAX_OFFSET) {
    throw badRequest(
      `offset must not exceed ${MAX_OFFSET}; use GET /v1/products/export to read the whole catalogue`,
    );
  }
}
