import type { UnitPrice } from '../schemas/unit-price.js';
import { formatUnits } from './price.js';
import type { StoredQuantity } from './quantity.js';

/** The unit price of a listing, as the API shows it; null if its quantity is not certain or it has no price. */
export function unitPriceOf(
  currency: string | null,
  quantity: StoredQuantity | null | undefined,
): UnitPrice | null {
  const units = quantity?.unit_price?.[quantity.per];
  return quantity === null || quantity === undefined || units === undefined
    ? null
    : { value: formatUnits(units, currency), currency, per: quantity.per, basis: quantity.basis };
}
