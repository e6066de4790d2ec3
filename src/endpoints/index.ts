import type { Endpoint } from '../endpoint.js';
import { bestPrice } from './best-price.js';
import { categories } from './categories.js';
import { compare } from './compare.js';
import { compareDiff } from './compare-diff.js';
import { compareMatrix } from './compare-matrix.js';
import { deals } from './deals.js';
import { exportListings } from './export.js';
import { health, livez, readyz } from './health.js';
import { keyEndpoints } from './keys.js';
import { product } from './product.js';
import { rootEndpoints } from './root.js';
import { searchEndpoints } from './search.js';
import { token } from './token.js';
import { track } from './track.js';
import { trending } from './trending.js';

/**
 * Every endpoint. Router, API root and OpenAPI document read this list and no other.
 * Static paths stand before `/v1/products/{product_id}`, which would match them too.
 */
export const endpoints: readonly Endpoint[] = [
  ...rootEndpoints(() => endpoints),
  health,
  livez,
  readyz,
  ...searchEndpoints,
  trending,
  exportListings,
  bestPrice,
  compare,
  compareMatrix,
  compareDiff,
  product,
  categories,
  deals,
  ...keyEndpoints,
  token,
  track,
];
