import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { CONDITIONS_SCHEMA, GROUPS_SCHEMA, QUANTITIES_SCHEMA } from '../../listing/schema-versions.js';
import { CONDITIONS } from '../../schemas/condition.js';
import type { Facet } from '../../schemas/facets.js';
import { LIMITS } from '../../schemas/product.js';
import { Decimal, Enum, List } from '../../schemas/types.js';
import { UNIT_PRICE_UNITS } from '../../schemas/unit-price.js';
import { foldBrand, foldBrands } from '../../text/brand.js';
import { foldValue } from '../../text/fold.js';
import { categoryLevels, formatCategoryPath } from '../../listing/category-path.js';
import {
  anyOf,
  categoryClause,
  CONDITION_FIELD,
  withAnyValue,
  type PriceLimits,
  priceClauses,
  sourceClause,
  unitPriceClauses,
  type UnitPriceLimits,
} from './filter-clauses.js';
import type { QueryClause } from './selection.js';

/** The maximum number of values of one filter parameter, and of characters in each value. */
export const MAX_FILTER = { values: 20, characters: 200 };

export const MAX_ATTRIBUTES = 10;

/** A facet value that a filter selects, in two forms: folded for comparisons, and as the request wrote it. */
export interface SelectedValue {
  key: string;
  given: string;
}

/** The parameters of a request that can change the query clause of another filter, such as price limits. */
type RelatedParameters = PriceLimits & UnitPriceLimits & { platform?: string[] | undefined };

/**
 * The function with which a filter builds its query clause, if the value of the parameter filters anything. A filter that depends
 * on the time of the request has `clausesAt` instead of `clauses`, and responses to it are not cached.
 */
type ClausesOf<Schema extends TSchema> =
  | { clauses(value: Static<Schema>, parameters: RelatedParameters): QueryClause[]; clausesAt?: never }
  | { clausesAt(value: Static<Schema>, now: Date): QueryClause[]; clauses?: never };

/** Everything that the service knows about one filter parameter. */
export type FilterDefinition<Schema extends TSchema = TSchema> = ClausesOf<Schema> & {
  schema: Schema;
  /** The name by which the explanation of an empty result calls the filter, if it is not the parameter's name. */
  name?: string;
  /** The facet that the filter belongs to. The counts of this facet ignore the filter. */
  facet?: Facet;
  selects?(value: Static<Schema>, parameters: RelatedParameters): SelectedValue[];
  /** The first schema version of the index in which listings have the fields that the filter needs. */
  since?: number;
  /** The tools for language models that offer the filter as a parameter. */
  tools?: readonly ('search_products' | 'get_deals')[];
};

const filter = <Schema extends TSchema>(definition: FilterDefinition<Schema>) => definition;

/** The schema of a filter parameter with several values; a listing must have one of them. */
const severalValues = (description: string) =>
  List('|', Type.String({ maxLength: MAX_FILTER.characters }), {
    maxItems: MAX_FILTER.values,
    description: `${description}. Of several values, a listing needs only one`,
  });

/**
 * The filters of all lists, in the order in which they are documented. To add a filter, add an entry: the parameters of the
 * endpoints, the clauses, the facets, the caching rule, the schema check and the tools for language models follow from it.
 */
