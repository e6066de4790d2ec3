import { Type } from 'typebox';
import { ProductSchema } from './product.js';
import { Enum, List, nullable } from './types.js';

/** The members that the parameter `include` adds to listings. */
export const INCLUDED = ['brand_inferred'] as const;

/** The values of the parameter `include`. */
export type Include = readonly string[];

const OPTIONS = {
  maxItems: 20,
  description: '`brand_inferred` adds to each listing the maker that was inferred from its name',
  examples: [['brand_inferred']],
};

/** The parameter `include` of endpoints that return listings. */
export const includeParameter = Type.Optional(List(',', Enum(INCLUDED), OPTIONS));

/** The member `include` of the bodies of requests whose answers contain listings. */
export const includeMember = Type.Optional(Type.Array(Enum(INCLUDED), OPTIONS));

/** The members of a listing that `include` adds. */
export const includedMembers = {
  brand_inferred: Type.Optional(
    nullable(
      'string',
      'With `include=brand_inferred`: the maker that the brand dictionary of the catalogue found in the name. Null if the feed ' +
        'states a `brand`, or if no maker is certain enough',
      { examples: ['Auralis'] },
    ),
  ),
};

/** A listing of a page, with the members that `include` adds. */
export const ListedProductSchema = Type.Object(
  { ...ProductSchema.properties, ...includedMembers },
  { $id: 'ListedProduct', description: 'A listing, with the members that `include` adds' },
);
