import { type Cost, DEEP_SLOTS, LIGHT } from './cost.js';
import { hopsTo } from '../../engine/reach.js';
import type { Slice } from '../../engine/queries/selection.js';
import { badRequest } from '../../platform/errors.js';
import { MAX_OFFSET } from '../../schemas/page.js';

/** @throws ApiError 400 for an offset that no page reaches, naming the way that does. */
export function checkOffset(offset: number): void {
  if (offset > MAX_OFFSET) {
    throw badRequest(
      `offset must not exceed ${MAX_OFFSET}; use GET /v1/products/export to read the whole catalogue`,
    );
  }
}

/** What it takes to reach a page: each hop is about as much work as a search. */
export function costOfPage(slice: Slice): Cost {
  const hops = hopsTo(slice);
  return hops === 0 ? LIGHT : { pool: 'deep', slots: Math.min(hops, DEEP_SLOTS) };
}

/** Of a page of a list; what is refused costs nothing more. */
export const costOfList = (slice: Slice): Cost => (slice.offset > MAX_OFFSET ? LIGHT : costOfPage(slice));