const FILTERS = {
  category: filter({
    schema: Type.String({
      description:
        'Part of the primary category name. Case is ignored, and there are no wildcards. A value with `>` also matches ' +
        'consecutive levels anywhere in the category path, each in full: `Audio > Headphones`',
      // The length is limited because Elasticsearch rejects patterns of more than a few hundred characters.
      maxLength: LIMITS.category,
    }),
    clauses: (part) => (part === '' ? [] : [categoryClause(part)]),
    facet: 'category',
    selects: (part) => selected(part === '' ? [] : [part], (text) => text.toLowerCase()),
    tools: ['search_products', 'get_deals'],
  }),
  category_path: filter({
    schema: severalValues(
      'The first levels of the category path, each in full: `Electronics > TVs`. Case and accents are ignored',
    ),
    clauses: (paths) =>
      withAnyValue('internal.category_paths', paths.map(categoryLevels).map(formatCategoryPath)),
    facet: 'category_path',
    selects: (paths) => selected(paths, (path) => formatCategoryPath(categoryLevels(path))),
    since: GROUPS_SCHEMA,
    tools: ['search_products', 'get_deals'],
  }),
  min_price: filter({
    schema: Decimal({
      minimum: 0,
      description: 'Lowest price, inclusive. Excludes listings without a price',
    }),
    clauses: (_price, limits) => priceClauses(limits),
    name: 'price',
    facet: 'price',
    tools: ['search_products'],
  }),
  max_price: filter({
    schema: Decimal({
      minimum: 0,
      description: 'Highest price, inclusive. Excludes listings without a price',
    }),
    clauses: (_price, limits) => (limits.min_price === undefined ? priceClauses(limits) : []),
    name: 'price',
    facet: 'price',
    tools: ['search_products', 'get_deals'],
  }),
  price_currency: filter({
    schema: Type.String({
      pattern: '^[A-Za-z]{3}$',
      description:
        'Currency of the price limits. Prices are compared after conversion; those without an exchange rate are excluded',
    }),
    // The parameter filters nothing by itself: the clause of the price limits reads it.
    clauses: () => [],
    tools: ['search_products'],
  }),
  has_price: filter({
    schema: Type.Boolean({
      description: '`true`: only listings with a price. `false`: only listings without one',
    }),
    clauses: (hasPrice) => {
      const priced = { exists: { field: 'internal.price_units' } };
      return [hasPrice ? priced : { bool: { must_not: [priced] } }];
    },
  }),
  max_unit_price: filter({
    schema: Decimal({
      minimum: 0,
      description:
        'Highest price of one unit of `unit_per`, inclusive. Excludes listings without a unit price. The value is in the currency ' +
        'that `currency` names, otherwise in the base currency of the exchange rates',
    }),
    clauses: unitPriceClauses,
    since: QUANTITIES_SCHEMA,
    tools: ['search_products'],
  }),
  platform: filter({
    schema: severalValues('Source platform code, such as `shopee_sg`. Case is ignored'),
    clauses: (codes) => anyOf(codes.map(sourceClause)),
    name: 'source',
    facet: 'source',
    selects: (codes) => selected(codes, foldValue),
  }),
  source: filter({
    schema: severalValues(
      'Source platform code. Another name for `platform`, which takes precedence if both are given',
    ),
    clauses: (codes, { platform = [] }) => (platform.length > 0 ? [] : anyOf(codes.map(sourceClause))),
    facet: 'source',
    selects: (codes, { platform = [] }) => (platform.length > 0 ? [] : selected(codes, foldValue)),
    tools: ['search_products', 'get_deals'],
  }),
  brand: filter({
    schema: severalValues(
      'Brand name in full. Case, accents, blanks, punctuation and trade mark signs are ignored: `gskill` is `G.Skill®`. Brands that were inferred from names count as well if the operator has ' +
        'set this (`npm run brands`)',
    ),
    clauses: (brands) => withAnyValue('internal.brand', foldBrands(brands)),
    facet: 'brand',
    selects: (brands) => selected(brands, foldBrand),
    since: GROUPS_SCHEMA,
    tools: ['search_products', 'get_deals'],
  }),
  currency: filter({
    schema: severalValues('ISO 4217 code of the currency of the price. Case is ignored'),
    clauses: (codes) => withAnyValue('currency', codes.map(upperCase)),
    facet: 'currency',
    selects: (codes) => selected(codes.map(upperCase), (code) => code),
    tools: ['search_products'],
  }),
  in_stock: filter({
    schema: Type.Boolean({
      description:
        '`true`: in stock. `false`: out of stock. Both exclude listings whose availability is unknown',
    }),
    clauses: (isAvailable) => [{ term: { is_available: isAvailable } }],
    facet: 'availability',
    selects: (isAvailable) => selected([isAvailable ? 'in_stock' : 'out_of_stock'], (value) => value),
    tools: ['search_products'],
  }),
  condition: filter({
    schema: List('|', Enum(CONDITIONS), {
      maxItems: MAX_FILTER.values,
      description:
        'Condition of the goods. Each listing has one: the stated one, else the one that its name states, else `new`. Of several ' +
        'values, a listing needs only one',
    }),
    clauses: (conditions) => withAnyValue(CONDITION_FIELD, conditions),
    facet: 'condition',
    selects: (conditions) => selected(conditions, (value) => value),
    since: CONDITIONS_SCHEMA,
    tools: ['search_products', 'get_deals'],
  }),
  min_rating: filter({
    schema: Decimal({
      minimum: 0,
      maximum: 5,
      description: 'Lowest rating, inclusive. Excludes listings without a rating',
    }),
    clauses: (rating) => [{ range: { 'internal.rating': { gte: Number(rating) } } }],
    facet: 'rating',
    selects: (rating) => selected([String(Number(rating))], (value) => value),
    since: GROUPS_SCHEMA,
    tools: ['search_products'],
  }),
  max_age_s: filter({
    schema: Type.Integer({
      minimum: 1,
      maximum: 31_536_000,
      description:
        'Maximum time in seconds since the listing was last seen: since `last_checked`, or since a feed last contained it, whichever is later',
    }),
    clausesAt: (seconds, now) => [
      { range: { 'internal.observed_at': { gte: new Date(now.getTime() - seconds * 1_000).toISOString() } } },
    ],
    tools: ['search_products'],
  }),
  has_image: filter({
    schema: Type.Boolean({
      description: '`true`: only listings with an `image_url`. `false`: only listings without one',
    }),
    clauses: (hasImage) => [{ term: { 'internal.has_image': hasImage } }],
    tools: ['search_products'],
  }),
};

