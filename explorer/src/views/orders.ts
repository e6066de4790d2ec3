import { INDEX } from './search-url.js';

/** The orders of products: the parameter `sort` of the API, and what people read for it. */
export const ORDERS: [sort: string, label: string][] = [
  ['relevance', 'Most relevant'],
  ['price_asc', 'Lowest price'],
  ['price_desc', 'Highest price'],
  ['rating', 'Best rated'],
  ['discount', 'Largest discount'],
  ['updated', 'Latest change'],
];

/** The name of the index of InstantSearch that has an order. */
export const indexOf = (sort: string): string => (sort === 'relevance' ? INDEX : `${INDEX}:${sort}`);
