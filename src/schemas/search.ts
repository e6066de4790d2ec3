import { Type } from 'typebox';
import { EmptySchema, ExplanationSchema, MatchedSchema, WhySchema } from './explain.js';
import { FacetSchema } from './facets.js';
import { groupMember, groupPageMember } from './group.js';
import { SearchPageSchema } from './page.js';
import { ProductSchema } from './product.js';
import { nullable } from './types.js';

const HighlightSchema = Type.Object(
  {
    name: Type.String({ description: 'The name as HTML, what matched in `<em>`' }),
    description: nullable('string', 'The same of the description'),
  },
  { $id: 'Highlight' },
);

/** An item of a search: one object type, because typed clients would have to cast a union. */
const FoundItemSchema = Type.Object(
  {
    ...Type.Partial(ProductSchema).properties,
    id: ProductSchema.properties.id,
    highlight: Type.Optional(HighlightSchema),
    ...groupMember,
    why: Type.Optional(WhySchema),
  },
  {
    $id: 'FoundItem',
    description:
      'A Product, with the members that parameters add. It has every field of a Product unless `fields` names fewer; `id` is always there',
  },
);

/** A parameter that words of `q` were read as. */
export const InterpretedSchema = Type.Object(
  {
    parameter: Type.String({ description: 'A parameter of this endpoint', examples: ['max_price'] }),
    value: Type.String({ description: 'As the parameter is written', examples: ['50'] }),
    from: Type.Integer({
      description: 'Where its words begin in `q`, in UTF-16 code units, as `slice` of JavaScript takes them',
    }),
    to: Type.Integer({ description: 'Where they end, exclusive' }),
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
        description: 'With `interpret`: what was read from the words and applied; the rest is searched for',
      }),
    ),
    next_cursor: Type.Optional(
      nullable('string', 'With `cursor`: that of the next page; null: this is the last'),
    ),
    ...groupPageMember,
    facets: Type.Optional(
      Type.Array(FacetSchema, {
        description: 'With `facets`: in the order asked for, of `price` one for each currency',
      }),
    ),
  },
  { $id: 'FoundPage', description: 'One page of listings, with what parameters add' },
);
