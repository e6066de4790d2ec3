import { type Static, Type } from 'typebox';
import { Enum, nullable, orNull } from './types.js';

/** Of search and deals. */
export const groupParameter = Type.Optional(
  Enum(['product'], {
    description:
      '`product`: of the listings of one product (`npm run link`) the one that comes first alone, with `group`; the page ' +
      'adds `total_groups`, and pages count products. `total` and facets still count listings',
  }),
);

const GroupSchema = Type.Object(
  {
    group_id: Type.Integer({ description: 'The product, as `GET /v1/products/{product_id}/offers` has it' }),
    linked_at: nullable(
      'string',
      'When `npm run link` last linked this listing; null: never, or the listing describes another product since. Offers ' +
        'may then be missing here that `GET /v1/products/{product_id}/offers` finds',
      { format: 'date-time' },
    ),
    offers: Type.Integer({ description: 'How many listings it has, whatever the filters' }),
    sources: Type.Integer({ description: 'On how many platforms' }),
    min_price: nullable('string', 'Its lowest price, decimal string; null: none has a price'),
    max_price: nullable('string', 'Its highest price'),
    currency: nullable(
      'string',
      'Of both: that of the item where prices are in several; null: the feeds name none',
    ),
    best_offer_id: orNull(
      Type.Integer(),
      'The listing to buy: in stock (or not saying), then cheapest, then the lowest id; null: none has a price',
    ),
  },
  { $id: 'ProductGroup', description: 'The product that an item is an offer of' },
);

export type ProductGroup = Static<typeof GroupSchema>;

/** What an item has with `group=product`. */
export const groupMember = { group: Type.Optional(GroupSchema) };

/** What a page has with `group=product`. */
export const groupPageMember = {
  total_groups: Type.Optional(
    Type.Integer({
      description:
        'How many products match: up to some thousands all but exactly (one in a thousand may be missing), beyond that ' +
        'within some percent. `has_more` is exact',
    }),
  ),
};
