import type { Tool } from '../tool.js';
import { findBestPrice } from './best-price.js';
import { listCategories } from './categories.js';
import { compareProducts, diffProducts } from './comparison.js';
import { fetch, search } from './connector.js';
import { getChanges, manageAlerts } from './follow.js';
import { getDeals, getProduct, lookUp, searchProducts } from './listings.js';
import { getOffers } from './offers.js';
import { getPriceHistory } from './prices.js';
import { findCompatible, findSimilar } from './related.js';

export const tools: readonly Tool[] = [
  searchProducts,
  getProduct,
  findBestPrice,
  compareProducts,
  diffProducts,
  getOffers,
  getPriceHistory,
  getDeals,
  lookUp,
  listCategories,
  search,
  fetch,
  getChanges,
  manageAlerts,
  findSimilar,
  findCompatible,
];