/** The filters of all lists by name. */
export const DEFINITIONS = Object.entries(FILTERS) as [name: keyof typeof FILTERS, FilterDefinition][];

/** The schemas of the filter parameters that endpoints have, by the name of the parameter. */
export const filterParameters = Object.fromEntries(
  DEFINITIONS.map(([name, { schema }]) => [name, Type.Optional(schema)]),
) as unknown as {
  [Name in keyof typeof FILTERS]: ReturnType<typeof Type.Optional<(typeof FILTERS)[Name]['schema']>>;
};

/** The schema of the given parameters and of the filters by attribute, whose names are `attr.NAME`. */
export const withAttributeFilters = <Parameters extends TProperties>(parameters: Parameters) =>
  Type.Object(parameters, {
    patternProperties: {
      '^attr\\.': severalValues(
        'Value in full of an attribute that feeds state in `metadata`, such as `attr.colour=black`. Case and accents are ignored. ' +
          `At most ${MAX_ATTRIBUTES} names. \`attr.color\` and \`attr.colour\` are the same attribute`,
      ),
    },
  });

/** The parameter `include_flagged`. Without it, endpoints leave out listings with a flagged price or sort them last. */
export const includeFlagged = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Treats listings whose price is flagged as `price_placeholder` or `price_outlier` (`GET /v1/quality/{flag}`) like all others',
  }),
);

/** The parameter `unit_per`, the unit of `max_unit_price` and `sort=unit_price`. */
export const unitPer = Type.Optional(
  Enum(UNIT_PRICE_UNITS, { description: 'Unit of `max_unit_price` and `sort=unit_price`, which require it' }),
);

/** The values of the filter parameters in a request. Among them, decimal numbers are text. */
export type Filters = Static<TObject<typeof filterParameters>> & {
  unit_per?: Static<typeof unitPer>;
} & Record<`attr.${string}`, string[]>;

/** The names of the filter parameters that a tool for language models offers. */
export const filtersOfTool = (tool: 'search_products' | 'get_deals'): string[] =>
  DEFINITIONS.flatMap(([name, { tools = [] }]) => (tools.includes(tool) ? [name] : []));

/** Removes values of a filter that have the same compared form (key) as an earlier value. */
export function selected(values: readonly string[], keyOf: (value: string) => string): SelectedValue[] {
  const found = new Map<string, string>();
  for (const given of values) {
    const key = keyOf(given);
    if (!found.has(key)) found.set(key, given);
  }
  return [...found].map(([key, given]) => ({ key, given }));
}

const upperCase = (code: string): string => code.toUpperCase();
