import { PRODUCT_FIELDS, type Product } from '../../schemas/product.js';
import type { Addition } from './additions.js';

/** What a link is made of where the feed brings none. */
const BEHIND_LINK: (keyof Product)[] = ['sku', 'source', 'buy_url'];
/** What tells whether a text is the name of the first listing. */
const BEHIND_ORDER: (keyof Product)[] = ['source', 'name'];

/** The fields that items show, in their order, with the id; null: all. */
export function shownFields(asked: readonly string[]): (keyof Product)[] | null {
  if (asked.length === 0) return null;
  return PRODUCT_FIELDS.filter((field) => field === 'id' || asked.includes(field));
}

/** Asks for some fields, and for what they are made of. */
export function onlyFields(shown: readonly (keyof Product)[]): Addition {
  const behind = shown.includes('affiliate_url') ? BEHIND_LINK : [];
  return { request: { _source: { includes: [...new Set([...shown, ...behind, ...BEHIND_ORDER])] } } };
}
