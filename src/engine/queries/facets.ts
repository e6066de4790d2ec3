import type { estypes } from '@elastic/elasticsearch';
import { categoryLevels, formatCategoryPath } from '../../listing/category-path.js';
import { CONDITIONS_SCHEMA, GROUPS_SCHEMA } from '../../listing/schema-versions.js';
import { PRICE_EDGES } from '../../listing/price.js';
import { ATTRIBUTE_FACETS, type Facet, isFacet, RATINGS } from '../../schemas/facets.js';
import { attributeFields, attributeName, CONDITION_FIELD, statedNames } from './filter-clauses.js';
import type { Filters } from './filters.js';
import { type Refinement, selectedValues } from './refinements.js';
import { foldBrand } from '../../text/brand.js';
import { apostropheSpellings, foldValue } from '../../text/fold.js';
import { type AggregationRequests, combined, type QueryClause } from './selection.js';

/** The number of currencies in which the facet `price` counts price ranges; the most frequent ones are used. */
const CURRENCIES = 5;

/**
 * The minimum number of values that a facet requests. Most facets have fewer values, so their number is known
 * without a cardinality aggregation, which would cost as much as the search.
 */
const MIN_VALUES = 200;

/** The number of category paths to request: each level shows its own most frequent ones, so most catalogues need all paths. */
const MIN_CATEGORY_PATHS = 5_000;

/** Up to this number of different values of a facet, Elasticsearch counts them exactly (`precision_threshold`). */
const DISTINCT_EXACTLY = 10_000;

/** The number of attribute names to request: more than are answered, because several names may stand for one attribute. */
const ATTRIBUTE_NAMES = 3 * ATTRIBUTE_FACETS.most;

/**
 * Attributes that nobody filters by, such as the number of reviews. The facet `attributes` leaves them out;
 * only a facet that names one (`attr.NAME`) counts its values.
 */
const UNFILTERED_ATTRIBUTES: string[] = (
  'review|reviews|review count|review_count|reviews_count|number of reviews|reviewcount|rating count|rating_count|ratings|' +
  'ratings count|ratings_count|number of ratings|sold|units sold|units_sold|sold count|sold_count|historical_sold|sales|' +
  'orders|stock|stock quantity|stock_quantity|in stock|inventory|likes|liked_count|views|shop|shop name|shop_name|store|' +
  'seller|seller name|seller_name|merchant|vendor'
).split('|');

/** How the values of a facet are counted: those of one field, unless `aggs` says otherwise. */
interface FacetQueries extends Partial<FacetField> {
  aggs?(filters: Filters): AggregationRequests;
  /** Converts the text of `facet_q` to the form in which the values are compared; `foldValue` by default. */
  textOf?(given: string): string;
  /** Whether the index stores the values in the case that feeds use. */
  isUnfolded?: true;
  /** The first schema version of the index in which listings have the field. */
  since?: number;
}

const FACET_QUERIES: Record<Facet, FacetQueries> = {
  brand: { field: 'internal.brand', written: 'brand.written', textOf: foldBrand, since: GROUPS_SCHEMA },
  // Accents distinguish categories, so they are not removed from the values of `category`.
  category: { field: 'category.folded', written: 'category', textOf: (given) => given.trim().toLowerCase() },
  category_path: {
    field: 'internal.category_paths',
    written: 'category_path',
    textOf: pathText,
    since: GROUPS_SCHEMA,
  },
  source: { isUnfolded: true },
  currency: { isUnfolded: true },
  availability: {
    aggs: () => ({
      values: { terms: { field: 'is_available' } },
      unknown: { missing: { field: 'is_available' } },
    }),
  },
  condition: { field: CONDITION_FIELD, since: CONDITIONS_SCHEMA },
  rating: {
    aggs: (filters) => ({ ratings: { range: { field: 'internal.rating', ranges: ratingRanges(filters) } } }),
    since: GROUPS_SCHEMA,
  },
  price: { aggs: () => ({ priced: PRICES }), since: GROUPS_SCHEMA },
  attributes: {
    aggs: () => ({
      names: {
        terms: { field: ATTRIBUTE_NAME_FIELD, size: ATTRIBUTE_NAMES, exclude: UNFILTERED_ATTRIBUTES },
      },
    }),
    since: GROUPS_SCHEMA,
  },
};

const queriesOf = (name: string): FacetQueries => (isFacet(name) ? FACET_QUERIES[name] : {});

/** The minimum schema version of the index that the requested facets need; 0 if every version is sufficient. */
export const schemaOfFacets = (names: readonly string[]): number =>
  Math.max(
    0,
    ...names.map((name) => (attributeOf(name) === null ? (queriesOf(name).since ?? 0) : GROUPS_SCHEMA)),
  );

