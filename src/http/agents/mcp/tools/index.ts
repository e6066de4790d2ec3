import type { Tool } from '../tool.js';
import { compareProducts, diffProducts, findCompatible, findSimilar } from './comparison.js';
import { fetch, search } from './connector.js';
import { getChanges, manageAlerts } from './follow.js';
import { getDeals, getProduct, listCategories, lookUp, searchProducts } from './listings.js';
import { findBestPrice, getOffers, getPriceHistory } from './prices.js';

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
