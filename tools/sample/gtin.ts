import { checkDigit } from '../../src/listing/gtin.js';
import { hash32 } from './random.js';

const BODIES = 1e11;
/** No factor in common with ten, so that different products have different bodies; exact up to 10^8 products. */
const STEP = 70_368_749;

/** An EAN-13 in the range 200 to 299, which shops use inside: no product that is sold anywhere has it. */
export function gtin13(seed: number, index: number): string {
  const body = `2${String((index * STEP + hash32(seed, 'gtin')) % BODIES).padStart(11, '0')}`;
  return body + checkDigit(body);
}
