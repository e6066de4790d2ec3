import { type Static, Type } from 'typebox';
import { EmptySchema, ExplanationSchema, MatchedSchema, WhySchema } from './explain.js';
import { ATTRIBUTE_FACETS, FACETS, FacetSchema, MOST_FACETS } from './facets.js';
import { attributeParameters, filterParameters, type Filters, includeFlagged } from './filters.js';
import { groupMember, groupPageMember, groupParameter } from './group.js';
import { paging, SearchPageSchema } from './page.js';
import { PRODUCT_FIELDS, ProductSchema } from './product.js';
import { Enum, List, nullable } from './types.js';

/** The orders that listings can be asked for in. */
export const SORTS = [
  'relevance',
  'updated',
  'newest',
  'price_asc',
  'price_desc',
  'rating',
  'discount',
] as const;
export type Sort = (typeof SORTS)[number];

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

/** Parameters of search and of the list of listings. */
export const searchParameters = Type.Object(
  {
    q: Type.Optional(
      Type.String({
        maxLength: 1000,
        description:
          'Words, model numbers or an identifier, in any spelling; without it the latest changes come first',
        examples: ['wireless headphones'],
      }),
    ),
    match: Type.Optional(
      Enum(['auto', 'all', 'any'], {
        description:
          'Which listings match `q`; `auto` unless given. `all`: those with all the words; `any`: those with any of them, listings ' +
          'with more of them first. `auto`: by relevance `all` if at least 20 listings of the catalogue have all the words, ' +
          'else `any`; in any other order `all` if one listing has all the words, else those with most of them, and among ' +
          'these the kind of thing that the words name (no paper notebooks for "laptop"). If the catalogue has that kind, but no ' +
          'listing of it has all the words ("phone charger": phones that come with one), `auto` does not list `all`. Filters never ' +
          'change which set is listed. Stop words, words such as "where can I buy", and words that no listing has do not count. ' +
          'With a given `match` the page adds `matched`',
      }),
    ),
    sort: Type.Optional(
      Enum(SORTS, {
        description:
          '`relevance`: what fits `q` best (needs `q`, and is its default); `updated`: what changed last (the default ' +
          'without `q`); `newest`: first observed last; `price_asc`, `price_desc`: in one currency, what has no price ' +
          'or no rate last, and in `price_asc` listings with a flagged price after the others; `rating`: best first; `discount`: as ' +
          'deals, listings without a deal or with a flagged price last. `match` says which listings an order lists',
      }),
    ),
    ...filterParameters,
    include_flagged: includeFlagged,
    facets: Type.Optional(
      List(',', Type.String({ maxLength: 100 }), {
        maxItems: MOST_FACETS,
        description:
          `What to count by: ${FACETS.join(', ')}, or \`attr.NAME\` of an attribute. ` +
          `\`attributes\` stands for the ${ATTRIBUTE_FACETS.most} attributes that the most matches state, each as \`attr.NAME\`, ` +
          'without counters such as `reviews` and `stock`. A facet counts the listings that pass every filter except its ' +
          'own (`category_path` belongs to no facet); `total` counts those that pass all of them',
        examples: [['brand', 'price']],
      }),
    ),
    facet_limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Values of each facet at most' }),
    ),
    fields: Type.Optional(
      List(',', Enum(PRODUCT_FIELDS), {
        maxItems: 2 * PRODUCT_FIELDS.length,
        description: 'Fields of a Product: items have only these and `id`',
      }),
    ),
    highlight: Type.Optional(
      Type.Boolean({
        description:
          'Items add `highlight` with `name` and `description`: HTML in which only `<em>` is markup, around what matched; ' +
          'of a long description, in its first 5,000 characters',
      }),
    ),
    explain: Type.Optional(
      Type.Boolean({
        description:
          'With `q`: the page adds `explanation`, what was made of the words, and items `why`: what they score by and which ' +
          'words they lack',
      }),
    ),
    interpret: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Words of `q` that narrow or sort are read as parameters and not searched for; the page tells them in ' +
          '`interpreted`. `earbuds under $50 in stock from shopee`: `max_price`, `in_stock`, `source`; also `min_price`, ' +
          '`currency` (where a mark is that of one alone: `RM`, not `$`), `min_rating`, `sort` and `in_stock=false`, in English, Malay, ' +
          'Indonesian and Chinese. A parameter that is given wins: the words are left out and not applied. What is not ' +
          'sure to be meant so is searched for. Without `interpret` such words neither narrow nor sort, and most of them are not ' +
          'searched for either',
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 8_000,
        description:
          'Goes through all that match in one consistent view of the catalogue: empty for the first page, then the ' +
          '`next_cursor` of the page before, with the same parameters (`limit` may change). Each page is to be asked ' +
          'for within five minutes, the last within an hour; after that, or when the key has begun many others, 410',
      }),
    ),
    group: groupParameter,
    ...paging(20),
  },
  attributeParameters,
);

export type SearchParameters = Static<typeof searchParameters> & Filters;