/** The facets of a request, and the listings in which their values are counted. */
export interface FacetScope {
  /** Query clauses that narrow the listings in which the values of every facet are counted. */
  shared: QueryClause[];
  /** The filters of the request that each belong to one of the facets. They apply to the hits after the facets are counted. */
  ofFacets: readonly Refinement[];
  filters: Filters;
  limit: number;
  /** The facet of which only the values that contain a text are counted. */
  containing?: FacetText | undefined;
}

/** A text that the values of one facet must contain, in the form in which the values are compared. */
export interface FacetText {
  facet: string;
  text: string;
}

/**
 * Reads the parameter `facet_q`, such as `brand:son`. The name of an attribute ends at the first colon.
 * @returns null if it does not have this form.
 */
export function readFacetText(parameter: string): FacetText | null {
  const [, name, given = ''] = /^([^:]+):(.*)$/su.exec(parameter) ?? [];
  if (name === undefined) return null;
  const facet = canonicalFacet(name.trim());
  const text = (queriesOf(facet).textOf ?? foldValue)(given);
  return text === '' ? null : { facet, text };
}

/** The part of a category path, in which a `>` at the beginning or at the end is kept. */
function pathText(given: string): string {
  const path = formatCategoryPath(categoryLevels(given));
  const [before, after] = [/^\s*>/u.test(given) ? '> ' : '', /\S\s*>\s*$/u.test(given) ? ' >' : ''];
  return path === '' ? '' : `${before}${path}${after}`;
}

/** The text that the values of a facet must contain; null if there is none. */
export const textInValues = ({ containing }: Pick<FacetScope, 'containing'>, name: string): string | null =>
  containing !== undefined && containing.facet === canonicalFacet(name) ? containing.text : null;

/**
 * Separates the filters of a request into those that narrow every facet and those that belong to one of the facets.
 * @param names the names of the facets, such as `brand` or `attr.colour`.
 */
export function partitionByFacet(names: readonly string[], refinements: readonly Refinement[]) {
  const facets = names.map(canonicalFacet);
  const isOfFacet = ({ facet }: Refinement) =>
    facet !== null && (facets.includes(facet) || (facet.startsWith('attr.') && names.includes('attributes')));
  return {
    shared: refinements.filter((one) => !isOfFacet(one)).map(({ clause }) => clause),
    ofFacets: refinements.filter(isOfFacet),
  };
}

/** The part of a search request that applies the filters of facets to the hits, but not to the counts. */
export const postFilter = (ofFacets: readonly Refinement[]): { post_filter?: QueryClause } =>
  ofFacets.length === 0 ? {} : { post_filter: { bool: { filter: ofFacets.map(({ clause }) => clause) } } };

/** The name of an aggregation. Facets are numbered, because names of attributes may contain any character. */
export const aggregationName = (facet: number, part?: string): string =>
  part === undefined ? `${facet}` : `${facet}:${part}`;

/** The aggregations that count the values of each facet, with the filters of the other facets. */
export const facetAggs = (names: readonly string[], scope: FacetScope): AggregationRequests =>
  groupedAggs(names, scope, (name) => aggsOf(name, scope));

/** The aggregations that count how many different values each facet has. */
export const distinctAggs = (names: readonly string[], scope: FacetScope): AggregationRequests =>
  groupedAggs(names, scope, (name) => {
    const [{ field }, second] = fieldsOfFacet(name);
    // The different values are counted from lists, because a cardinality aggregation can count neither those
    // of two fields together nor those that contain a text.
    if (second !== undefined || textInValues(scope, name) !== null)
      return listsOfValues(name, 'distinct', DISTINCT_EXACTLY, scope);
    // The hint is stated because the default one (global ordinals) fails for a key of a flattened field.
    const options = { precision_threshold: DISTINCT_EXACTLY, execution_hint: 'segment_ordinals' } as const;
    return { distinct: { cardinality: { field, ...options } } };
  });

/** The aggregations that list the values of a facet: one for each of its fields. */
const listsOfValues = (
  name: string,
  part: 'values' | 'distinct',
  size: number,
  scope: FacetScope,
): AggregationRequests =>
  Object.fromEntries(
    fieldsOfFacet(name).map(({ field }, at) => [
      at === 0 ? part : `${part}_second`,
      { terms: { field, size, ...includeOf(name, scope) } },
    ]),
  );

/**
 * The part of a terms aggregation that restricts it to the values that contain the text of `facet_q`. Every
 * character of the text is matched literally, except that an apostrophe matches all kinds of apostrophes.
 */
function includeOf(name: string, scope: FacetScope): { include?: string } {
  const text = textInValues(scope, name);
  if (text === null) return {};
  const anyCase = queriesOf(name).isUnfolded === true;
  const characters = Array.from(text, (character) => {
    const apostrophes = apostropheSpellings(character);
    if (apostrophes.length > 1) return `[${apostrophes.join('')}]`;
    const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
    if (anyCase && lower !== upper) return `[${lower}${upper}]`;
    return /[\p{L}\p{N}\s]/u.test(character) ? character : `\\${character}`;
  });
  return { include: `.*${characters.join('')}.*` };
}

