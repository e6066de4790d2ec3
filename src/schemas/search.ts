import { excludedMember } from './excluded.js';
import { Type } from 'typebox';
import { EmptySchema, ExplanationSchema, MatchedSchema, WhySchema } from './explain.js';
import { FacetSchema } from './facets.js';
import { groupMember, groupPageMember } from './group.js';
import { includedMembers, positionMember, readingMember } from './include.js';
import { SearchPageSchema } from './page.js';
import { ProductSchema } from './product.js';
import { nullable } from './types.js';

const HighlightSchema = Type.Object(
  {
    name: Type.String({ description: 'The name as HTML, with matches in `<em>`' }),
    description: nullable('string', 'The description as HTML, with matches in `<em>`'),
  },
  { $id: 'Highlight' },
);

/** The members that parameters add to an item of a search. */
const addedMembers = {
  highlight: Type.Optional(HighlightSchema),
  ...includedMembers,
  ...positionMember,
  ...readingMember,
  ...groupMember,
  why: Type.Optional(WhySchema),
};

const FoundItemSchema = Type.Object(
  { ...ProductSchema.properties, ...addedMembers },
  { $id: 'FoundItem', description: 'A Product, with the members that parameters add' },
);

const SelectedItemSchema = Type.Object(
  { ...Type.Partial(ProductSchema).properties, id: ProductSchema.properties.id, ...addedMembers },
  {
    $id: 'SelectedItem',
    description: 'The `fields` of a Product and its id, with the members that parameters add',
  },
);

/** The words of `q` that the service applied as a parameter. */
export const InterpretedSchema = Type.Object(
  {
    parameter: Type.String({ description: 'A parameter of this endpoint', examples: ['max_price'] }),
    value: Type.String({ description: 'The value as it is written in a URL', examples: ['50'] }),
    from: Type.Integer({ description: 'Start of the words in `q`, in UTF-16 code units' }),
    to: Type.Integer({ description: 'End of the words in `q`, exclusive' }),
  },
  { $id: 'Interpreted' },
);

export const FoundPageSchema = Type.Object(
  {
    ...SearchPageSchema.properties,
    items: Type.Array(FoundItemSchema),
    matched: Type.Optional(MatchedSchema),
    explanation: Type.Optional(ExplanationSchema),
    empty: Type.Optional(EmptySchema),
    interpreted: Type.Optional(
      Type.Array(InterpretedSchema, {
        description:
          'With `interpret`: the words that were applied as parameters; the other words are searched for',
      }),
    ),
    next_cursor: Type.Optional(
      nullable('string', 'With `cursor`: the cursor of the next page; null on the last page'),
    ),
    ...groupPageMember,
    ...excludedMember,
    facets: Type.Optional(
      Type.Array(FacetSchema, {
        description: 'With `facets`: the facets in the requested order, for `price` one for each currency',
      }),
    ),
  },
  { $id: 'FoundPage', description: 'One page of listings, with the members that parameters add' },
);

/** The page of a request with `count=none`. */
export const UncountedPageSchema = Type.Object(
  {
    ...FoundPageSchema.properties,
    total: Type.Null(),
    items: Type.Array(Type.Union([FoundItemSchema, SelectedItemSchema])),
  },
  { $id: 'UncountedPage', description: 'With `count=none`: one page of listings' },
);

/** The page of a request with `fields`. */
export const SelectedPageSchema = Type.Object(
  { ...FoundPageSchema.properties, items: Type.Array(SelectedItemSchema) },
  { $id: 'SelectedPage', description: 'With `fields`: one page of listings with the selected fields' },
);
