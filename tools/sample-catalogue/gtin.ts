import { checkDigit } from '../../src/listing/gtin.js';
import { hash32 } from './random.js';

const BODIES = 1e11;
/**
 * The step between the numbers of consecutive products. It has no common factor with ten, so that different
 * products have different numbers. Products of up to 10^8 are within the range of exact integers.
 */
const STEP = 70_368_749;

/**
 * Returns the EAN-13 of a product. It is in the range from 200 to 299, which is reserved for the internal
 * use of shops, so that no real product has it.
 */
export function gtin13(seed: number, index: number): string {
  const body = `2${String((index * STEP + hash32(seed, 'gtin')) % BODIES).padStart(11, '0')}`;
  return body + checkDigit(body);
}