function groupedAggs(
  names: readonly string[],
  { ofFacets }: FacetScope,
  aggs: (name: string) => AggregationRequests,
): AggregationRequests {
  const groups = names.map((name, at): AggregationRequests => {
    const others = ofFacets.filter(({ facet }) => facet !== canonicalFacet(name)).map(({ clause }) => clause);
    const parts = Object.entries(aggs(name));
    const named = Object.fromEntries(parts.map(([part, agg]) => [aggregationName(at, part), agg]));
    // A filter aggregation is added only if there is a filter, because Elasticsearch would evaluate an empty
    // one for every listing.
    if (ofFacets.length === 0) return named;
    const filter: QueryClause = others.length === 0 ? { match_all: {} } : { bool: { filter: others } };
    return { [aggregationName(at)]: { filter, aggs: named } };
  });
  return Object.assign({}, ...groups) as AggregationRequests;
}

function aggsOf(name: string, scope: FacetScope): AggregationRequests {
  const { filters } = scope;
  const selected = () => selectedValues(canonicalFacet(name), filters).map(({ key }) => key);
  return queriesOf(name).aggs?.(filters) ?? valueAggs(name, selected(), scope);
}

interface FacetField {
  field: string;
  /** The index field that contains the values of a facet as feeds write them, if it differs from the field that is compared. */
  written?: string;
}

/** The fields with the values of a facet. There are two if the facet is an attribute with a British and an American name. */
export function fieldsOfFacet(name: string): [FacetField, ...FacetField[]] {
  const attribute = attributeOf(name);
  if (attribute !== null) return attributeFields(attribute) as [FacetField];
  const { field = name, written } = queriesOf(name);
  return [{ field, ...(written !== undefined && { written }) }];
}

/** The attribute name in a facet name `attr.NAME`; null for other facets. */
export const attributeOf = (name: string): string | null =>
  name.startsWith('attr.') ? attributeName(name.slice('attr.'.length)) : null;

/** The canonical name of a facet, which `attr.color` and `attr.colour` share. */
export function canonicalFacet(name: string): string {
  const attribute = attributeOf(name);
  return attribute === null ? name : `attr.${attribute}`;
}

const ATTRIBUTE_NAME_FIELD = 'internal.attribute_names';

function valueAggs(name: string, selected: readonly string[], scope: FacetScope): AggregationRequests {
  const fields = fieldsOfFacet(name);
  const [{ field }, second] = fields;
  const attribute = attributeOf(name);
  const withValue = (value: string): QueryClause => {
    const terms = fields.flatMap((one) =>
      apostropheSpellings(value).map((spelling): QueryClause => ({
        term: { [one.field]: { value: spelling, case_insensitive: name === 'source' } },
      })),
    );
    return combined('should', terms);
  };
  const size = Math.max(scope.limit, name === 'category_path' ? MIN_CATEGORY_PATHS : MIN_VALUES);
  return {
    ...listsOfValues(name, 'values', size, scope),
    ...(second && { values_both: valuesOfBoth(field, second.field, { size, ...includeOf(name, scope) }) }),
    ...(selected.length > 0 && { selected: { filters: { filters: selected.map(withValue) } } }),
    ...(attribute !== null && {
      stated: { filter: { terms: { [ATTRIBUTE_NAME_FIELD]: statedNames(attribute) } } },
    }),
  };
}

/** Counts the listings with the same value under the British and the American name, which the sum of both counts twice. */
const valuesOfBoth = (
  first: string,
  second: string,
  listed: estypes.AggregationsTermsAggregation,
): AggregationRequests[string] => ({
  filter: { bool: { filter: [{ exists: { field: first } }, { exists: { field: second } }] } },
  aggs: {
    values: { terms: { field: first, ...listed }, aggs: { same: { terms: { field: second, ...listed } } } },
  },
});

function ratingRanges(filters: Filters): estypes.AggregationsAggregationRange[] {
  const ratings = [...new Set([...RATINGS, ...selectedValues('rating', filters).map(({ key }) => key)])];
  const lowest = Math.min(...ratings.map(Number));
  return [...ratings.map((rating) => ({ key: rating, from: Number(rating) })), { key: 'lower', to: lowest }];
}

/**
 * Aggregations for the facet `price`, which count the listings at each price step, and those whose price is exactly an edge:
 * a price filter includes both of its limits. Listings without a price do not affect the choice of currencies.
 */
const PRICES: estypes.AggregationsAggregationContainer = {
  filter: { exists: { field: 'internal.price_units' } },
  aggs: {
    currencies: {
      terms: { field: 'currency', size: CURRENCIES },
      aggs: {
        steps: { terms: { field: 'internal.price_step', size: PRICE_EDGES.length } },
        edges: {
          terms: {
            field: 'internal.price_units',
            size: PRICE_EDGES.length,
            include: PRICE_EDGES.map(String),
          },
        },
        units: { stats: { field: 'internal.price_units' } },
      },
    },
  },
};
