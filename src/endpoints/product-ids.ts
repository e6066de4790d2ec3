import { Type } from 'typebox';
import { invalid } from '../errors.js';

/** `product_ids` of a body: two to so many. */
export const productIds = (maxItems: number) =>
  Type.Array(Type.Integer({ description: 'Product id' }), {
    minItems: 2,
    maxItems,
    examples: [[4503599627370496, 4503599627370497]],
    description: `2 to ${maxItems} product ids; one that is named again counts once`,
  });

/**
 * Each id once, in their order.
 * @throws ApiError 422 when fewer than two are left.
 */
export function distinctIds(ids: readonly number[]): number[] {
  const distinct = [...new Set(ids)];
  if (distinct.length < 2) {
    const msg = `List should have at least 2 different items after validation, not ${distinct.length}`;
    throw invalid([{ loc: ['body', 'product_ids'], msg, type: 'too_short' }]);
  }
  return distinct;
}
