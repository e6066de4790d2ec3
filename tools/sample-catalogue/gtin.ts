import { checkDigit } from '../../src/listing/gtin.js';
import { hash32 } from './random.js';

const BODIES = 1e11;
/** Has no common factor with ten, so that different products have different numbers. */
const STEP = 70_368_749;

/** Returns the EAN-13 of a product, from the range 200 to 299 that no real product has. */
export function gtin13(seed: number, index: number): string {
  const body = `2${String((index * STEP + hash32(seed, 'gtin')) % BODIES).padStart(11, '0')}`;
  return body + checkDigit(body);
}
