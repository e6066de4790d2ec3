import { type Static, Type } from 'typebox';
import { component, integer, nullable, optional, orNull, text, timeOrNull } from './types.js';

export const groupParameter = optional.Enum(['product'], {
  description:
    '`product`: only the first listing of each product is returned, with a `group` that summarizes its offers (as ' +
    'linked by `npm run link`). `limit` and `offset` then count products, and their sum must be below 50,000. The page has ' +
    '`total_groups`; `total` and facets still count listings. In an order by price, the best offer of each product that matches is ' +
    'returned, and products out of stock follow',
});

const GroupSchema = component('ProductGroup', 'The product of an item and a summary of its offers', {
  group_id: integer('The id of the product, as its offers state it'),
  linked_at: timeOrNull(
    'When `npm run link` last linked this listing; null if it did not since its identifying fields changed: it may then have more offers',
  ),
  offers: integer('The number of listings of the product, regardless of the filters'),
  sources: integer('The number of platforms of these listings'),
  min_price: nullable('string', 'The lowest price as a decimal string; null if no listing has a price'),
  max_price: nullable('string', 'The highest price, likewise'),
  currency: nullable(
    'string',
    'The currency of both prices: that of the item if there are several; null if the feeds state none',
  ),
  best_offer_id: orNull(
    Type.Integer(),
    'The id of the best offer of new goods, or in the condition that `condition` or `q` names: in stock or unknown first, then the lowest ' +
      'price, then the lowest id; null if none has a price',
  ),
  best_offer: orNull(
    Type.Object({
      source: text('Its platform'),
      price: nullable('string', 'Its price'),
      currency: nullable('string', 'The currency of its price'),
      is_available: nullable('boolean', 'Whether it is in stock'),
    }),
    'The best offer',
  ),
});

export type ProductGroup = Static<typeof GroupSchema>;

/** The member `group` that an item of a response has with `group=product`. */
export const groupMember = { group: Type.Optional(GroupSchema) };

/** The members that a page of results has in addition with `group=product`. */
export const groupPageMember = {
  total_groups: optional.integer(
    'The approximate number of matching products: at most one in a thousand is missing up to a few thousand, a few percent beyond. `has_more` is exact',
  ),
};
