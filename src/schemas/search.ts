import { excludedMember } from './excluded.js';
import { Type } from 'typebox';
import { EmptySchema, ExplanationSchema, MatchedSchema, WhySchema } from './explain.js';
import { FacetSchema } from './facets.js';
import { groupMember, groupPageMember } from './group.js';
import { includedMembers, positionMember, readingMember } from './include.js';
import { SearchPageSchema } from './page.js';
import { ProductSchema } from './product.js';
import { component, integer, nullable, optional, text } from './types.js';

const HighlightSchema = component('Highlight', {
  name: text('The name as HTML, with matches in `<em>`'),
  description: nullable('string', 'The description as HTML, with matches in `<em>`'),
});

const addedMembers = {
  highlight: Type.Optional(HighlightSchema),
  ...includedMembers,
  ...positionMember,
  ...readingMember,
  ...groupMember,
  why: Type.Optional(WhySchema),
};

const FoundItemSchema = component('FoundItem', 'A Product, with the members that parameters add', {
  ...ProductSchema.properties,
  ...addedMembers,
});

const SelectedItemSchema = component(
  'SelectedItem',
  'The `fields` of a Product and its id, with the members that parameters add',
  { ...Type.Partial(ProductSchema).properties, id: ProductSchema.properties.id, ...addedMembers },
);

/** The words of `q` that the service applied as a parameter. */
export const InterpretedSchema = component('Interpreted', {
  parameter: text('A parameter of this endpoint', 'max_price'),
  value: text('The value as it is written in a URL', '50'),
  from: integer('Start of the words in `q`, in UTF-16 code units'),
  to: integer('End of the words in `q`, exclusive'),
});

export const FoundPageSchema = component(
  'FoundPage',
  'One page of listings, with the members that parameters add',
  {
    ...SearchPageSchema.properties,
    items: Type.Array(FoundItemSchema),
    matched: Type.Optional(MatchedSchema),
    explanation: Type.Optional(ExplanationSchema),
    empty: Type.Optional(EmptySchema),
    interpreted: optional.listOf(
      InterpretedSchema,
      'With `interpret`: the words that were applied as parameters; the other words are searched for',
    ),
    next_cursor: optional.nullable(
      'string',
      'With `cursor`: the cursor of the next page; null on the last page',
    ),
    ...groupPageMember,
    ...excludedMember,
    facets: optional.listOf(
      FacetSchema,
      'With `facets`: the facets in the requested order, for `price` one for each currency',
    ),
  },
);

/** The page of a request with `count=none`. */
export const UncountedPageSchema = component('UncountedPage', 'With `count=none`: one page of listings', {
  ...FoundPageSchema.properties,
  total: Type.Null(),
  items: Type.Array(Type.Union([FoundItemSchema, SelectedItemSchema])),
});

/** The page of a request with `fields`. */
export const SelectedPageSchema = component(
  'SelectedPage',
  'With `fields`: one page of listings with the selected fields',
  { ...FoundPageSchema.properties, items: Type.Array(SelectedItemSchema) },
);
