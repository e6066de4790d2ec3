import { Type, type Static, type TObject } from 'typebox';
import { LIMITS } from './product.js';
import { Decimal } from './types.js';

/** The filters that search, export and others share. */
export const filterParameters = {
  category: Type.Optional(
    Type.String({
      description: 'Part of the primary category name, in upper or lower case; every character means itself',
      // No category is longer, and the engine refuses patterns of some hundred characters.
      maxLength: LIMITS.category,
    }),
  ),
  min_price: Type.Optional(
    Decimal({ minimum: 0, description: 'Lowest price, inclusive; leaves out listings without a price' }),
  ),
  max_price: Type.Optional(
    Decimal({ minimum: 0, description: 'Highest price, inclusive; leaves out listings without a price' }),
  ),
};

/** Two names of one filter; `filterClauses` decides between them. */
export const platformParameters = {
  platform: Type.Optional(Type.String({ description: 'Source platform code, such as `shopee_sg`' })),
  source: Type.Optional(
    Type.String({ description: 'Another name for `platform`, which wins where both are given' }),
  ),
};

/**
 * Which listings, besides their text: what requests have of it by these names is what `filterClauses` applies, so that
 * no endpoint documents a filter and forgets it. Decimals are text.
 */
export type Filters = Static<TObject<typeof filterParameters & typeof platformParameters>> & {
  in_stock?: boolean;
};
